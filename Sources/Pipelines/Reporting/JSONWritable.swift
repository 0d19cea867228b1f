import Files

/// What can be written as JSON.
///
/// Notes, reports and log lines are small and written by every run, so they say themselves how
/// they are written: a short run took a fifth of its time to make a coder for each of their types.
package protocol JSONWritable {
    var json: JSONTree { get }
}

extension JSONTree {
    /// An object by the order of its names; members without a value are left out.
    package static func fields(
        _ members: KeyValuePairs<String, (any JSONWritable)?>
    ) -> JSONTree {
        sorted(members.compactMap { name, value in value.map { Member(name, $0.json) } })
    }

    /// An object by the order of its names; members without a value are null.
    static func columns(_ members: KeyValuePairs<String, (any JSONWritable)?>) -> JSONTree {
        sorted(members.map { name, value in Member(name, value?.json ?? .null) })
    }

    private static func sorted(_ members: [Member]) -> JSONTree {
        .object(members.sorted { $0.name < $1.name })
    }
}

extension JSONTree: JSONWritable {
    package var json: JSONTree { self }
}

extension String: JSONWritable {
    package var json: JSONTree { .text(self) }
}

extension FileName: JSONWritable {
    /// The name as text; as an object of its escaped text if it is not UTF-8.
    package var json: JSONTree {
        exactText.map { .text($0) }
            ?? .object([JSONTree.Member(Self.escapedKey, .text(escapedText))])
    }
}

extension Bool: JSONWritable {
    package var json: JSONTree { .boolean(self) }
}

extension JSONWritable where Self: BinaryInteger {
    package var json: JSONTree { .integer(Int64(self)) }
}

extension Int: JSONWritable {}
extension Int64: JSONWritable {}
extension Int32: JSONWritable {}
extension UInt8: JSONWritable {}

extension Double: JSONWritable {
    /// Whole numbers without a fraction; JSON has no word for one that is not finite.
    package var json: JSONTree {
        guard isFinite else { return .null }
        return Int64(exactly: self).map(JSONTree.integer) ?? .number(description)
    }
}

extension Array: JSONWritable where Element: JSONWritable {
    package var json: JSONTree { .list(map(\.json)) }
}

extension [String: Int]: JSONWritable {
    package var json: JSONTree {
        .object(sorted { $0.key < $1.key }.map { JSONTree.Member($0.key, $0.value.json) })
    }
}
