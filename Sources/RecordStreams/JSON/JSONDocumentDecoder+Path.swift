/// Navigation from the start of a document to its records, and from them to its end.
extension JSONDocumentDecoder {
    /// Reads the next token outside the records; returns `false` if more data is needed or it is
    /// invalid.
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
        case .recordMemberOrEnd where byte == UInt8(ascii: "}"):
            expectation = .afterValue
            position += 1
            return true
        case .recordMember, .recordMemberOrEnd:
            guard memberName(&position, end: parser.end, batch: batch) != nil else { return false }
            expectation = .record
            return true
        case .afterValue: return afterValue(&position, batch: batch)
        default: return fail(.unexpectedByte, at: position, batch: batch)
        }
    }

    private func value(
        _ position: inout Bytes, parser: inout JSONRecordParser, isFinal: Bool, batch: RecordBatch
    ) -> Bool {
        guard !JSONFault.isOfNoUTF8(position.pointee) else {
            return fail(.invalidUTF8, at: position, batch: batch)
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

    /// Reads the value at the path: the records of the target's type; `null` counts as no records.
    private func target(
        _ position: inout Bytes, parser: inout JSONRecordParser, isFinal: Bool, batch: RecordBatch
    ) -> Bool {
        switch (position.pointee, path.target) {
        case (UInt8(ascii: "["), .records), (UInt8(ascii: "["), .array):
            expectation = .recordOrEnd
            position += 1
        case (UInt8(ascii: "{"), .members):
            expectation = .recordMemberOrEnd
            position += 1
        case (UInt8(ascii: "{"), .records):
            let start = position
            guard record(&position, parser: &parser, isFinal: isFinal, batch: batch) else {
                return false
            }
            if skipper == nil { expectation = .afterValue }
            if path.text == "$" { checkIsRecord(start, position, limit: parser.end, batch: batch) }
        case (UInt8(ascii: "n"), _) where path.text != "$":
            // If it is not `null`, the skipper fails.
            skipper = JSONScanner(depthMax: store.depthMax)
        default:
            return fail(
                .jsonPathMismatch(
                    path: path.text, wanted: path.target.text,
                    others: path.otherPaths(to: position.pointee)),
                at: position, batch: batch)
        }
        hasFoundRecords = true
        return failure == nil
    }

    /// Fails if the entire document was read as one record but contains an array of records.
    private func checkIsRecord(_ start: Bytes, _ end: Bytes, limit: Bytes, batch: RecordBatch) {
        let hasNoField: Bool
        // For a record that is too big, only as much as every chunk contains.
        let end = batch.count > 0 ? end : min(limit, start + maxRecordBytes)
        if batch.count > 0 {
            let fields = batch.fields(of: batch.count - 1)
            hasNoField = !fields.isEmpty && fields.allSatisfy { $0.kind == .absent }
        } else {
            hasNoField = batch.rejects.last?.code == "too-big"
        }
        guard hasNoField, let path = JSONWrapper.pathOfRecords(from: start, to: end)
        else { return }
        batch.removeAll()
        fail(.jsonWrapped(path: path), at: start, batch: batch)
    }

    private func member(
        _ position: inout Bytes, parser: inout JSONRecordParser, batch: RecordBatch
    ) -> Bool {
        let start = position
        guard let name = memberName(&position, end: parser.end, batch: batch) else { return false }
        switch path.meet(name) {
        case .ahead: break
        case .elsewhere: skipper = JSONScanner(depthMax: store.depthMax)
        case .twice:
            return fail(
                "The name '\(name)' on the path \(path.text) comes twice", at: start, batch: batch)
        }
        expectation = .value
        return true
    }

    /// Reads the name of a member and its colon; `nil` if more data is needed or they are invalid.
    private func memberName(
        _ position: inout Bytes, end: Bytes, batch: RecordBatch
    ) -> String? {
        guard position.pointee == JSONToken.quote else {
            fail(.unexpectedByte, at: position, batch: batch)
            return nil
        }
        let text = position + 1
        var fault = JSONFault()
        let close = JSONToken.closingQuote(text, end: end, fault: &fault)
        let colon = close.map { JSONToken.skipSpace($0 + 1, end: end) }
        let known = colon ?? (fault.kind == .incomplete ? end : fault.place ?? end)
        // The limit makes the result independent of the chunk size.
        guard known - position <= maxRecordBytes else {
            fail("A name is longer than `read.max-record`", at: position, batch: batch)
            return nil
        }
        guard let close, let colon else {
            if fault.kind != .incomplete { fail(fault.kind, at: known, batch: batch) }
            return nil
        }
        guard colon < end else { return nil }
        guard colon.pointee == UInt8(ascii: ":") else {
            fail(.unexpectedByte, at: colon, batch: batch)
            return nil
        }
        position = colon + 1
        let output = batch.arena.allocate(close - text)
        let count = JSONToken.unescape(text, count: close - text, into: output)
        defer { batch.arena.giveBack(close - text) }
        return String(decoding: UnsafeBufferPointer(start: output, count: count), as: UTF8.self)
    }

    private func afterValue(_ position: inout Bytes, batch: RecordBatch) -> Bool {
        guard path.level > 0 else {
            if position.pointee == UInt8(ascii: "{"), recordCount == 1, path.text == "$" {
                // Objects on separate lines were detected before decoding started.
                return fail(.jsonSeveral, at: position, batch: batch)
            }
            return fail(.unexpectedByte, at: position, batch: batch)
        }
        let isObject = path.isInObject
        switch position.pointee {
        case UInt8(ascii: ","): expectation = isObject ? .member : .value
        case UInt8(ascii: "}") where isObject, UInt8(ascii: "]") where !isObject:
            return closeLevel(&position)
        default: return fail(.unexpectedByte, at: position, batch: batch)
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
