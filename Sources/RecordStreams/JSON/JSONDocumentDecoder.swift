internal import Diagnostics

/// Decodes the records at a path in a JSON document of any size.
///
/// The path leads through objects by name and through arrays by `[*]`. With `$.data.items[*]`:
///
/// ```
/// {"meta": {…}, "data": {"total": 2, "items": [{"id": 1}, {"id": 2}]}, "end": true}
///  └ skipped, validated        └ skipped       └ record 1   └ record 2  └ skipped, validated
/// ```
///
/// A skipped value may have any size; a record may have `maxRecordBytes`. The decoder holds only
/// its level on the path and the next expected token, so it can stop at any byte.
///
/// A bad record is rejected alone if its brackets, commas, and colons are valid, because they
/// determine where it ends. Any other fault ends the document. For a record that is too big, this
/// fault is reported first, because its other faults may not be read yet.
final class JSONDocumentDecoder: RecordDecoder {
    /// What the next byte that is not white space must be.
    enum Expectation {
        case value
        case memberOrEnd
        case member
        case valueOrEnd
        case afterValue
        case recordOrEnd
        case record
        case recordMemberOrEnd
        case recordMember
        case afterRecord
        case endOfDocument
    }

    let terminator: (UInt8, UInt8) = (0, 0)
    private(set) var failure: RecordStreamError?
    private(set) var recordCount = 0

    private let source: String
    let store: JSONRecordStore
    let maxRecordBytes: Int
    private let encoding: TextEncoding

    var extraFields: [(name: String, count: Int)] { store.tree.extraFields }

    func forgetExtraFields() { store.tree.forgetMeetings() }

    var expectation = Expectation.value
    var path: JSONDocumentPath
    var hasFoundRecords = false
    /// The scanner that skips a value outside the path or a record that is too big; `nil`
    /// otherwise.
    var skipper: JSONScanner?
    private var isSkippingRecord = false
    /// The maximum nesting depth of a skipped record.
    private static let skippedDepthMax = 1 << 24

    init(
        source: String, selection: FieldSelection, options: ReadOptions
    ) throws(RecordStreamError) {
        self.source = source
        encoding = options.encoding
        path = try JSONDocumentPath(options.at, source: source)
        store = JSONRecordStore(selection, depthMax: options.depthMax)
        maxRecordBytes = options.maxRecordBytes
    }

    func decode(into batch: RecordBatch, isFinal: Bool) -> Int {
        let chunkStart = Bytes(batch.chunk.start)
        let limit = chunkStart + batch.chunk.count
        var position = chunkStart
        var parser = store.parser(for: batch)
        parser.end = limit
        defer { store.finish(parser, batch: batch) }
        while failure == nil, !batch.isFull {
            let before = position
            if let scanner = skipper {
                guard skip(scanner, &position, limit, isFinal: isFinal, batch: batch) else { break }
                continue
            }
            position = JSONToken.skipSpace(position, end: limit)
            if position >= limit {
                if isFinal { endOfInput(position, batch: batch) }
                break
            }
            guard advance(&position, parser: &parser, isFinal: isFinal, batch: batch) else {
                if isFinal, failure == nil {
                    fail(.incomplete, at: limit, batch: batch)
                }
                position = max(before, position)
                break
            }
        }
        return position - chunkStart
    }

    /// Reads the next token of the document; `false` if more data is needed or it is invalid.
    @inline(__always)
    private func advance(
        _ position: inout Bytes, parser: inout JSONRecordParser, isFinal: Bool, batch: RecordBatch
    ) -> Bool {
        switch expectation {
        case .record, .recordOrEnd:
            record(&position, parser: &parser, isFinal: isFinal, batch: batch)
        case .afterRecord: afterRecord(&position, batch: batch)
        default: advanceOnPath(&position, parser: &parser, isFinal: isFinal, batch: batch)
        }
    }

    @inline(__always)
    private func afterRecord(_ position: inout Bytes, batch: RecordBatch) -> Bool {
        let byte = position.pointee
        let isOfObject = path.target == .members
        if byte == UInt8(ascii: ",") {
            expectation = isOfObject ? .recordMember : .record
        } else if byte == (isOfObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
            expectation = .afterValue
        } else {
            return fail(.unexpectedByte, at: position, batch: batch)
        }
        position += 1
        return true
    }

    /// Continues to skip a value; `false` if the data or the document ends.
    private func skip(
        _ scanner: JSONScanner, _ position: inout Bytes, _ limit: Bytes, isFinal: Bool,
        batch: RecordBatch
    ) -> Bool {
        var scanner = scanner
        let status = scanner.run(&position, end: limit)
        skipper = scanner
        switch status {
        case .done: break
        case .more:
            guard isFinal else { return false }
            guard position == limit, scanner.isCompleteAtEnd else {
                return fail(.incomplete, at: limit, batch: batch)
            }
        case .failed:
            return fail(scanner.fault.kind, at: scanner.fault.place ?? position, batch: batch)
        }
        skipper = nil
        expectation = isSkippingRecord ? .afterRecord : .afterValue
        isSkippingRecord = false
        return true
    }

    // MARK: Records

    /// Reads a record; `false` if more data is needed or the document is invalid.
    @inline(__always)
    func record(
        _ position: inout Bytes, parser: inout JSONRecordParser, isFinal: Bool, batch: RecordBatch
    ) -> Bool {
        let start = position
        if start.pointee == UInt8(ascii: "{") {
            store.clear(&parser, batch: batch)
            if let end = parser.record(start), end - start <= maxRecordBytes {
                recordCount += 1
                store.keep(parser, start: start, end: end, number: recordCount, batch: batch)
                position = end
                expectation = .afterRecord
                return true
            }
        } else if start.pointee == UInt8(ascii: "]"), expectation == .recordOrEnd {
            position += 1
            expectation = .afterValue
            return true
        }
        return badRecord(&position, parser: &parser, isFinal: isFinal, batch: batch)
    }

    @inline(never)
    private func badRecord(
        _ position: inout Bytes, parser: inout JSONRecordParser, isFinal: Bool, batch: RecordBatch
    ) -> Bool {
        let start = position
        let limit = parser.end
        store.drop(parser)
        var fault = parser.fault
        parser.fault = JSONFault()
        if fault.kind == .incomplete {
            return incompleteRecord(&position, limit: limit, batch: batch)
        }
        if fault.kind == .none {
            let isObject = start.pointee == UInt8(ascii: "{")
            fault = JSONFault(kind: isObject ? .tooBig : .notAnObject, place: start)
            var scanner = JSONScanner(depthMax: store.depthMax)
            var end = start
            let status = scanner.run(&end, end: limit)
            if status == .more { return incompleteRecord(&position, limit: limit, batch: batch) }
            if status == .failed { fault = scanner.fault }
            let isNumber = JSONToken.isDigit(start.pointee) || start.pointee == UInt8(ascii: "-")
            if status == .done, isNumber, JSONScanner.isWordByte(end.pointee) {
                fault = JSONFault(kind: .badNumber, place: start)
            }
        }
        var scanner = JSONScanner(depthMax: Self.skippedDepthMax, isLenient: true)
        var end = start
        let status = scanner.run(&end, end: limit)
        let isTooBig = end - start > maxRecordBytes
        switch status {
        case .more: return incompleteRecord(&position, limit: limit, batch: batch)
        case .failed where isTooBig:
            // The fault ends the document when the skipper reaches it.
            return incompleteRecord(&position, limit: limit, batch: batch)
        case .failed:
            recordCount += 1
            return fail(fault.kind, at: fault.place ?? start, batch: batch)
        case .done: break
        }
        if isTooBig { fault = JSONFault(kind: .tooBig, place: start) }
        recordCount += 1
        let chunkStart = Bytes(batch.chunk.start)
        batch.reject(
            fault.kind.recordFault(encoding), number: recordCount, offset: start - chunkStart,
            byteCount: end - start, faultOffset: (fault.place ?? start) - chunkStart)
        position = end
        expectation = .afterRecord
        return true
    }

    /// Waits for more data for an incomplete record, or rejects it if it is already too big.
    private func incompleteRecord(
        _ position: inout Bytes, limit: Bytes, batch: RecordBatch
    ) -> Bool {
        guard limit - position > maxRecordBytes else { return false }
        recordCount += 1
        let offset = position - Bytes(batch.chunk.start)
        batch.reject(
            JSONFault.Kind.tooBig.recordFault(encoding), number: recordCount, offset: offset,
            byteCount: limit - position, faultOffset: offset)
        skipper = JSONScanner(depthMax: Self.skippedDepthMax, isLenient: true)
        isSkippingRecord = expectation == .record || expectation == .recordOrEnd
        return true
    }

    // MARK: Ends

    private func endOfInput(_ position: Bytes, batch: RecordBatch) {
        if expectation == .endOfDocument { return }
        guard expectation == .afterValue, path.level == 0 else {
            fail(.incomplete, at: position, batch: batch)
            return
        }
        expectation = .endOfDocument
        if !hasFoundRecords {
            failure = RecordStreamError(.jsonPathMissing(path: path.text), in: source)
        }
    }

    /// Ends the document with an error; returns `false`, so that readers can return its result.
    @discardableResult
    func fail(_ kind: JSONFault.Kind, at place: Bytes, batch: RecordBatch) -> Bool {
        if kind == .tooDeep { return fail(.jsonTooDeep, at: place, batch: batch) }
        let reason =
            kind == .incomplete ? "The document ends early" : kind.recordFault(encoding).message
        return fail(reason, at: place, batch: batch)
    }

    @discardableResult
    func fail(_ reason: String, at place: Bytes, batch: RecordBatch) -> Bool {
        fail(.jsonStructure(reason: reason), at: place, batch: batch)
    }

    @discardableResult
    func fail(_ kind: RecordStreamError.Kind, at place: Bytes, batch: RecordBatch) -> Bool {
        var location = batch.location(
            number: recordCount, offset: place - Bytes(batch.chunk.start), field: nil)
        if recordCount == 0 { location.record = nil }
        failure = RecordStreamError(kind, at: location)
        return false
    }
}
