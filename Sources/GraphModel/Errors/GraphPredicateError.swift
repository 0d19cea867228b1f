package import Diagnostics
public import FoundationEssentials

/// Why a predicate or an expression cannot be used, and where in its text.
public struct GraphPredicateError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of mistake it is; the raw value is stable.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The text does not follow the grammar.
        case syntax = "predicate.syntax"
        /// Deeper than the limit.
        case tooDeep = "predicate.too-deep"
        /// Longer than the limit.
        case tooLong = "predicate.too-long"
        /// An argument for a `%` placeholder is missing, left over or of the wrong type.
        case argument = "predicate.argument"
        /// The entity has no such property, or there is no such entity.
        case unknownKey = "predicate.unknown-key"
        /// There is no such function, or it takes other arguments.
        case function = "predicate.function"
        /// The two sides cannot be compared or computed with.
        case type = "predicate.type"
        /// A to-many key path where one value is needed, or the reverse.
        case toMany = "predicate.to-many"
        /// A variable without value.
        case variable = "predicate.variable"
        /// Lawful, but not built yet.
        case unsupported = "predicate.unsupported"
    }

    /// What kind of mistake it is.
    public let code: Code
    /// One sentence without the place.
    public let message: String
    /// The byte of the format at fault, from zero, where the predicate came from a text.
    public let byteOffset: Int?
    /// The text that was parsed.
    public let format: String?
    /// What may be written instead, where that can be told.
    public let fix: String?
    /// It holds whatever the keys of the text may be.
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

    /// The column in the text, from one, in Unicode scalars.
    public var column: Int? {
        guard let format, let byteOffset else { return nil }
        return String(decoding: format.utf8.prefix(byteOffset), as: UTF8.self)
            .unicodeScalars.count + 1
    }

    /// The message, and below it the line of the text with a caret under the fault.
    public var rendered: String {
        guard let excerpt else { return "\(message) [\(code.rawValue)]" }
        let lines = excerpt.split(separator: "\n").map { "\n  \($0)" }.joined()
        return "\(message) [\(code.rawValue)]\(lines)"
    }

    /// The line of the text at fault, and below it one with a caret.
    public var excerpt: String? {
        guard let format, let byteOffset else { return nil }
        let bytes = Array(format.utf8)
        let fault = min(max(byteOffset, 0), bytes.count)
        let newline = UInt8(ascii: "\n")
        let start = bytes[..<fault].lastIndex(of: newline).map { $0 + 1 } ?? 0
        let end = bytes[fault...].firstIndex(of: newline) ?? bytes.count
        let line = String(decoding: bytes[start..<end], as: UTF8.self)
        let before = String(decoding: bytes[start..<fault], as: UTF8.self)
        let indent = String(
            String.UnicodeScalarView(before.unicodeScalars.map { $0 == "\t" ? $0 : " " }))
        return "\(line)\n\(indent)^"
    }
}

extension GraphPredicateError: LocalizedError {
    /// The message, without the place.
    public var errorDescription: String? { message }
    /// What may be written instead, where that can be told.
    public var recoverySuggestion: String? { fix }
}

extension Diagnostic {
    /// What is wrong with a predicate or an expression of a file.
    package init(predicateError error: GraphPredicateError, at location: SourceLocation) {
        self.init(predicateError: error, at: .source(location))
    }

    /// What is wrong with a predicate or an expression, wherever it is from.
    package init(predicateError error: GraphPredicateError, at place: Place = .nowhere) {
        self.init(
            code: error.code.rawValue, error.message, at: place, fix: error.fix,
            excerpt: error.excerpt)
    }
}
