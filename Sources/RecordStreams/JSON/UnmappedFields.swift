/// Names the fields of a JSON record that nobody asked for.
///
/// For messages: the record is gone through once more, by names and not by places.
package enum UnmappedFields {
    /// The paths in the order of the record; inside objects that something was asked of, too.
    package static func names(
        in record: UnsafeBufferPointer<UInt8>, _ selection: FieldSelection
    ) -> [String] {
        guard let start = record.baseAddress else { return [] }
        var walk = Walk(
            end: start + record.count,
            wanted: selection.paths.flatMap { [$0.steps, $0.flatSteps].compactMap(\.self) })
        _ = walk.value(start, at: [])
        return walk.found
    }

    private struct Walk {
        let end: UnsafePointer<UInt8>
        let wanted: [[FieldPath.Step]]
        var found: [String] = []
        var fault = JSONFault()

        /// Goes through a value that leads to something asked for.
        ///
        /// - Returns: the byte after it; nil where the record is no JSON.
        mutating func value(
            _ start: UnsafePointer<UInt8>, at path: [FieldPath.Step]
        ) -> UnsafePointer<UInt8>? {
            let position = JSONToken.skipSpace(start, end: end)
            guard position < end else { return nil }
            // Something inside a value may be asked for beside the value itself.
            guard path.isEmpty || wanted.contains(where: { $0 != path && $0.starts(with: path) })
            else { return skip(position) }
            switch position.pointee {
            case UInt8(ascii: "{"): return members(position + 1, at: path)
            case UInt8(ascii: "["): return elements(position + 1, at: path + [.each])
            default: return skip(position)
            }
        }

        private mutating func members(
            _ start: UnsafePointer<UInt8>, at path: [FieldPath.Step]
        ) -> UnsafePointer<UInt8>? {
            var position = JSONToken.skipSpace(start, end: end)
            while position < end, position.pointee == JSONToken.quote {
                let text = position + 1
                guard let close = JSONToken.closingQuote(text, end: end, fault: &fault) else {
                    return nil
                }
                let member = path + [.name(Self.name(text, close - text))]
                position = JSONToken.skipSpace(close + 1, end: end)
                guard position < end, position.pointee == UInt8(ascii: ":") else { return nil }
                let isWanted = wanted.contains { $0.starts(with: member) }
                if !isWanted { note(member) }
                guard let next = isWanted ? value(position + 1, at: member) : skip(position + 1)
                else { return nil }
                position = JSONToken.skipSpace(next, end: end)
                guard position < end, position.pointee == UInt8(ascii: ",") else { break }
                position = JSONToken.skipSpace(position + 1, end: end)
            }
            return position < end ? position + 1 : nil
        }

        private mutating func elements(
            _ start: UnsafePointer<UInt8>, at path: [FieldPath.Step]
        ) -> UnsafePointer<UInt8>? {
            var position = JSONToken.skipSpace(start, end: end)
            while position < end, position.pointee != UInt8(ascii: "]") {
                guard let next = value(position, at: path) else { return nil }
                position = JSONToken.skipSpace(next, end: end)
                guard position < end, position.pointee == UInt8(ascii: ",") else { break }
                position = JSONToken.skipSpace(position + 1, end: end)
            }
            return position < end ? position + 1 : nil
        }

        private func skip(_ start: UnsafePointer<UInt8>) -> UnsafePointer<UInt8>? {
            var position = JSONToken.skipSpace(start, end: end)
            guard position < end else { return nil }
            // The scanner does not see the end of a number or word on its own.
            switch position.pointee {
            case UInt8(ascii: "{"), UInt8(ascii: "["), JSONToken.quote:
                var scanner = JSONScanner(depthMax: 1024)
                return scanner.run(&position, end: end) == .done ? position : nil
            default:
                while position < end, position.pointee != UInt8(ascii: ","),
                    position.pointee != UInt8(ascii: "}"), position.pointee != UInt8(ascii: "]"),
                    !JSONToken.isSpace(position.pointee)
                {
                    position += 1
                }
                return position
            }
        }

        private static func name(_ start: UnsafePointer<UInt8>, _ count: Int) -> String {
            let output = UnsafeMutablePointer<UInt8>.allocate(capacity: max(1, count))
            defer { output.deallocate() }
            let length = JSONToken.unescape(start, count: count, into: output)
            return String(
                decoding: UnsafeBufferPointer(start: output, count: length), as: UTF8.self)
        }

        private mutating func note(_ path: [FieldPath.Step]) {
            let text = FieldPath.text(of: path)
            if !found.contains(text) { found.append(text) }
        }
    }
}
