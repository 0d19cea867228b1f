/// One part of a file pattern, between two slashes: `*`, `?` and backslash.
struct GlobPattern {
    private enum Token: Equatable {
        case scalar(Unicode.Scalar)
        case any
        case run
    }

    private var tokens: [Token] = []

    init(_ text: some StringProtocol) {
        var isEscaped = false
        for scalar in text.unicodeScalars {
            if isEscaped {
                tokens.append(.scalar(scalar))
                isEscaped = false
            } else {
                switch scalar {
                case "\\": isEscaped = true
                case "*": if tokens.last != .run { tokens.append(.run) }
                case "?": tokens.append(.any)
                default: tokens.append(.scalar(scalar))
                }
            }
        }
    }

    /// Whether the pattern is the whole name; a leading dot must be written out.
    func matches(_ name: String) -> Bool {
        let name = Array(name.unicodeScalars)
        if name.first == ".", tokens.first != .scalar(".") { return false }
        var token = 0
        var position = 0
        var retry: (token: Int, position: Int)?
        while position < name.count {
            if token < tokens.count, tokens[token] == .run {
                retry = (token, position)
                token += 1
            } else if token < tokens.count,
                tokens[token] == .any || tokens[token] == .scalar(name[position])
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

    /// Whether the text is a pattern and not just a name.
    static func hasWildcards(_ text: some StringProtocol) -> Bool {
        text.unicodeScalars.contains { $0 == "*" || $0 == "?" || $0 == "{" || $0 == "\\" }
    }

    /// The patterns without braces that a pattern stands for.
    static func alternatives(of pattern: String) throws(RecordStreamError) -> [String] {
        var finished: [String] = []
        var waiting = [Array(pattern)]
        while let text = waiting.popLast() {
            guard let open = firstBrace(text) else {
                finished.append(String(text))
                continue
            }
            guard let (parts, close) = parts(of: text, from: open) else {
                throw RecordStreamError(
                    .badPattern(reason: "a '{' is not closed"), in: pattern)
            }
            for part in parts {
                waiting.append(text[..<open] + part + text[(close + 1)...])
            }
            guard finished.count + waiting.count <= 10_000 else {
                throw RecordStreamError(
                    .badPattern(reason: "its braces stand for too many names"), in: pattern)
            }
        }
        return finished
    }

    private static func firstBrace(_ text: [Character]) -> Int? {
        var isEscaped = false
        for (index, character) in text.enumerated() {
            if isEscaped {
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "{" {
                return index
            }
        }
        return nil
    }

    private static func parts(of text: [Character], from open: Int) -> ([[Character]], Int)? {
        var parts: [[Character]] = [[]]
        var depth = 1
        var isEscaped = false
        for index in (open + 1)..<text.count {
            let character = text[index]
            if isEscaped {
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "{" {
                depth += 1
            } else if character == "}" {
                depth -= 1
                if depth == 0 { return (parts, index) }
            } else if character == ",", depth == 1 {
                parts.append([])
                continue
            }
            parts[parts.count - 1].append(character)
        }
        return nil
    }
}
