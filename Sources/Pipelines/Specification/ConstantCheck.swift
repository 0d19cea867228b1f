import GraphModel

/// Whether a constant of a spec can be the value of an attribute, by the casts of imports.
enum ConstantCheck {
    /// What the value should be instead, or nil where it is good or not known before the run.
    static func wanted(_ constant: ConstantValue, for attribute: AttributeDescription) -> String? {
        switch constant {
        case .null: return nil
        case .boolean: return attribute.type == .boolean ? nil : wanted(attribute.type)
        case .integer(let number):
            return fits(String(number), attribute.type, isNumber: true)
                ? nil : wanted(attribute.type)
        case .real(_, let text):
            return fits(text, attribute.type, isNumber: true) ? nil : wanted(attribute.type)
        case .text(let template):
            guard let text = template.constant else { return nil }
            return fits(text, attribute.type, isNumber: false) ? nil : wanted(attribute.type)
        }
    }

    private static func fits(_ text: String, _ type: AttributeType, isNumber: Bool) -> Bool {
        var copy = text
        return copy.withUTF8 { bytes in
            switch type {
            case .integer16: integer(bytes).map { Int16(exactly: $0) != nil } ?? false
            case .integer32: integer(bytes).map { Int32(exactly: $0) != nil } ?? false
            case .integer64: integer(bytes) != nil
            case .double, .float: ScalarParser.double(bytes) != nil
            case .decimal: ScalarParser.decimal(bytes) != nil
            case .boolean: ScalarParser.boolean(bytes) != nil
            case .string, .transformable: true
            case .date: !isNumber && ScalarParser.isoDate(bytes) != nil
            case .uuid: !isNumber && isUUID(bytes)
            case .binary: !isNumber && isBase64(bytes)
            case .uri: !isNumber && text.contains(":")
            case .undefined: false
            }
        }
    }

    private static func integer(_ bytes: ByteView) -> Int64? {
        ScalarParser.jsonIntegral(bytes)
    }

    private static func isUUID(_ bytes: ByteView) -> Bool {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { room in
            room.baseAddress.map { ScalarParser.uuid(bytes, into: $0) } ?? false
        }
    }

    private static func isBase64(_ bytes: ByteView) -> Bool {
        let count = ScalarParser.base64BytesMax(bytes.count)
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: max(count, 1)) { room in
            ScalarParser.base64(bytes, into: room) != nil
        }
    }

    private static func wanted(_ type: AttributeType) -> String {
        switch type {
        case .integer16, .integer32, .integer64: "a whole number in its range"
        case .double, .float: "a number"
        case .decimal: "a decimal number of at most 15 to 17 digits"
        case .boolean: "true or false"
        case .string, .transformable, .undefined: "text"
        case .date: "an ISO 8601 date"
        case .uuid: "a UUID"
        case .binary: "base64 text"
        case .uri: "a URI with a scheme"
        }
    }
}
