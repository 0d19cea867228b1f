/// The functions of the language, as SQL and the evaluator both call them.
///
/// `now` and `today` are constants by the time a program runs.
package enum EvaluationFunction: String, Sendable, Hashable, CaseIterable {
    case lowercase, uppercase, canonical, trim, length, abs, floor, ceiling, round, coalesce
    case substring, replace, split, join
    case date, format, uuid, uuid5, sha256, cast
    case random, pick, lorem
    /// Every bit of an integer turned over.
    case complement = "~"

    /// The function's value; its bytes stay until the context's arena is reset.
    ///
    /// A nil argument gives nil, except in `coalesce`. `split` has several values and `join`
    /// takes several, so neither is called this way, nor is what draws values for a record.
    package func call(
        _ arguments: [EvaluatedValue], in context: EvaluationContext
    ) throws(EvaluationError) -> EvaluatedValue {
        if self == .coalesce { return arguments.first { !$0.isNull } ?? .null }
        return try call(
            arguments.first ?? .null, arguments.count > 1 ? arguments[1] : .null,
            arguments.count > 2 ? arguments[2] : .null, count: arguments.count, in: context)
    }

    /// As the other, without a list.
    func call(
        _ first: EvaluatedValue, _ second: EvaluatedValue, _ third: EvaluatedValue, count: Int,
        in context: EvaluationContext
    ) throws(EvaluationError) -> EvaluatedValue {
        if count > 0 && first.isNull || count > 1 && second.isNull || count > 2 && third.isNull {
            return .null
        }
        switch self {
        case .lowercase:
            return .text(TextFunctions.cased(try first.neededText(), upper: false, context.arena))
        case .uppercase:
            return .text(TextFunctions.cased(try first.neededText(), upper: true, context.arena))
        case .canonical:
            // What `[cd]` holds equal becomes the same.
            return .text(
                context.arena.store(
                    TextComparison.folded(
                        try first.neededText(), [.caseInsensitive, .diacriticInsensitive])))
        case .trim: return .text(TextFunctions.trimmed(try first.neededText()))
        case .length:
            return .integer(Int64(ScalarParser.utf16Length(try first.neededText())))
        case .abs, .floor, .ceiling, .round:
            if first.isDecimal, let exact = first.exactDecimal {
                return .decimal(context.arena.store(number(exact).text.utf8))
            }
            return try number(NumericValue(operand: first))
        case .complement:
            guard case .integer(let number) = try NumericValue(operand: first) else {
                throw .wrongKind(needed: "A whole number", found: "a fraction")
            }
            return .integer(~number)
        case .substring:
            return .text(
                TextFunctions.substring(
                    try first.neededText(), from: try Self.whole(second),
                    length: count > 2 ? try Self.whole(third) : nil))
        case .replace:
            return .text(
                TextFunctions.replacing(
                    try first.neededText(), try second.neededText(), try third.neededText(),
                    context.arena))
        case .date:
            let text = try first.neededText()
            guard let seconds = try context.datePattern(second.neededText()).parse(text) else {
                throw .notADate(EvaluationError.excerpt(text))
            }
            return .date(seconds)
        case .format:
            let pattern = try context.datePattern(second.neededText())
            let text = try pattern.format(Self.seconds(first))
            guard let text else { throw .overflow }
            return .text(context.arena.store(text))
        case .uuid, .uuid5, .sha256: return try identifier(first, second, context.arena)
        case .cast:
            let name = String(decoding: try second.neededText(), as: UTF8.self)
            guard let type = AttributeType(rawValue: name) else {
                throw .uncastable(first.kindName, type: name)
            }
            return try CastFunction(type: type, arena: context.arena).cast(first)
        case .coalesce: return first
        case .split, .join, .random, .pick, .lorem: throw .severalValues
        }
    }

    /// A number that counts something.
    private static func whole(_ value: EvaluatedValue) throws(EvaluationError) -> Int {
        switch try NumericValue(needed: value) {
        case .integer(let number): return Int(number)
        case .double(let number):
            guard let whole = Int(exactly: number) else {
                throw .wrongKind(needed: "A whole number", found: "a fraction")
            }
            return whole
        }
    }

    private static func seconds(_ value: EvaluatedValue) throws(EvaluationError) -> Double {
        if case .date(let seconds) = value { return seconds }
        guard let bytes = value.textBytes else {
            throw .wrongKind(needed: "A date", found: value.kindName)
        }
        guard let seconds = ScalarParser.isoDate(bytes) else {
            throw .notADate(EvaluationError.excerpt(bytes))
        }
        return seconds
    }
}
