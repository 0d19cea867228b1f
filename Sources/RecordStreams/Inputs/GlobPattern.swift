internal import Files

/// One component of a file pattern, between two slashes: supports `*`, `?`, and backslash.
///
/// `?` matches one UTF-8 character, or one byte that is not part of a character.
struct GlobPattern {
    private enum Token: Equatable {
        case unit(FileName.Unit)
        case any
        case run
    }

    private var tokens: [Token] = []

    init(_ bytes: some Collection<UInt8>) {
        var isEscaped = false
        for unit in FileName.units(of: bytes) {
            if isEscaped {
                tokens.append(.unit(unit))
                isEscaped = false
            } else {
                switch unit {
                case .scalar("\\"): isEscaped = true
                case .scalar("*"): if tokens.last != .run { tokens.append(.run) }
                case .scalar("?"): tokens.append(.any)
                default: tokens.append(.unit(unit))
                }
            }
        }
    }

    /// Returns whether the pattern matches the entire name; a leading dot must match literally.
    func matches(_ name: FileName) -> Bool {
        if name.isHidden, tokens.first != .unit(.scalar(".")) { return false }
        let name = name.units
        var token = 0
        var position = 0
        var retry: (token: Int, position: Int)?
        while position < name.count {
            if token < tokens.count, tokens[token] == .run {
                retry = (token, position)
                token += 1
            } else if token < tokens.count,
                tokens[token] == .any || tokens[token] == .unit(name[position])
            {
                token += 1
                position += 1
            } else if let last = retry {
                retry = (last.token, last.position + 1)
                token = last.token + 1
                position = last.position + 1
            } else {
                return false
            }
        }
        return tokens[token...].allSatisfy { $0 == .run }
    }

    /// Returns whether the text contains wildcards.
    static func hasWildcards(_ text: some StringProtocol) -> Bool {
        hasWildcards(Array(text.utf8))
    }

    /// Returns whether the bytes contain wildcards.
    static func hasWildcards(_ bytes: some Sequence<UInt8>) -> Bool {
        bytes.contains { byte in
            [UInt8(ascii: "*"), UInt8(ascii: "?"), UInt8(ascii: "{"), backslash].contains(byte)
        }
    }

    private static let backslash = UInt8(ascii: "\\")

    /// Expands the braces of a pattern.
    static func alternatives(of pattern: String) throws(RecordStreamError) -> [FileName] {
        var finished: [FileName] = []
        var waiting = [Array(pattern.utf8)]
        while let bytes = waiting.popLast() {
            guard let open = firstBrace(bytes) else {
                finished.append(FileName(bytes: bytes))
                continue
            }
            guard let (parts, close) = parts(of: bytes, from: open) else {
                throw RecordStreamError(
                    .badPattern(reason: "a '{' is not closed"), in: pattern)
            }
            for part in parts {
                waiting.append(bytes[..<open] + part + bytes[(close + 1)...])
            }
            guard finished.count + waiting.count <= 10_000 else {
                throw RecordStreamError(
                    .badPattern(reason: "its braces expand to too many names"), in: pattern)
            }
        }
        return finished
    }

    private static func firstBrace(_ bytes: [UInt8]) -> Int? {
        var isEscaped = false
        for (index, byte) in bytes.enumerated() {
            if isEscaped {
                isEscaped = false
            } else if byte == backslash {
                isEscaped = true
            } else if byte == UInt8(ascii: "{") {
                return index
            }
        }
        return nil
    }

    private static func parts(of bytes: [UInt8], from open: Int) -> ([[UInt8]], Int)? {
        var parts: [[UInt8]] = [[]]
        var depth = 1
        var isEscaped = false
        for index in (open + 1)..<bytes.count {
            let byte = bytes[index]
            if isEscaped {
                isEscaped = false
            } else if byte == backslash {
                isEscaped = true
            } else if byte == UInt8(ascii: "{") {
                depth += 1
            } else if byte == UInt8(ascii: "}") {
                depth -= 1
                if depth == 0 { return (parts, index) }
            } else if byte == UInt8(ascii: ","), depth == 1 {
                parts.append([])
                continue
            }
            parts[parts.count - 1].append(byte)
        }
        return nil
    }
}
