/// The way from the start of a document to its records, and from there to its end.
extension JSONDocumentDecoder {
    /// Takes the next piece outside the records; false where more data is needed or it is bad.
    @inline(never)
    func advanceOnPath(
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
        guard !JSONFault.isOfNoUTF8(position.pointee) else {
            fail(.invalidUTF8, at: position, batch: batch)
            return false
        }
        if path.isAtEnd {
            return target(&position, parser: &parser, isFinal: isFinal, batch: batch)
        }
        guard path.enter(position.pointee) else {
            skipper = JSONScanner(depthMax: store.depthMax)
            return true
        }
        expectation = path.isInObject ? .memberOrEnd : .valueOrEnd
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
        guard position.pointee == UInt8(ascii: "{"), !path.wantsArray else {
            fail(
                "The value at \(path.text) is not "
                    + (path.wantsArray ? "an array" : "an array of objects or an object"),
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
        switch path.meet(name) {
        case .ahead: break
        case .beside: skipper = JSONScanner(depthMax: store.depthMax)
        case .twice:
            fail(
                "The name '\(name)' on the path \(path.text) comes twice", at: position,
                batch: batch)
            return false
        }
        expectation = .value
        position = colon + 1
        return true
    }

    private func afterValue(_ position: inout Bytes, batch: RecordBatch) -> Bool {
        guard path.level > 0 else {
            fail(.unexpectedByte, at: position, batch: batch)
            return false
        }
        let isObject = path.isInObject
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
        path.leave()
        position += 1
        expectation = .afterValue
        return true
    }
}
