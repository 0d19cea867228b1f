public import FoundationEssentials

/// A value while a predicate runs: what a row has in a slot, or what was made of it.
///
/// Bytes belong to the row, the program or its scratch space, and are valid until the next
/// evaluation.
package enum EvaluatedValue {
    /// No value; also a field that the record lacks.
    case null
    /// True or false.
    case boolean(Bool)
    /// A whole number.
    case integer(Int64)
    /// A number with a fraction; NaN counts as null.
    case double(Double)
    /// Text that is known to be text, such as a JSON string, in UTF-8.
    case text(ByteView)
    /// Text that may stand for a value of any kind, such as a CSV field, in UTF-8.
    case untypedText(ByteView)
    /// A JSON number as written.
    case number(ByteView)
    /// A decimal with all its digits, as JSON writes it: arithmetic with it keeps them.
    case decimal(ByteView)
    /// Seconds since 2001-01-01 UTC.
    case date(Double)
    /// Sixteen bytes.
    case uuid(ByteView)
    /// Bytes.
    case binary(ByteView)
    /// An object.
    case object(ManagedObjectID)
    /// A list or an object in a record: not nil, and else no value.
    case nested(isList: Bool)
}

extension EvaluatedValue {
    /// A constant's value, its bytes in the arena.
    package init(_ value: GraphValue, in arena: EvaluationArena) {
        self =
            switch value {
            case .null: .null
            case .boolean(let flag): .boolean(flag)
            case .integer(let number): .integer(number)
            case .double(let number): .double(number)
            case .decimal(let text): .decimal(arena.store(text.utf8))
            case .string(let text): .text(arena.store(text.utf8))
            case .date(let seconds): .date(seconds)
            case .uuid(let bytes): .uuid(arena.store(bytes))
            case .binary(let bytes): .binary(arena.store(bytes))
            case .object(let id): .object(id)
            }
    }
}

/// Where a predicate finds the values of one record.
package protocol EvaluationRow {
    /// The value in a slot; slots are the numbers that `slotOf` gave when compiling.
    func value(at slot: Int) -> EvaluatedValue

    /// Ends the evaluation early; nil lets it come to its end.
    var stop: (any EvaluationStop)? { get }
}

extension EvaluationRow {
    /// Nothing ends it early.
    package var stop: (any EvaluationStop)? { nil }
}

/// Why a predicate has no answer for a row; imports reject such a record with the code `expr`.
public enum EvaluationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Text that is compared or computed with as a number, and is none.
    case notANumber(String)
    /// Text that is compared with a boolean, and is none.
    case notABoolean(String)
    /// Text that is compared with a date, and is none.
    case notADate(String)
    /// Text that is compared with a UUID, and is none.
    case notAUUID(String)
    /// Two values that have no order and no equality between them.
    case incomparable(String, String)
    /// A value of the wrong kind for an operator or a function.
    case wrongKind(needed: String, found: String)
    /// The result of arithmetic does not fit.
    case overflow
    /// A collection where one value is needed.
    case severalValues
    /// A list or an object of a record, where a value is needed.
    case nested(field: String, isList: Bool)
    /// A regular expression or a date pattern that came from the data and is none.
    case invalidPattern(String)
    /// A value that has no equal of the type it is cast to.
    case uncastable(String, type: String)
    /// What the predicate looks at cannot be read.
    case unreadable(String)
    /// The evaluation was stopped before it had an answer.
    case stopped

    /// One sentence.
    public var description: String {
        switch self {
        case .notANumber(let text): "'\(text)' is no number"
        case .notABoolean(let text): "'\(text)' is neither true nor false"
        case .notADate(let text): "'\(text)' is no date"
        case .notAUUID(let text): "'\(text)' is no UUID"
        case .incomparable(let left, let right): "\(left) cannot be compared with \(right)"
        case .wrongKind(let needed, let found): "\(needed) is needed, not \(found)"
        case .overflow: "The result of the arithmetic is too large"
        case .severalValues: "One value is needed, not a collection"
        case .nested(let field, let isList):
            "'\(field)' is \(isList ? "a list" : "an object"), of which only `== nil` and "
                + "`!= nil` can be asked"
        case .invalidPattern(let reason): reason
        case .uncastable(let value, let type): "\(value) is no \(type)"
        case .unreadable(let reason): reason
        case .stopped: "The evaluation was stopped"
        }
    }

    /// The start of a text, for a message.
    static func excerpt(_ bytes: ByteView) -> String {
        let text = String(decoding: bytes.prefix(60), as: UTF8.self)
        return bytes.count > 60 ? text + "…" : text
    }
}

extension EvaluatedValue {
    /// Whether it is nil; NaN is.
    package var isNull: Bool {
        switch self {
        case .null: true
        case .double(let value), .date(let value): value.isNaN
        default: false
        }
    }

    /// The bytes of text, which it must be.
    func neededText() throws(EvaluationError) -> ByteView {
        guard let bytes = textBytes else { throw .wrongKind(needed: "Text", found: kindName) }
        return bytes
    }

    /// The bytes of either kind of text.
    var textBytes: ByteView? {
        switch self {
        case .text(let bytes), .untypedText(let bytes): bytes
        default: nil
        }
    }

    /// Whether arithmetic with it keeps all digits.
    var isDecimal: Bool {
        if case .decimal = self { true } else { false }
    }

    /// Whether it is a number's text with a point or an exponent, and so no whole number.
    var isWrittenAsFraction: Bool {
        switch self {
        case .number(let bytes), .untypedText(let bytes): NumericValue.isFraction(bytes)
        default: false
        }
    }

    /// Whether it is a number's text with more digits than a double surely holds.
    var mayBeRounded: Bool {
        switch self {
        case .number(let bytes), .untypedText(let bytes), .decimal(let bytes): bytes.count > 15
        default: false
        }
    }

    /// The number with all its digits; nil where it is none, or has too many.
    package var exactDecimal: ExactDecimal? {
        switch self {
        case .boolean(let flag): ExactDecimal(flag ? 1 : 0)
        case .integer(let number): ExactDecimal(number)
        case .double(let number): ExactDecimal(number)
        case .number(let bytes), .untypedText(let bytes), .decimal(let bytes): ExactDecimal(bytes)
        default: nil
        }
    }

    /// What it is, for messages.
    var kindName: String {
        switch self {
        case .null: "nil"
        case .boolean: "a boolean"
        case .integer, .double, .number, .decimal: "a number"
        case .text, .untypedText: "text"
        case .date: "a date"
        case .uuid: "a UUID"
        case .binary: "binary data"
        case .object: "an object"
        case .nested(let isList): isList ? "a list" : "an object"
        }
    }
}

extension EvaluationError: LocalizedError {
    /// What the command prints of it, too.
    public var errorDescription: String? { description }
}
