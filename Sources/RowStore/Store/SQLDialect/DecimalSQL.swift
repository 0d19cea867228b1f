import GraphModel
import SQLite

/// The SQL of exact decimals, which a store keeps as canonical strings that SQLite compares as
/// text.
///
/// Equal numbers have equal strings, so indexes support equality and uniqueness. Sorting uses a
/// collation. No table or index names it, so any SQLite program can use such a store.
enum DecimalSQL {
    /// Returns both sides as exact decimals if one side is an exact decimal and both are numbers.
    static func pair(
        _ left: SQLOperand, _ right: SQLOperand
    ) -> (left: SQLOperand, right: SQLOperand)? {
        guard left.type == .decimal || right.type == .decimal else { return nil }
        guard isNumber(left), isNumber(right) else { return nil }
        return (operand(left), operand(right))
    }

    private static func isNumber(_ operand: SQLOperand) -> Bool {
        operand.type.isNumeric || operand.type == .null
    }

    /// Converts a number to an exact decimal.
    static func operand(_ operand: SQLOperand) -> SQLOperand {
        if operand.type == .decimal || operand.type == .null { return operand }
        if let constant = operand.constant {
            var text = SQLOperand(SQLFragment("?", [stored(constant)]), .decimal)
            text.constant = constant
            return text
        }
        let call = BoundFunction { call throws(FunctionError) in
            let number: ExactDecimal? =
                switch call.storage(0) {
                case .integer: ExactDecimal(call.integer(0))
                case .real: ExactDecimal(call.double(0))
                case .text: try read(call.bytes(0))
                case .null, .blob: nil
                }
            guard var text = number?.text else { return }
            text.withUTF8 { call.setResult(text: $0) }
        }
        return SQLOperand(
            SQLFragment("\(BoundFunction.sqlName)(?, ", calling: call) + operand.sql + ")",
            .decimal)
    }

    private static func read(_ bytes: ByteView) throws(FunctionError) -> ExactDecimal {
        guard let number = ExactDecimal(bytes), number.isStorable else {
            throw FunctionError(
                "'\(String(decoding: bytes, as: UTF8.self))' is not a decimal number of at most"
                    + " \(ExactDecimal.digitsMax) digits")
        }
        return number
    }

    /// Returns a constant as a column of exact decimals stores it.
    static func stored(_ constant: GraphValue) -> StoredValue {
        let number: ExactDecimal? =
            switch constant {
            case .boolean(let flag): ExactDecimal(flag ? 1 : 0)
            case .integer(let number): ExactDecimal(number)
            case .double(let number): ExactDecimal(number)
            case .decimal(let text), .string(let text): ExactDecimal(text: text)
            default: nil
            }
        return number.map { .text($0.text) } ?? constant.stored
    }
}

extension SQLOperand {
    /// The same value, with the decimal collation if it is an exact decimal, for sorting.
    var collated: SQLOperand {
        guard type == .decimal else { return self }
        var result = self
        result.sql = "(" + sql + " COLLATE \(DecimalCollation.name))"
        return result
    }
}
