import GraphModel
import GraphStore

/// Turns constants of a spec into what a column holds, by the casts of imports.
enum ConstantCast {
    /// The column's value, or nil where the constant is none of the attribute.
    static func value(
        _ constant: ConstantValue, for attribute: AttributeDescription, _ values: ParameterValues
    ) -> StoredValue? {
        let value = plainValue(constant, for: attribute, values)
        guard attribute.allowsExternalBinaryDataStorage, case .blob(let bytes)? = value else {
            return value
        }
        return .blob([ExternalData.inlineMark] + bytes)
    }

    private static func plainValue(
        _ constant: ConstantValue, for attribute: AttributeDescription, _ values: ParameterValues
    ) -> StoredValue? {
        switch constant {
        case .null: return attribute.isOptional ? .null : nil
        case .boolean(let flag):
            return attribute.type == .boolean ? .integer(flag ? 1 : 0) : nil
        case .integer(let number):
            return value(String(number), for: attribute.type, isNumber: true)
        case .real(_, let text):
            return value(text, for: attribute.type, isNumber: true)
        case .text(let template):
            return value(values.resolve(template), for: attribute.type, isNumber: false)
        }
    }

    private static func value(
        _ text: String, for type: AttributeType, isNumber: Bool
    ) -> StoredValue? {
        var text = text
        return text.withUTF8 { bytes in
            switch type {
            case .string: return .text(String(decoding: bytes, as: UTF8.self))
            case .uri: return isNumber ? nil : .text(String(decoding: bytes, as: UTF8.self))
            case .integer16, .integer32, .integer64:
                guard let number = ScalarParser.jsonIntegral(bytes),
                    let (low, high) = type.integerLimits, number >= low, number <= high
                else { return nil }
                return .integer(number)
            case .boolean: return ScalarParser.boolean(bytes).map { .integer($0 ? 1 : 0) }
            case .double: return ScalarParser.double(bytes).map { .real($0) }
            case .float: return ScalarParser.double(bytes).map { .real(Double(Float($0))) }
            case .decimal: return ScalarParser.decimal(bytes).map { .real($0) }
            case .date: return isNumber ? nil : ScalarParser.isoDate(bytes).map { .real($0) }
            case .uuid: return isNumber ? nil : uuid(bytes)
            case .binary: return isNumber ? nil : binary(bytes)
            case .transformable:
                return .blob(isNumber ? Array(bytes) : quoted(bytes))
            case .undefined: return nil
            }
        }
    }

    private static func uuid(_ bytes: ByteView) -> StoredValue? {
        var result = [UInt8](repeating: 0, count: 16)
        let isUUID = result.withUnsafeMutableBufferPointer { target in
            target.baseAddress.map { ScalarParser.uuid(bytes, into: $0) } ?? false
        }
        return isUUID ? .blob(result) : nil
    }

    private static func binary(_ bytes: ByteView) -> StoredValue? {
        var result = [UInt8](repeating: 0, count: ScalarParser.base64BytesMax(bytes.count))
        guard
            let count = result.withUnsafeMutableBufferPointer({
                ScalarParser.base64(bytes, into: $0)
            })
        else { return nil }
        return .blob(Array(result.prefix(count)))
    }

    private static func quoted(_ bytes: ByteView) -> [UInt8] {
        var arena = ByteArena()
        return Array(JSONText.quote(bytes, into: &arena))
    }
}
