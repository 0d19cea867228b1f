/// Finds the array of records in a document that was read as one record.
///
/// An example is `{"total": 2, "issues": [{…}, {…}]}`. Used only for messages: it reads only names
/// and brackets, and stops if the text is not valid JSON.
enum JSONWrapper {
    /// Objects inside more objects than this are not looked into.
    private static let depthMax = 4

    /// Returns the path of the first array whose first element is an object, for `read.at`.
    ///
    /// Without one, it returns the path of the first empty array, as in a response without records.
    ///
    /// - Parameter limit: the end of the available part of the document.
    static func pathOfRecords(from start: Bytes, to limit: Bytes) -> String? {
        for first in [UInt8(ascii: "{"), UInt8(ascii: "]")] {
            var names: [String] = []
            var position = start
            guard search(for: first, &position, limit, &names) else { continue }
            return "$." + names.map { FieldPath.escaped($0) }.joined(separator: ".") + "[*]"
        }
        return nil
    }

    /// Searches an object for an array whose next byte is `first`.
    ///
    /// - Returns: whether the array was found, with the names that lead to it. Otherwise, the
    ///   available part of the object was skipped.
    private static func search(
        for first: UInt8, _ position: inout Bytes, _ limit: Bytes, _ names: inout [String]
    ) -> Bool {
        position += 1
        while true {
            position = JSONToken.skipSpace(position, end: limit)
            guard position < limit, position.pointee == JSONToken.quote,
                let name = name(&position, limit)
            else { return false }
            position = JSONToken.skipSpace(position, end: limit)
            guard position < limit, position.pointee == UInt8(ascii: ":") else { return false }
            position = JSONToken.skipSpace(position + 1, end: limit)
            guard position < limit else { return false }
            names.append(name)
            // A path cannot contain an empty name.
            if isArray(position, limit, of: first), !names.contains("") { return true }
            if position.pointee == UInt8(ascii: "{"), names.count < depthMax {
                if search(for: first, &position, limit, &names) { return true }
            } else {
                var scanner = JSONScanner(depthMax: 1 << 24, isLenient: true)
                guard scanner.run(&position, end: limit) == .done else { return false }
            }
            names.removeLast()
            position = JSONToken.skipSpace(position, end: limit)
            guard position < limit else { return false }
            let byte = position.pointee
            position += 1
            guard byte == UInt8(ascii: ",") else { return false }
        }
    }

    private static func name(_ position: inout Bytes, _ limit: Bytes) -> String? {
        let text = position + 1
        var fault = JSONFault()
        guard let close = JSONToken.closingQuote(text, end: limit, fault: &fault) else {
            return nil
        }
        position = close + 1
        return String(decoding: JSONToken.unescaped(text, count: close - text), as: UTF8.self)
    }

    private static func isArray(
        _ position: Bytes, _ limit: Bytes, of first: UInt8
    ) -> Bool {
        guard position.pointee == UInt8(ascii: "[") else { return false }
        let next = JSONToken.skipSpace(position + 1, end: limit)
        return next < limit && next.pointee == first
    }
}
