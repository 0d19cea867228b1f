/// A scalar: its text and its value in the core schema of YAML 1.2.
///
/// Only plain scalars are resolved: `no` and `yes` are text, `0o777` is 511, `0777` is 777, and
/// anything in quotes is text. See <https://yaml.org/spec/1.2.2/#103-core-schema>.
package struct YAMLScalar: Sendable, Hashable {
    /// The value of a scalar in the core schema.
    package enum Value: Sendable, Hashable {
        case null
        case boolean(Bool)
        case integer(Int64)
        /// A real number, or an integer that is too large for 64 bits.
        case real(Double)
        case text
    }

    /// The scalar as written, without quotes and with escapes resolved.
    package var text: String
    /// The resolved value.
    package var value: Value
    /// Whether the scalar is written without quotes and not as a block.
    package var isPlain: Bool

    /// Creates a scalar whose value is text.
    package init(text: String) {
        self.text = text
        value = .text
        isPlain = false
    }

    /// Creates a plain scalar and resolves its value.
    package init(plain text: String) {
        self.text = text
        value = Self.resolve(text)
        isPlain = true
    }

    private static func resolve(_ text: String) -> Value {
        switch text {
        case "", "~", "null", "Null", "NULL": return .null
        case "true", "True", "TRUE": return .boolean(true)
        case "false", "False", "FALSE": return .boolean(false)
        case ".nan", ".NaN", ".NAN": return .real(.nan)
        default: break
        }
        let bytes = Array(text.utf8)
        guard let first = bytes.first, isNumberStart(first) else { return .text }
        if bytes.starts(with: Array("0o".utf8)) { return radix(bytes.dropFirst(2), 8) }
        if bytes.starts(with: Array("0x".utf8)) { return radix(bytes.dropFirst(2), 16) }
        return decimal(bytes, text)
    }

    private static func isNumberStart(_ byte: UInt8) -> Bool {
        isDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
            || byte == UInt8(ascii: ".")
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func radix(_ digits: ArraySlice<UInt8>, _ radix: Int) -> Value {
        let text = String(decoding: digits, as: UTF8.self)
        let isSigned = text.hasPrefix("-") || text.hasPrefix("+")
        guard !isSigned, let number = Int64(text, radix: radix) else { return .text }
        return .integer(number)
    }

    /// Resolves `[-+]?[0-9]+`, `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`, or an
    /// infinity.
    private static func decimal(_ bytes: [UInt8], _ text: String) -> Value {
        var rest = bytes[...]
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
        if [".inf", ".Inf", ".INF"].contains(String(decoding: rest, as: UTF8.self)) {
            return .real(isNegative ? -.infinity : .infinity)
        }
        let whole = rest.prefix(while: isDigit)
        rest = rest.dropFirst(whole.count)
        if rest.isEmpty, !whole.isEmpty {
            return Int64(text).map { .integer($0) } ?? Double(text).map { .real($0) } ?? .text
        }
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            let fraction = rest.prefix(while: isDigit)
            guard !whole.isEmpty || !fraction.isEmpty else { return .text }
            rest = rest.dropFirst(fraction.count)
        } else if whole.isEmpty {
            return .text
        }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest = rest.dropFirst()
            if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") {
                rest = rest.dropFirst()
            }
            let exponent = rest.prefix(while: isDigit)
            guard !exponent.isEmpty else { return .text }
            rest = rest.dropFirst(exponent.count)
        }
        guard rest.isEmpty else { return .text }
        return parsedReal(text)
    }

    /// Parses a real number; `1.` is valid in YAML but not in Swift.
    private static func parsedReal(_ text: String) -> Value {
        let repaired = text.replacing(".e", with: ".0e").replacing(".E", with: ".0e")
        let number = Double(repaired.hasSuffix(".") ? repaired + "0" : repaired)
        return number.map { .real($0) } ?? .text
    }
}
