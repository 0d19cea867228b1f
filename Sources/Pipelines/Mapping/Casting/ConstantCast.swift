import GraphModel
import GraphStore

/// Converts constants of a spec to column values, by the casts of imports.
enum ConstantCast {
    /// Returns the column's value, or `nil` if the constant is not valid for the attribute.
    static func value(
        _ constant: ConstantValue, for attribute: AttributeDescription, _ values: ParameterValues
    ) -> StoredValue? {
        if case .null = constant { return attribute.isOptional ? .null : nil }
        let value = value(constant, typedAs: attribute, values.resolve)
        guard attribute.allowsExternalBinaryDataStorage, case .blob(let bytes)? = value else {
            return value
        }
        return .blob([ExternalData.inlineMark] + bytes)
    }

    /// Returns the value without a null check and without the mark of external binary data.
    ///
    /// - Parameter resolve: Returns the text with its parameters replaced.
    static func value(
        _ constant: ConstantValue, typedAs attribute: AttributeDescription,
        _ resolve: (TemplateText) -> String
    ) -> StoredValue? {
        guard attribute.isExactDecimal else {
            let value = value(constant, for: attribute.type, resolve)
            guard attribute.isArchive, case .blob(let json)? = value else { return value }
            return .blob(TransformedBytes.stored(json))
        }
        switch constant {
        case .null: return .null
        case .boolean: return nil
        case .integer(let number): return .text(ExactDecimal(number).text)
        case .real(_, let text): return exactDecimal(text)
        case .text(let template): return exactDecimal(resolve(template))
        }
    }

    private static func exactDecimal(_ text: String) -> StoredValue? {
        guard let number = ExactDecimal(text: text), number.isStorable else {
            return nil
        }
        return .text(number.text)
    }

    /// Returns the value by the type alone; null is valid for every type.
    ///
    /// - Parameter resolve: Returns the text with its parameters replaced.
    static func value(
        _ constant: ConstantValue, for type: AttributeType, _ resolve: (TemplateText) -> String
    ) -> StoredValue? {
        switch constant {
        case .null: .null
        case .boolean(let flag): type == .boolean ? .integer(flag ? 1 : 0) : nil
        case .integer(let number): value(String(number), for: type, isNumber: true)
        case .real(_, let text): value(text, for: type, isNumber: true)
        case .text(let template): value(resolve(template), for: type, isNumber: false)
        }
    }

    private static func value(
        _ text: String, for type: AttributeType, isNumber: Bool
    ) -> StoredValue? {
        var text = text
        return text.withUTF8 { bytes in
            switch type {
            case .string: return .text(String(decoding: bytes, as: UTF8.self))
            case .uri:
                return !isNumber && ValueCaster.hasScheme(bytes)
                    ? .text(String(decoding: bytes, as: UTF8.self)) : nil
            case .integer16, .integer32, .integer64:
                guard let number = ScalarParser.jsonIntegral(bytes),
                    let (low, high) = type.integerLimits, number >= low, number <= high
                else { return nil }
                return .integer(number)
            case .boolean: return ScalarParser.boolean(bytes).map { .integer($0 ? 1 : 0) }
            case .double: return ScalarParser.double(bytes).map { .real($0) }
            case .float:
                guard let number = ScalarParser.double(bytes) else { return nil }
                let float = ScalarParser.float(bytes, nearestDouble: number)
                return float.isFinite ? .real(Double(float)) : nil
            case .decimal: return ScalarParser.decimal(bytes).map { .real($0) }
            case .date:
                guard !isNumber, let date = ScalarParser.readISODate(bytes), date.isKept else {
                    return nil
                }
                return .real(date.seconds)
            case .uuid: return isNumber ? nil : uuid(bytes)
            case .binary: return isNumber ? nil : binary(bytes)
            case .transformable:
                return .blob(isNumber ? Array(bytes) : quoted(bytes))
            case .composite, .undefined: return nil
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
        return Array(JSONValue.quote(bytes, into: &arena))
    }
}
