import FoundationEssentials
import RecordStreams

extension TestValue {
    /// The value as JSON in one line.
    var json: String {
        switch self {
        case .null: "null"
        case .boolean(let value): value ? "true" : "false"
        case .number(let text): text
        case .text(let text): JSONText.quoted(text)
        case .list(let items): "[\(items.map(\.json).joined(separator: ", "))]"
        case .object(let members): Self.object(members)
        }
    }

    static func object(_ members: [TestMember]) -> String {
        let parts = members.map { "\(JSONText.quoted($0.name)): \($0.value.json)" }
        return "{\(parts.joined(separator: ", "))}"
    }

    /// The value as a field of a table; null is an empty field.
    ///
    /// Only texts that require it are quoted, so an unquoted text can represent null.
    var field: String {
        let text: String
        switch self {
        case .null: return ""
        case .boolean, .number: return json
        case .text(let value): text = value
        case .list, .object: text = json
        }
        let mustBeQuoted = text.isEmpty || text.utf8.contains { [10, 13, 34, 44].contains($0) }
        return mustBeQuoted ? "\"\(text.replacing("\"", with: "\"\""))\"" : text
    }
}

extension TestValue: Decodable {
    private struct Name: CodingKey {
        var stringValue: String
        var intValue: Int?

        init(stringValue: String) { self.stringValue = stringValue }

        init(intValue: Int) {
            stringValue = String(intValue)
            self.intValue = intValue
        }
    }

    /// Decodes any JSON value.
    ///
    /// Members of objects are sorted by name. A number is read as an `Int64` if possible, otherwise
    /// as a `Double`.
    ///
    /// - Throws: The error of the decoder if the value has no supported type.
    package init(from decoder: any Decoder) throws {
        // The type of a value is found by trying one after the other; the last one throws.
        if let members = try? decoder.container(keyedBy: Name.self) {
            self = .object(
                try members.allKeys.sorted { $0.stringValue < $1.stringValue }.map {
                    TestMember($0.stringValue, try members.decode(TestValue.self, forKey: $0))
                })
            return
        }
        if var items = try? decoder.unkeyedContainer() {
            var list: [TestValue] = []
            while !items.isAtEnd { list.append(try items.decode(TestValue.self)) }
            self = .list(list)
            return
        }
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let flag = try? value.decode(Bool.self) {
            self = .boolean(flag)
        } else if let number = try? value.decode(Int64.self) {
            self = .number(String(number))
        } else if let number = try? value.decode(Double.self) {
            self = .number("\(number)")
        } else {
            self = .text(try value.decode(String.self))
        }
    }
}
