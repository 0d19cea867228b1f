/// What a format does: find the records in a chunk of bytes and store their fields.
///
/// Called once per batch, never per record.
protocol RecordDecoder: AnyObject {
    /// The byte that scanners want to find behind the last one of a chunk, and the one behind it.
    var terminator: (UInt8, UInt8) { get }
    /// The byte that ends a line, for counting.
    var lineEnd: UInt8 { get }
    /// Why the input cannot be read on.
    var failure: RecordStreamError? { get }
    /// The number of records met so far, good and bad.
    var recordCount: Int { get }

    /// The names of a table's columns, once its start is read.
    var columnNames: [String]? { get }

    /// The fields that nobody asked for, and in how many records they were met.
    var extraFields: [(name: String, count: Int)] { get }

    /// Reads the start of the input: a byte-order mark, a header.
    ///
    /// - Returns: the bytes consumed, or nil where more are needed.
    func begin(
        _ bytes: UnsafeBufferPointer<UInt8>, isFinal: Bool
    ) throws(RecordStreamError) -> Int?

    /// The blank lines before a header, once the start is read.
    var blankLinesBefore: Int { get }

    /// Adds records from the batch's chunk until the batch is full or the data ends.
    ///
    /// - Parameter isFinal: whether the input ends with the chunk.
    /// - Returns: the offset of the first byte that is still needed.
    func decode(into batch: RecordBatch, from offset: Int, isFinal: Bool) -> Int

    /// The records at the start of a chunk that a twin would read as this decoder does, whatever
    /// came before them.
    ///
    /// - Returns: none where only this decoder can tell.
    func piece(of chunk: ByteChunk, recordsMax: Int) -> Piece

    /// Another decoder for pieces of the same input, which counts its own records.
    func twin() -> (any RecordDecoder)?
}

/// Whole records at the start of a chunk, or of their lines those that may be blank.
struct Piece: Equatable {
    var byteCount = 0
    /// Records, or blank lines.
    var recordCount = 0
}

extension RecordDecoder {
    var lineEnd: UInt8 { 10 }
    var columnNames: [String]? { nil }
    var blankLinesBefore: Int { 0 }
    func piece(of chunk: ByteChunk, recordsMax: Int) -> Piece { Piece() }
    func twin() -> (any RecordDecoder)? { nil }

    /// Steps over a byte-order mark.
    func begin(
        _ bytes: UnsafeBufferPointer<UInt8>, isFinal: Bool
    ) throws(RecordStreamError) -> Int? {
        byteOrderMarkLength(bytes, isFinal: isFinal)
    }

    /// The length of a byte-order mark, or nil where it cannot be told yet.
    func byteOrderMarkLength(_ bytes: UnsafeBufferPointer<UInt8>, isFinal: Bool) -> Int? {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        if bytes.count < 3, !isFinal, bytes.elementsEqual(mark.prefix(bytes.count)) { return nil }
        return bytes.starts(with: mark) ? 3 : 0
    }
}
