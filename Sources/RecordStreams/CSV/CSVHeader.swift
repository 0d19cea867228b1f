internal import Diagnostics

/// Reads the names of a table's columns from its first record.
struct CSVHeader {
    let source: String
    let recordBytesMax: Int
    let encoding: TextEncoding
    /// The byte that ends a line, for line numbers.
    let lineEnd: UInt8

    /// Returns the names, their positions, and the start of the next record, or `nil` if more data
    /// is needed.
    ///
    /// - Parameters:
    ///   - first: the first byte of the input.
    ///   - start: the first byte after the byte-order mark and blank lines.
    func names(
        _ first: Bytes, from start: Bytes, to limit: Bytes, isFinal: Bool, scanner: CSVScanner
    ) throws(RecordStreamError) -> (names: [String], places: [Bytes], next: Bytes)? {
        var scanner = scanner
        let arena = ByteArena()
        var capacity = 64
        while true {
            let fields = UnsafeMutablePointer<Field>.allocate(capacity: capacity)
            let slots = UnsafeMutablePointer<Int32>.allocate(capacity: capacity)
            defer {
                fields.deallocate()
                slots.deallocate()
            }
            for index in 0..<capacity { slots[index] = Int32(index) }
            let target = CSVScanner.Target(fields: fields, slots: slots, columnCount: capacity)
            // The number of bytes of the largest record with CRLF shows whether it is too big.
            let isLonger = limit - start > recordBytesMax + 2
            var outcome = scanner.record(
                start, limit: limit, isFinal: isFinal, target: target, arena: arena)
            if isLonger {
                // The bytes are in the reader's own chunk, so they are mutable.
                outcome = scanner.limited(
                    outcome, of: UnsafeMutablePointer(mutating: start), to: recordBytesMax + 2,
                    target: target, arena: arena)
            }
            switch outcome {
            case .incomplete:
                guard isLonger else { return nil }
                throw tooLong(at: start, first)
            case .incompleteInQuotes(let opened):
                guard isFinal || isLonger else { return nil }
                throw error(.unterminatedQuote, at: opened, first)
            case .bad(let fault, let place): throw error(fault, at: place, first)
            case .record(let next):
                if scanner.fieldCount > capacity {
                    capacity = scanner.fieldCount
                    continue
                }
                let end = scanner.recordEnd ?? next
                guard end - start <= recordBytesMax else { throw tooLong(at: start, first) }
                if let bad = UTF8Validation.firstInvalid(from: start, to: end) {
                    throw error(.invalidUTF8, at: bad, first)
                }
                let read = (0..<scanner.fieldCount).map { fields[$0] }
                // A name that contained doubled quotes was copied to the arena.
                let places = read.map { field in
                    field.start.map { Bytes($0) }.flatMap { (start..<end).contains($0) ? $0 : nil }
                        ?? start
                }
                return (read.map(\.text), places, next)
            }
        }
    }

    private func error(_ fault: CSVFault, at place: Bytes, _ first: Bytes) -> RecordStreamError {
        error(fault.recordFault(encoding).message, at: place, first)
    }

    /// Returns the error for a header that is longer than the largest record.
    func tooLong(at place: Bytes, _ first: Bytes) -> RecordStreamError {
        error("it is longer than \(recordBytesMax) bytes (`read.max-record`)", at: place, first)
    }

    /// Returns the error for an unusable header.
    func error(_ reason: String, at place: Bytes, _ first: Bytes) -> RecordStreamError {
        RecordStreamError(.csvHeader(reason: reason), at: location(of: place, first))
    }

    /// Returns the line and the column of a name.
    ///
    /// - Parameter first: the first byte of the input.
    func placeOfName(_ place: Bytes, _ first: Bytes) -> RecordLocation {
        var location = location(of: place, first)
        location.byteOffset = nil
        return location
    }

    private func location(of place: Bytes, _ first: Bytes) -> RecordLocation {
        var origin = ChunkOrigin()
        origin.lineEnd = lineEnd
        origin = origin.advanced(over: first, count: place - first)
        return RecordLocation(
            source: source, byteOffset: origin.byteOffset, line: origin.line, column: origin.column)
    }

    /// Returns the number of lines that end in these bytes, which are spaces and line ends.
    static func lineCount(from start: Bytes, to end: Bytes) -> Int {
        var count = 0
        var position = start
        while position < end {
            let isPair =
                position.pointee == 13 && position + 1 < end && (position + 1).pointee == 10
            count += position.pointee == UInt8(ascii: " ") ? 0 : 1
            position += isPair ? 2 : 1
        }
        return count
    }

    /// Returns the first byte that is not in a blank line, which is the start of a header.
    ///
    /// A line with only spaces is blank, too.
    func start(from start: Bytes, to limit: Bytes) -> Bytes {
        var line = start
        var position = start
        while position < limit {
            switch position.pointee {
            case 10, 13: line = position + 1
            case UInt8(ascii: " "): break
            default: return line
            }
            position += 1
        }
        return line
    }
}
