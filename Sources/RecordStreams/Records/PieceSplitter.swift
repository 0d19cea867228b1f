/// Finds the ends of records that are lines, without reading their fields.
///
/// In CSV, a line end inside quotes ends no record. If every quote follows RFC 4180, the quotes
/// alone determine which line ends are inside quotes:
///
/// ```
/// 1,"two           a quote opens where a field starts,
/// lines",x         and closes before a delimiter or a line end,
/// 2,5" disk,y      unlike this one: the piece ends before its record
/// ```
struct PieceSplitter {
    /// The quote and the delimiter of a CSV input in which quoted fields may contain line ends;
    /// `nil` if every line end ends a record.
    private let quoting: (quote: UInt8, delimiter: UInt8)?
    private let recordBytesMax: Int

    init(quoting: (quote: UInt8, delimiter: UInt8)?, recordBytesMax: Int) {
        self.quoting = quoting
        self.recordBytesMax = recordBytesMax
    }

    /// Returns the complete records at the start of the chunk, which starts with a record.
    ///
    /// - Returns: an empty piece if the bytes after it are too large for a record. How many of them
    ///   are available depends on the chunk, so only a decoder of the entire chunk can decide.
    func piece(of chunk: ByteChunk, recordsMax: Int) -> Piece {
        let start = Bytes(chunk.start)
        let limit = start + chunk.count
        var piece = Piece()
        var position = start
        while piece.recordCount < recordsMax {
            let opened = quoting.flatMap { firstIndex(of: $0.quote, from: position, to: limit) }
            let end = opened ?? limit
            guard !isTooBig(start + piece.byteCount, position, end) else { break }
            addLines(position, end, of: start, &piece, recordsMax)
            guard let opened, let next = endOfQuoted(opened, start, limit) else { break }
            position = next
        }
        let isTruncated = piece.recordCount < recordsMax
        return isTruncated && chunk.count - piece.byteCount > recordBytesMax ? Piece() : piece
    }

    /// Returns whether a record with quotes before `position` ends in a range and is too big.
    ///
    /// Its decoder may interpret the quotes differently and find other record ends.
    private func isTooBig(_ record: Bytes, _ position: Bytes, _ end: Bytes) -> Bool {
        guard position > record, end - record > recordBytesMax,
            let feed = firstIndex(of: 10, from: position, to: end)
        else { return false }
        return feed - record > recordBytesMax
    }

    /// Adds the lines that end in a range without quotes, up to the limit of the piece.
    private func addLines(
        _ position: Bytes, _ end: Bytes, of start: Bytes, _ piece: inout Piece, _ recordsMax: Int
    ) {
        let lines = ChunkOrigin.countOccurrences(of: 10, in: position, count: end - position)
        guard lines > 0 else { return }
        var tooMany = max(0, piece.recordCount + lines - recordsMax)
        piece.recordCount += lines - tooMany
        var last = end - 1
        while last.pointee != 10 || tooMany > 0 {
            if last.pointee == 10 { tooMany -= 1 }
            last -= 1
        }
        piece.byteCount = last + 1 - start
    }

    /// Returns the byte after a quoted field, or `nil` if the chunk ends too early or the quotes do
    /// not follow RFC 4180.
    private func endOfQuoted(_ opened: Bytes, _ start: Bytes, _ limit: Bytes) -> Bytes? {
        guard let (quote, delimiter) = quoting,
            opened == start || opened[-1] == delimiter || opened[-1] == 10
        else { return nil }
        var position = opened + 1
        while true {
            guard let close = firstIndex(of: quote, from: position, to: limit), close + 1 < limit
            else { return nil }
            let next = close + 1
            switch next.pointee {
            case quote: position = next + 1
            case delimiter, 10: return next
            case 13 where next + 1 < limit && next[1] == 10: return next
            default: return nil
            }
        }
    }
}
