internal import Diagnostics

/// A JSON document of any size, from which the records at a path are taken.
///
/// The path leads through objects by name and through arrays by `[*]`. With `$.data.items[*]`:
///
/// ```
/// {"meta": {…}, "data": {"total": 2, "items": [{"id": 1}, {"id": 2}]}, "end": true}
///  └ skipped, validated        └ skipped       └ record 1   └ record 2  └ skipped, validated
/// ```
///
/// What is skipped may be of any size; a record may have `maxRecordBytes`. The decoder holds only
/// its level on the path and what it expects next, so that it can stop at any byte.
///
/// A bad record is rejected alone as long as its brackets, commas and colons are right, because
/// they tell where it ends. Anything else ends the document.
final class JSONDocumentDecoder: RecordDecoder {
    typealias Bytes = UnsafePointer<UInt8>

    /// What the next byte that is not white space must be.
    private enum Expectation {
        case value
        case memberOrEnd
        case member
        case valueOrEnd
        case afterValue
        case recordOrEnd
        case record
        case afterRecord
        case endOfDocument
    }

    let terminator: (UInt8, UInt8) = (0, 0)
    private(set) var failure: RecordStreamError?
    private(set) var recordCount = 0

    private let source: String
    private let steps: [FieldPath.Step]
    private let pathText: String
    private let wantsArray: Bool
    private let store: JSONRecordStore
    private let maxRecordBytes: Int

    var extraFields: [(name: String, count: Int)] { store.tree.extraFields }

    private var expectation = Expectation.value
    /// The brackets open on the path.
    private var level = 0
    /// Whether the name of a level was met in the object that is open there.
    private var hasMetName: [Bool]
    private var hasFoundRecords = false
    private var skipper: JSONScanner?
    private var isSkippingRecord = false

    init(
        source: String, selection: FieldSelection, options: ReadOptions
    ) throws(RecordStreamError) {
        self.source = source
        pathText = options.at
        var steps = try Self.steps(of: options.at, source: source)
        wantsArray = steps.last == .each
        if wantsArray { steps.removeLast() }
        self.steps = steps
        hasMetName = Array(repeating: false, count: steps.count)
        store = JSONRecordStore(selection, depthMax: options.depthMax)
        maxRecordBytes = options.maxRecordBytes
    }

    private static func steps(
        of path: String, source: String
    ) throws(RecordStreamError) -> [FieldPath.Step] {
        do {
            return try FieldPath.documentSteps(path)
        } catch {
            throw RecordStreamError(.badPath(path: path, reason: error.reason), in: source)
        }
    }

    func decode(into batch: RecordBatch, from offset: Int, isFinal: Bool) -> Int {
        let chunkStart = Bytes(batch.chunk.start)
        let limit = chunkStart + batch.chunk.count
        var position = chunkStart + offset
        var parser = store.parser(for: batch)
        parser.end = limit
        defer { store.finish(parser, batch: batch) }
        while failure == nil, !batch.isFull {
            let before = position
            if skipper != nil {
                guard skip(&position, limit, isFinal: isFinal, batch: batch) else { break }
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

    /// Takes the next piece of the document; false where more data is needed or it is bad.
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
        if byte == UInt8(ascii: ",") {
            expectation = .record
        } else if byte == UInt8(ascii: "]") {
            expectation = .afterValue
        } else {
            fail(.unexpectedByte, at: position, batch: batch)
            return false
        }
        position += 1
        return true
    }

    // MARK: On the path

    @inline(never)
    private func advanceOnPath(
        _ position: inout Bytes, parser: inout JSONRecordParser, isFinal: Bool, batch: RecordBatch
    ) -> Bool {
        let byte = position.pointee
        switch expectation {
        case .value:
            return value(&position, parser: &parser, isFinal: isFinal, batch: batch)
        case .valueOrEnd:
            if byte == UInt8(ascii: "]") { return closeLevel(&position) }
            expectation = .value
            return true
        case .memberOrEnd where byte == UInt8(ascii: "}"): return closeLevel(&position)
        case .member, .memberOrEnd: return member(&position, parser: &parser, batch: batch)
        case .afterValue: return afterValue(&position, batch: batch)
        default:
            fail(.unexpectedByte, at: position, batch: batch)
            return false
        }
    }

    private func value(
        _ position: inout Bytes, parser: inout JSONRecordParser, isFinal: Bool, batch: RecordBatch
    ) -> Bool {
        let byte = position.pointee
        guard level < steps.count else {
            return target(&position, parser: &parser, isFinal: isFinal, batch: batch)
        }
        switch (steps[level], byte) {
        case (.name, UInt8(ascii: "{")):
            hasMetName[level] = false
            expectation = .memberOrEnd
        case (.each, UInt8(ascii: "[")): expectation = .valueOrEnd
        default:
            skipper = JSONScanner(depthMax: store.depthMax)
            return true
        }
        level += 1
        position += 1
        return true
    }

    /// Comes to the value at the path: an array of records or a single one.
    private func target(
        _ position: inout Bytes, parser: inout JSONRecordParser, isFinal: Bool, batch: RecordBatch
    ) -> Bool {
        if position.pointee == UInt8(ascii: "[") {
            hasFoundRecords = true
            expectation = .recordOrEnd
            position += 1
            return true
        }
        guard position.pointee == UInt8(ascii: "{"), !wantsArray else {
            failure = structureError(
                "The value at \(pathText) is not "
                    + (wantsArray ? "an array" : "an array of objects or an object"),
                at: position, batch: batch)
            return false
        }
        hasFoundRecords = true
        guard record(&position, parser: &parser, isFinal: isFinal, batch: batch) else {
            return false
        }
        if skipper == nil { expectation = .afterValue }
        return true
    }

    private func member(
        _ position: inout Bytes, parser: inout JSONRecordParser, batch: RecordBatch
    ) -> Bool {
        guard position.pointee == JSONToken.quote else {
            fail(.unexpectedByte, at: position, batch: batch)
            return false
        }
        let text = position + 1
        var fault = JSONFault()
        guard let close = JSONToken.closingQuote(text, end: parser.end, fault: &fault) else {
            return needsMore(fault, position, limit: parser.end, batch: batch)
        }
        let colon = JSONToken.skipSpace(close + 1, end: parser.end)
        if colon >= parser.end {
            return needsMore(
                JSONFault(kind: .incomplete, place: colon), position, limit: parser.end,
                batch: batch)
        }
        guard colon.pointee == UInt8(ascii: ":") else {
            fail(.unexpectedByte, at: colon, batch: batch)
            return false
        }
        let output = batch.arena.allocate(close - text)
        let count = JSONToken.unescape(text, count: close - text, into: output)
        let name = String(
            decoding: UnsafeBufferPointer(start: output, count: count), as: UTF8.self)
        batch.arena.giveBack(close - text)
        if case .name(let wanted) = steps[level - 1], Array(name.utf8) == Array(wanted.utf8) {
            guard !hasMetName[level - 1] else {
                failure = structureError(
                    "The name '\(name)' on the path \(pathText) comes twice", at: position,
                    batch: batch)
                return false
            }
            hasMetName[level - 1] = true
        } else {
            skipper = JSONScanner(depthMax: store.depthMax)
        }
        expectation = .value
        position = colon + 1
        return true
    }

    private func afterValue(_ position: inout Bytes, batch: RecordBatch) -> Bool {
        guard level > 0 else {
            fail(.unexpectedByte, at: position, batch: batch)
            return false
        }
        let isObject = steps[level - 1] != .each
        switch position.pointee {
        case UInt8(ascii: ","): expectation = isObject ? .member : .value
        case UInt8(ascii: "}") where isObject, UInt8(ascii: "]") where !isObject:
            return closeLevel(&position)
        default:
            fail(.unexpectedByte, at: position, batch: batch)
            return false
        }
        position += 1
        return true
    }

    private func closeLevel(_ position: inout Bytes) -> Bool {
        level -= 1
        position += 1
        expectation = .afterValue
        return true
    }

    /// Goes on skipping a value; false where the data or the document ends.
    private func skip(
        _ position: inout Bytes, _ limit: Bytes, isFinal: Bool, batch: RecordBatch
    ) -> Bool {
        guard var scanner = skipper else { return true }
        let status = scanner.run(&position, end: limit)
        skipper = scanner
        switch status {
        case .done: break
        case .more:
            guard isFinal else { return false }
            guard position == limit, scanner.isCompleteAtEnd else {
                fail(.incomplete, at: limit, batch: batch)
                return false
            }
        case .failed:
            fail(scanner.fault.kind, at: scanner.fault.place ?? position, batch: batch)
            return false
        }
        skipper = nil
        expectation = isSkippingRecord ? .afterRecord : .afterValue
        isSkippingRecord = false
        return true
    }

    // MARK: Records

    /// Reads a record; false where more data is needed or the document is bad.
    @inline(__always)
    private func record(
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
        if fault.kind == .incomplete { return cutRecord(&position, limit: limit, batch: batch) }
        if fault.kind == .none {
            let isObject = start.pointee == UInt8(ascii: "{")
            fault = JSONFault(kind: isObject ? .tooBig : .notAnObject, place: start)
            var scanner = JSONScanner(depthMax: store.depthMax)
            var end = start
            let status = scanner.run(&end, end: limit)
            if status == .more { return cutRecord(&position, limit: limit, batch: batch) }
            if status == .failed { fault = scanner.fault }
        }
        var scanner = JSONScanner(depthMax: 1 << 24, isLenient: true)
        var end = start
        switch scanner.run(&end, end: limit) {
        case .more: return cutRecord(&position, limit: limit, batch: batch)
        case .failed:
            recordCount += 1
            fail(fault.kind, at: fault.place ?? start, batch: batch)
            return false
        case .done: break
        }
        recordCount += 1
        let chunkStart = Bytes(batch.chunk.start)
        batch.reject(
            fault.kind.recordFault, number: recordCount, offset: start - chunkStart,
            byteCount: end - start, faultOffset: (fault.place ?? start) - chunkStart)
        position = end
        expectation = .afterRecord
        return true
    }

    /// A record that the data cuts: wait for more, unless it is too big already.
    private func cutRecord(
        _ position: inout Bytes, limit: Bytes, batch: RecordBatch
    ) -> Bool {
        guard limit - position > maxRecordBytes else { return false }
        recordCount += 1
        let offset = position - Bytes(batch.chunk.start)
        batch.reject(
            JSONFault.Kind.tooBig.recordFault, number: recordCount, offset: offset,
            byteCount: limit - position, faultOffset: offset)
        skipper = JSONScanner(depthMax: store.depthMax)
        isSkippingRecord = expectation == .record || expectation == .recordOrEnd
        return true
    }

    // MARK: Ends

    private func needsMore(
        _ fault: JSONFault, _ position: Bytes, limit: Bytes, batch: RecordBatch
    ) -> Bool {
        if fault.kind != .incomplete || limit - position > maxRecordBytes {
            fail(fault.kind, at: fault.place ?? position, batch: batch)
        }
        return false
    }

    private func endOfInput(_ position: Bytes, batch: RecordBatch) {
        if expectation == .endOfDocument { return }
        guard expectation == .afterValue, level == 0 else {
            fail(.incomplete, at: position, batch: batch)
            return
        }
        expectation = .endOfDocument
        if !hasFoundRecords {
            failure = RecordStreamError(.jsonPathMissing(path: pathText), in: source)
        }
    }

    private func fail(_ kind: JSONFault.Kind, at place: Bytes, batch: RecordBatch) {
        let reason = kind == .incomplete ? "The document ends early" : kind.recordFault.message
        failure = structureError(reason, at: place, batch: batch)
    }

    private func structureError(
        _ reason: String, at place: Bytes, batch: RecordBatch
    ) -> RecordStreamError {
        var location = batch.location(
            number: recordCount, offset: place - Bytes(batch.chunk.start), field: nil)
        if recordCount == 0 { location.record = nil }
        return RecordStreamError(.jsonStructure(reason: reason), at: location)
    }
}
