import Files

/// A type whose values can be written as JSON.
///
/// Notes, reports, and log lines are small, and every run writes them. `Codable` is not used:
/// setting up an encoder for each of their types took a fifth of the time of a short run.
package protocol JSONWritable {
    /// The value as a JSON tree.
    var json: JSONTree { get }
}

extension JSONTree {
    /// Returns an object with its members sorted by name; members without a value are omitted.
    package static func fields(
        _ members: KeyValuePairs<String, (any JSONWritable)?>
    ) -> JSONTree {
        sorted(members.compactMap { name, value in value.map { Member(name, $0.json) } })
    }

    /// Returns an object with its members sorted by name; members without a value are null.
    static func columns(_ members: KeyValuePairs<String, (any JSONWritable)?>) -> JSONTree {
        sorted(members.map { name, value in Member(name, value?.json ?? .null) })
    }

    private static func sorted(_ members: [Member]) -> JSONTree {
        .object(members.sorted { $0.name < $1.name })
    }
}

extension JSONTree: JSONWritable {
    /// The tree itself.
    package var json: JSONTree { self }
}

extension String: JSONWritable {
    /// The text as a JSON string.
    package var json: JSONTree { .text(self) }
}

extension FileName: JSONWritable {
    /// The name as a string; if it is not UTF-8, an object with the escaped name.
    package var json: JSONTree {
        exactText.map { .text($0) }
            ?? .object([JSONTree.Member(Self.escapedKey, .text(escapedText))])
    }
}

extension Bool: JSONWritable {
    /// The value as `true` or `false`.
    package var json: JSONTree { .boolean(self) }
}

extension JSONWritable where Self: BinaryInteger {
    /// The number as a JSON integer; it must fit in an `Int64`.
    package var json: JSONTree { .integer(Int64(self)) }
}

extension Int: JSONWritable {}
extension Int64: JSONWritable {}
extension Int32: JSONWritable {}
extension UInt8: JSONWritable {}

extension Double: JSONWritable {
    /// The number, without a fraction if it is an integer; null if it is not finite.
    package var json: JSONTree {
        guard isFinite else { return .null }
        return Int64(exactly: self).map(JSONTree.integer) ?? .number(description)
    }
}

extension Array: JSONWritable where Element: JSONWritable {
    /// The elements as a JSON array, in the same order.
    package var json: JSONTree { .list(map(\.json)) }
}

extension [String: Int]: JSONWritable {
    /// The dictionary as a JSON object with its members sorted by name.
    package var json: JSONTree {
        .object(sorted { $0.key < $1.key }.map { JSONTree.Member($0.key, $0.value.json) })
    }
}
