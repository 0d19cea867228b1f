/// Decodes newline-delimited JSON: one object per line.
///
/// A line ends with LF or CRLF. Lines of white space that are no larger than the largest record are
/// skipped. A fault affects only its own line, because the next record starts where the line ends.
final class NDJSONDecoder: RecordDecoder {
    let terminator: (UInt8, UInt8) = (10, 0)
    let failure: RecordStreamError? = nil
    private(set) var recordCount = 0

    private let store: JSONRecordStore
    private let maxRecordBytes: Int
    private let selection: FieldSelection
    private let options: ReadOptions
    private let cutter: PieceSplitter

    var extraFields: [(name: String, count: Int)] { store.tree.extraFields }

    func forgetExtraFields() { store.tree.forgetMeetings() }

    private var isSkippingLine = false

    init(selection: FieldSelection, options: ReadOptions) {
        store = JSONRecordStore(selection, depthMax: options.depthMax)
        maxRecordBytes = options.maxRecordBytes
        self.selection = selection
        self.options = options
        cutter = PieceSplitter(quoting: nil, recordBytesMax: options.maxRecordBytes)
    }

    func piece(of chunk: ByteChunk, recordsMax: Int) -> Piece {
        isSkippingLine ? Piece() : cutter.piece(of: chunk, recordsMax: recordsMax)
    }

    func twin() -> (any RecordDecoder)? {
        NDJSONDecoder(selection: selection, options: options)
    }

    func decode(into batch: RecordBatch, isFinal: Bool) -> Int {
        let chunkStart = Bytes(batch.chunk.start)
        let limit = chunkStart + batch.chunk.count
        var position = chunkStart
        var parser = store.parser(for: batch)
        defer { store.finish(parser, batch: batch) }
        while position < limit, !batch.isFull {
            let newline = firstIndex(of: 10, from: position, to: limit)
            if isSkippingLine {
                guard let newline else { return batch.chunk.count }
                isSkippingLine = false
                position = newline + 1
                continue
            }
            guard let lineEnd = newline ?? (isFinal ? limit : nil) else {
                // The chunk may already contain the CR of the largest record.
                if limit - position > maxRecordBytes + 1 {
                    rejectTooBig(position, limit, batch: batch)
                    isSkippingLine = true
                    return batch.chunk.count
                }
                break
            }
            let next = newline.map { $0 + 1 } ?? limit
            let end = lineEnd > position && lineEnd[-1] == 13 ? lineEnd - 1 : lineEnd
            line(position, end, parser: &parser, batch: batch)
            position = next
        }
        return position - chunkStart
    }

    @inline(__always)
    private func line(
        _ start: Bytes, _ end: Bytes, parser: inout JSONRecordParser, batch: RecordBatch
    ) {
        let first = JSONToken.skipSpace(start, end: end)
        // A longer blank line is too big, because its length may not be known completely.
        if first >= end, end - start <= maxRecordBytes {
            batch.addBlankLines()
            return
        }
        recordCount += 1
        if end - start > maxRecordBytes {
            recordCount -= 1
            rejectTooBig(start, end, batch: batch)
            return
        }
        parser.end = end
        if first.pointee == UInt8(ascii: "{") {
            store.clear(&parser, batch: batch)
            if let after = parser.record(first), JSONToken.skipSpace(after, end: end) >= end {
                store.keep(parser, start: start, end: end, number: recordCount, batch: batch)
                return
            }
        }
        reject(start, end, first: first, parser: &parser, batch: batch)
    }

    @inline(never)
    private func reject(
        _ start: Bytes, _ end: Bytes, first: Bytes, parser: inout JSONRecordParser,
        batch: RecordBatch
    ) {
        store.drop(parser)
        var fault = parser.fault
        parser.fault = JSONFault()
        if fault.kind == .none {
            // The first value is valid or is not an object: find the fault in the rest of the line.
            fault = JSONFault()
            fault = otherFault(first, end, isObject: first.pointee == UInt8(ascii: "{"))
        }
        let chunkStart = Bytes(batch.chunk.start)
        var told = fault.kind.recordFault(options.encoding)
        if fault.kind == .notAnObject, first.pointee == UInt8(ascii: "[") {
            told.fix = "set `read.as: json` if the file is one JSON array"
        }
        batch.reject(
            told, number: recordCount, offset: start - chunkStart,
            byteCount: end - start, faultOffset: (fault.place ?? start) - chunkStart)
    }

    private func otherFault(_ first: Bytes, _ end: Bytes, isObject: Bool) -> JSONFault {
        var position = first
        var values = 0
        while position < end {
            let start = position
            var scanner = JSONScanner(depthMax: store.depthMax)
            let status = scanner.run(&position, end: end)
            guard status == .done || (status == .more && scanner.isCompleteAtEnd) else {
                if scanner.fault.kind != .none { return scanner.fault }
                return JSONFault(kind: .incomplete, place: position)
            }
            let isNumber = JSONToken.isDigit(start.pointee) || start.pointee == UInt8(ascii: "-")
            if isNumber, position < end, JSONScanner.isWordByte(position.pointee) {
                return JSONFault(kind: .badNumber, place: start)
            }
            values += 1
            if values == 2 { return JSONFault(kind: .twoValues, place: start) }
            position = JSONToken.skipSpace(position, end: end)
        }
        return JSONFault(kind: .notAnObject, place: first)
    }

    private func rejectTooBig(_ start: Bytes, _ end: Bytes, batch: RecordBatch) {
        recordCount += 1
        let offset = start - Bytes(batch.chunk.start)
        batch.reject(
            JSONFault.Kind.tooBig.recordFault(options.encoding), number: recordCount,
            offset: offset,
            byteCount: end - start, faultOffset: offset)
    }
}
