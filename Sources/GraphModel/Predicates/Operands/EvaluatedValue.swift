public import FoundationEssentials

/// A value during the evaluation of a predicate, from a slot of a row or computed.
///
/// The bytes belong to the row, the program, or its scratch space, and are valid until the next
/// evaluation.
package enum EvaluatedValue {
    /// No value, or a field that the record lacks.
    case null
    /// A Boolean value.
    case boolean(Bool)
    /// An integer.
    case integer(Int64)
    /// A floating-point number; NaN is treated as nil.
    case double(Double)
    /// A UTF-8 string that is known to be a string, such as a JSON string.
    case text(ByteView)
    /// A UTF-8 string that can represent a value of any kind, such as a CSV field.
    case untypedText(ByteView)
    /// A JSON number in its original notation.
    case number(ByteView)
    /// A decimal with all its digits, in JSON notation; arithmetic with it keeps them.
    case decimal(ByteView)
    /// A date, in seconds since 2001-01-01 UTC.
    case date(Double)
    /// The 16 bytes of a UUID.
    case uuid(ByteView)
    /// Binary data.
    case binary(ByteView)
    /// The ID of an object.
    case object(ManagedObjectID)
    /// A list or an object in a record, which can only be compared with nil.
    case nested(isList: Bool)
}

extension EvaluatedValue {
    /// Creates the value of a constant, with its bytes in the arena.
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

/// The values of one record, by slot.
package protocol EvaluationRow {
    /// Returns the value in a slot; `slotOf` assigned the slots during compilation.
    func value(at slot: Int) -> EvaluatedValue

    /// The flag that stops the evaluation early; `nil` lets it finish.
    var stop: (any EvaluationStop)? { get }
}

extension EvaluationRow {
    /// `nil`, so the evaluation always finishes.
    package var stop: (any EvaluationStop)? { nil }
}

/// The reason that a predicate has no result for a row.
///
/// Imports reject such a record with the code `expr`.
public enum EvaluationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Text is used as a number, but is not a number.
    case notANumber(String)
    /// Text is compared with a Boolean, but is not a Boolean.
    case notABoolean(String)
    /// Text is compared with a date, but is not a date.
    case notADate(String)
    /// Text is compared with a UUID, but is not a UUID.
    case notAUUID(String)
    /// The two values have no order and cannot be equal.
    case incomparable(String, String)
    /// A value has the wrong kind for an operator or a function.
    case wrongKind(needed: String, found: String)
    /// The result of arithmetic is out of range.
    case overflow
    /// A collection is used where one value is needed.
    case severalValues
    /// A list or an object of a record is used where a value is needed.
    case nested(field: String, isList: Bool)
    /// A regular expression or date pattern from the data is invalid.
    case invalidPattern(String)
    /// A value has no equal in the type to which it is cast.
    case uncastable(String, type: String)
    /// A value that the predicate uses cannot be read.
    case unreadable(String)
    /// The evaluation was stopped before it had a result.
    case stopped

    /// A description in one sentence.
    public var description: String {
        switch self {
        case .notANumber(let text): "'\(text)' is not a number"
        case .notABoolean(let text): "'\(text)' is neither true nor false"
        case .notADate(let text): "'\(text)' is not a date"
        case .notAUUID(let text): "'\(text)' is not a UUID"
        case .incomparable(let left, let right): "\(left) cannot be compared with \(right)"
        case .wrongKind(let needed, let found): "\(needed) is needed, not \(found)"
        case .overflow: "The result of the arithmetic is too large"
        case .severalValues: "One value is needed, not a collection"
        case .nested(let field, let isList):
            "'\(field)' is \(isList ? "a list" : "an object"), of which only `== nil` and "
                + "`!= nil` can be asked"
        case .invalidPattern(let reason): reason
        case .uncastable(let value, let type): "\(value) is not of type \(type)"
        case .unreadable(let reason): reason
        case .stopped: "The evaluation was stopped"
        }
    }

    /// Returns the start of a text, for a message.
    static func excerpt(_ bytes: ByteView) -> String {
        let text = String(decoding: bytes.prefix(60), as: UTF8.self)
        return bytes.count > 60 ? text + "…" : text
    }
}

extension EvaluatedValue {
    /// Whether the value is nil or NaN.
    package var isNull: Bool {
        switch self {
        case .null: true
        case .double(let value), .date(let value): value.isNaN
        default: false
        }
    }

    /// Returns the bytes of a string; throws for other values.
    func neededText() throws(EvaluationError) -> ByteView {
        guard let bytes = textBytes else { throw .wrongKind(needed: "Text", found: kindName) }
        return bytes
    }

    /// The bytes of either kind of string; `nil` for other values.
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

    /// Whether it is a number with a decimal point or an exponent, and so not an integer.
    var isWrittenAsFraction: Bool {
        switch self {
        case .number(let bytes), .untypedText(let bytes): NumericValue.isFraction(bytes)
        default: false
        }
    }

    /// Whether it is a number with more digits than a double is certain to hold.
    var mayBeRounded: Bool {
        switch self {
        case .number(let bytes), .untypedText(let bytes), .decimal(let bytes): bytes.count > 15
        default: false
        }
    }

    /// The number with all its digits; `nil` if it is not a number or has too many digits.
    package var exactDecimal: ExactDecimal? {
        switch self {
        case .boolean(let flag): ExactDecimal(flag ? 1 : 0)
        case .integer(let number): ExactDecimal(number)
        case .double(let number): ExactDecimal(number)
        case .number(let bytes), .untypedText(let bytes), .decimal(let bytes): ExactDecimal(bytes)
        default: nil
        }
    }

    /// The name of the kind, for messages.
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
        case .nested: "a list or an object"
        }
    }
}

extension EvaluationError: LocalizedError {
    /// The text that the command also prints.
    public var errorDescription: String? { description }
}
