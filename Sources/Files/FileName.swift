/// The path of a file as the file system stores it: bytes.
///
/// Names are compared, hashed, and sorted by their bytes. A `String` is not suitable: it
/// treats names that differ only in their Unicode normalization as equal, and it replaces bytes
/// that are not UTF-8.
///
/// ```
/// 63 61 66 C3 A9       café        the é in one scalar
/// 63 61 66 65 CC 81    café        the same text in two scalars, another file
/// 63 61 66 E9          caf\xE9     Latin-1, which is not UTF-8
/// ```
/// In a system call, the bytes are never empty and contain no NUL; nothing else is assumed.
package struct FileName: Sendable, Hashable {
    /// The bytes of the path, without a terminator.
    package let bytes: [UInt8]

    /// Creates a name from its bytes.
    package init(bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
    }

    /// Creates a name from the UTF-8 bytes of a string in a spec or on a command line.
    package init(_ text: some StringProtocol) {
        bytes = Array(text.utf8)
    }

    /// Creates a name from a C string of the system.
    package init(cString: UnsafePointer<CChar>) {
        var bytes: [UInt8] = []
        var place = cString
        while place.pointee != 0 {
            bytes.append(UInt8(bitPattern: place.pointee))
            place += 1
        }
        self.bytes = bytes
    }

    /// The bytes with a NUL terminator, for system calls.
    package var cString: [CChar] { bytes.map { CChar(bitPattern: $0) } + [0] }

    /// Whether the name has no bytes.
    package var isEmpty: Bool { bytes.isEmpty }
}

extension FileName: CustomStringConvertible {
    /// The name as messages show it.
    package var description: String { displayText }
}

extension FileName: Comparable {
    /// Returns whether the bytes of the left name sort before those of the right one.
    package static func < (left: FileName, right: FileName) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}

extension FileName: ExpressibleByStringLiteral {
    /// Creates a name from the literal's UTF-8 bytes.
    package init(stringLiteral text: String) {
        self.init(text)
    }
}

// MARK: Text

extension FileName {
    /// A character of a name, or a byte that is not part of a UTF-8 character.
    package enum Unit: Hashable, Sendable {
        /// A Unicode scalar in valid UTF-8.
        case scalar(Unicode.Scalar)
        /// A byte that is not valid UTF-8.
        case byte(UInt8)
    }

    /// The name as characters and invalid bytes.
    package var units: [Unit] { Self.units(of: bytes) }

    /// Returns bytes as characters and invalid bytes.
    package static func units(of bytes: some Collection<UInt8>) -> [Unit] {
        var units: [Unit] = []
        units.reserveCapacity(bytes.count)
        var parser = Unicode.UTF8.ForwardParser()
        var rest = bytes.makeIterator()
        var place = bytes.startIndex
        while true {
            switch parser.parseScalar(from: &rest) {
            case .emptyInput: return units
            case .valid(let encoded):
                units.append(.scalar(Unicode.UTF8.decode(encoded)))
                place = bytes.index(place, offsetBy: encoded.count)
            case .error(let length):
                for _ in 0..<length {
                    units.append(.byte(bytes[place]))
                    place = bytes.index(after: place)
                }
            }
        }
    }

    /// The name as a string, from which `FileName(text)` creates the same name; `nil` if it is not
    /// valid UTF-8.
    package var exactText: String? { String(validating: bytes, as: UTF8.self) }

    /// The name as messages show it; different names have different texts.
    ///
    /// Valid UTF-8 is unchanged. In any other name, each invalid byte is written as `\xE9` and each
    /// backslash is doubled. The same applies to valid UTF-8 that contains text such as `\xE9`.
    package var displayText: String {
        if let exactText, !hasEscape { return exactText }
        return escapedText
    }

    /// The name with `\xE9` for each byte that is not UTF-8 and with each backslash doubled.
    package var escapedText: String {
        var text = ""
        for unit in units {
            switch unit {
            case .scalar("\\"): text += "\\\\"
            case .scalar(let scalar): text.unicodeScalars.append(scalar)
            case .byte(let byte):
                let digits = String(byte, radix: 16, uppercase: true)
                text += "\\x" + (digits.utf8.count == 1 ? "0" : "") + digits
            }
        }
        return text
    }

    /// Creates the name of an `escapedText`; `nil` if a backslash begins neither `\\` nor `\xE9`.
    package init?(escapedText text: String) {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "\\"): bytes.append(byte)
            case UInt8(ascii: "x"):
                guard rest.count >= 2,
                    let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
                else { return nil }
                bytes.append(value)
                rest = rest.dropFirst(2)
            default: return nil
            }
        }
        self.bytes = bytes
    }

    /// Whether the name contains `\x` followed by two hexadecimal digits.
    private var hasEscape: Bool {
        func isDigit(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "F"),
                UInt8(ascii: "a")...UInt8(ascii: "f"):
                true
            default: false
            }
        }
        guard bytes.count >= 4 else { return false }
        return (0...(bytes.count - 4)).contains { place in
            bytes[place] == UInt8(ascii: "\\") && bytes[place + 1] == UInt8(ascii: "x")
                && isDigit(bytes[place + 2]) && isDigit(bytes[place + 3])
        }
    }
}

// MARK: JSON

extension FileName: Decodable {
    private enum Key: String, CodingKey {
        case escaped
    }

    /// The key of the JSON object that represents a name that is not UTF-8.
    package static let escapedKey = Key.escaped.rawValue

    /// Decodes a string, or `{"escaped":"caf\\xE9"}` for a name that is not UTF-8.
    package init(from decoder: any Decoder) throws {
        if let text = try? decoder.singleValueContainer().decode(String.self) {
            self.init(text)
            return
        }
        let container = try decoder.container(keyedBy: Key.self)
        let text = try container.decode(String.self, forKey: .escaped)
        guard let name = FileName(escapedText: text) else {
            throw DecodingError.dataCorruptedError(
                forKey: .escaped, in: container, debugDescription: "not an escaped name: \(text)")
        }
        self = name
    }
}
