internal import Diagnostics

/// Reads the names of a table's columns from its first record.
struct CSVHeader {
    typealias Bytes = UnsafePointer<UInt8>

    let source: String
    let recordBytesMax: Int
    /// The byte that ends a line, for counting.
    let lineEnd: UInt8

    /// The names, and where the next record starts; nil where more data is needed.
    ///
    /// - Parameters:
    ///   - first: the first byte of the input.
    ///   - start: the first byte behind the byte-order mark.
    func names(
        _ first: Bytes, from start: Bytes, to limit: Bytes, isFinal: Bool, scanner: CSVScanner
    ) throws(RecordStreamError) -> (names: [String], next: Bytes)? {
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
            // As many bytes as the largest record has with CRLF tell whether it is too big.
            let isLonger = limit - start > recordBytesMax + 2
            switch scanner.record(
                start, limit: limit, isFinal: isFinal, target: target, arena: arena)
            {
            case .cut:
                guard isLonger else { return nil }
                throw error(.tooBig, at: start, first)
            case .cutInQuotes(let opened):
                guard isFinal || isLonger else { return nil }
                throw error(.unterminatedQuote, at: opened, first)
            case .bad(let fault, let place): throw error(fault, at: place, first)
            case .record(let next):
                if scanner.fieldCount > capacity {
                    capacity = scanner.fieldCount
                    continue
                }
                let end = scanner.recordEnd ?? next
                guard end - start <= recordBytesMax else { throw error(.tooBig, at: start, first) }
                if let bad = UTF8Validation.firstInvalid(from: start, to: end) {
                    throw error(.invalidUTF8, at: bad, first)
                }
                return ((0..<scanner.fieldCount).map { fields[$0].text }, next)
            }
        }
    }

    /// The error of a first line that is blank.
    func namesNothing(_ first: Bytes, at start: Bytes) -> RecordStreamError {
        error("the first line names no column", at: start, first)
    }

    private func error(_ fault: CSVFault, at place: Bytes, _ first: Bytes) -> RecordStreamError {
        error(fault.recordFault.message, at: place, first)
    }

    private func error(_ reason: String, at place: Bytes, _ first: Bytes) -> RecordStreamError {
        var origin = ChunkOrigin()
        origin.lineEnd = lineEnd
        origin = origin.advanced(over: first, count: place - first)
        return RecordStreamError(
            .csvHeader(reason: reason),
            at: RecordLocation(
                source: source, byteOffset: origin.byteOffset, line: origin.line,
                column: origin.column))
    }
}
