package import Diagnostics
public import FoundationEssentials

/// The reason that a predicate or expression cannot be used, with its position in the text.
public struct GraphPredicateError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error; its raw value is stable.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The text does not follow the grammar.
        case syntax = "predicate.syntax"
        /// The nesting exceeds the limit.
        case tooDeep = "predicate.too-deep"
        /// The length exceeds the limit.
        case tooLong = "predicate.too-long"
        /// An argument for a `%` placeholder is missing, unused, or of the wrong type.
        case argument = "predicate.argument"
        /// The entity or its property does not exist.
        case unknownKey = "predicate.unknown-key"
        /// The function does not exist, or its arguments are wrong.
        case function = "predicate.function"
        /// The two operands cannot be compared or computed with each other.
        case type = "predicate.type"
        /// A to-many key path is used where one value is needed, or the reverse.
        case toMany = "predicate.to-many"
        /// A variable has no value.
        case variable = "predicate.variable"
        /// The construct is valid but not implemented.
        case unsupported = "predicate.unsupported"
    }

    /// The kind of error.
    public let code: Code
    /// A description in one sentence, without the position.
    public let message: String
    /// The zero-based byte offset of the error in the format; `nil` if no text was parsed.
    public let byteOffset: Int?
    /// The text that was parsed.
    public let format: String?
    /// A valid alternative, if known.
    public let fix: String?
    /// Whether the error occurs whatever the keys in the text mean, so that no model is needed.
    let isOfAnyKeys: Bool

    init(
        _ code: Code, _ message: String, at byteOffset: Int? = nil, in format: String? = nil,
        fix: String? = nil, isOfAnyKeys: Bool = false
    ) {
        self.code = code
        self.message = message
        self.byteOffset = byteOffset
        self.format = format
        self.fix = fix
        self.isOfAnyKeys = isOfAnyKeys
    }

    /// The message with its column, on one line.
    public var description: String {
        guard let column else { return message }
        return "\(message) (column \(column))"
    }

    /// The column in the text, from 1, in Unicode scalars.
    public var column: Int? {
        guard let format, let byteOffset else { return nil }
        return String(decoding: format.utf8.prefix(byteOffset), as: UTF8.self)
            .unicodeScalars.count + 1
    }

    /// The message, followed by the line of the text with a caret under the error.
    public var rendered: String {
        guard let excerpt else { return "\(message) [\(code.rawValue)]" }
        let lines = excerpt.split(separator: "\n").map { "\n  \($0)" }.joined()
        return "\(message) [\(code.rawValue)]\(lines)"
    }

    /// The line of the text with the error, followed by a line with a caret.
    ///
    /// A line of more than 160 characters is clipped around the caret.
    public var excerpt: String? {
        guard let format, let byteOffset else { return nil }
        let bytes = Array(format.utf8)
        let fault = min(max(byteOffset, 0), bytes.count)
        let newline = UInt8(ascii: "\n")
        let start = bytes[..<fault].lastIndex(of: newline).map { $0 + 1 } ?? 0
        let end = bytes[fault...].firstIndex(of: newline) ?? bytes.count
        let line = String(decoding: bytes[start..<end], as: UTF8.self)
        let before = String(decoding: bytes[start..<fault], as: UTF8.self)
        return CaretLine.excerpt(of: line, at: before.unicodeScalars.count)
    }
}

extension GraphPredicateError: LocalizedError {
    /// The message, without the position.
    public var errorDescription: String? { message }
    /// A valid alternative, if known.
    public var recoverySuggestion: String? { fix }
}

extension Diagnostic {
    /// Creates a diagnostic for an error in a predicate or expression of a file.
    package init(predicateError error: GraphPredicateError, at location: SourceLocation) {
        self.init(predicateError: error, at: .source(location))
    }

    /// Creates a diagnostic for an error in a predicate or expression at any place.
    package init(predicateError error: GraphPredicateError, at place: Place = .nowhere) {
        self.init(
            code: error.code.rawValue, error.message, at: place, fix: error.fix,
            excerpt: error.excerpt)
    }
}
