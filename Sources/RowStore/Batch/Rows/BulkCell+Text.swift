import GraphModel

extension BulkCell {
    /// Returns the value as messages show it, with strings in quotes.
    ///
    /// - Parameter type: The type of the attribute, if any.
    func quotedText(_ type: AttributeType?) -> String {
        let text = text(type) ?? "null"
        return kind == .text && type != .decimal ? "'\(text)'" : text
    }

    /// Returns the value as readable text; `nil` if the cell has no single value.
    func text(_ type: AttributeType?) -> String? {
        switch kind {
        case .null, .absent, .list: return nil
        case .text: return String(decoding: bytes, as: UTF8.self)
        case .integer where type == .boolean: return integerValue == 0 ? "false" : "true"
        case .integer where type == .date:
            return AttributeValidator.text(Double(integerValue), .date)
        case .integer: return "\(integerValue)"
        case .real: return AttributeValidator.text(realValue, type ?? .double)
        case .blob where type == .uuid && bytes.count == 16:
            return ScalarText.uuidText(bytes)
        case .blob:
            return bytes.hexText
        }
    }
}
