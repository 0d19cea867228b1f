package import GraphModel

/// An attribute's rules, compiled once and shared by every path that writes values.
package struct AttributeValidator {
    private let attribute: AttributeDescription
    private let pattern: CompiledPattern?
    private let hasRules: Bool

    package init(_ attribute: AttributeDescription) {
        self.attribute = attribute
        pattern = attribute.pattern.flatMap { try? CompiledPattern($0) }
        hasRules = attribute.range != nil || attribute.length != nil || pattern != nil
    }

    /// What is wrong with the value by the model's range, length and pattern; nil if nothing is.
    ///
    /// Types and null are checked where values are made and rows written.
    package func problem(with cell: BulkCell) -> String? {
        guard hasRules else { return nil }
        switch cell.kind {
        case .integer: return rangeProblem(Double(cell.integerValue))
        case .real: return rangeProblem(cell.realValue)
        case .text: return textProblem(cell.bytes)
        case .blob, .null, .absent, .list: return nil
        }
    }

    private func rangeProblem(_ value: Double) -> String? {
        guard let range = attribute.range, !range.contains(value) else { return nil }
        return "'\(attribute.name)' must be \(Self.text(range)), and is \(Self.number(value))"
    }

    private func textProblem(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        if let length = attribute.length {
            let count = ScalarParser.utf16Length(bytes)
            if !length.contains(Double(count)) {
                return "'\(attribute.name)' must have \(Self.text(length)) characters,"
                    + " and has \(count)"
            }
        }
        guard let pattern else { return nil }
        do {
            guard try pattern.matches(bytes) else {
                return "'\(attribute.name)' does not match \(pattern.pattern)"
            }
            return nil
        } catch {
            return "'\(attribute.name)' cannot be matched: \(error)"
        }
    }

    private static func text(_ range: NumberRange) -> String {
        switch (range.minimum, range.maximum) {
        case (let low?, let high?): "from \(number(low)) to \(number(high))"
        case (let low?, nil): "at least \(number(low))"
        case (nil, let high?): "at most \(number(high))"
        case (nil, nil): "any number"
        }
    }

    private static func number(_ value: Double) -> String {
        Int64(exactly: value).map(String.init) ?? "\(value)"
    }
}
