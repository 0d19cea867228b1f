/// The parts of a Swift file that the structure tests need.
///
/// These are its words outside of comments and string literals, and the declarations among them.
struct SourceOutline {
    struct Word {
        let text: String
        /// The line number, from 1.
        let line: Int
        /// The number of open braces.
        let depth: Int
    }

    struct Declaration {
        /// The keyword: `struct`, `func`, and so on.
        let kind: String
        let name: String
        let line: Int
        /// The number of lines with the braces; 1 if the declaration has no braces.
        let lineCount: Int
        /// The names of an enumeration's cases; empty if a case has a payload.
        let cases: [String]
    }

    /// The path relative to the repository's root.
    let path: String
    private(set) var words: [Word] = []
    /// The lines of string literals, joined, without interpolations.
    private(set) var literals: [String] = []
    private(set) var declarations: [Declaration] = []

    var folder: String { String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) }
    /// The second part of the path, such as `GraphStore`.
    var target: String { String(path.split(separator: "/")[1]) }

    static let types: Set = ["struct", "class", "enum", "actor", "protocol", "typealias"]

    init(path: String, text: String) {
        self.path = path
        var scanner = SourceScanner(text)
        scanner.scan()
        words = scanner.words
        literals = scanner.literals
        readDeclarations()
    }

    private mutating func readDeclarations() {
        for (place, word) in words.enumerated() {
            let isType = Self.types.contains(word.text)
            guard isType || word.text == "func" || word.text == "init", place + 1 < words.count
            else { continue }
            // `class func` and `.init` declare nothing with that name.
            let next = words[place + 1].text
            guard word.text == "init" || next.first?.isLetter == true || next.first == "_",
                !(isType && (next == "func" || next == "var" || next == "let")),
                place == 0 || words[place - 1].text != "."
            else { continue }
            declarations.append(
                Declaration(
                    kind: word.text, name: word.text == "init" ? "init" : next, line: word.line,
                    lineCount: lineCount(from: place),
                    cases: word.text == "enum" ? cases(from: place) : []))
        }
    }

    /// Returns the number of lines from a declaration's first word to its closing brace.
    private func lineCount(from place: Int) -> Int {
        let depth = words[place].depth
        guard let open = words[place...].firstIndex(where: { $0.text == "{" && $0.depth == depth }),
            !words[place + 1..<open].contains(where: { $0.depth < depth || $0.text == "}" }),
            let close = words[open...].firstIndex(where: { $0.text == "}" && $0.depth == depth })
        else { return 1 }
        return words[close].line - words[place].line + 1
    }

    private func cases(from place: Int) -> [String] {
        let depth = words[place].depth
        guard let open = words[place...].firstIndex(where: { $0.text == "{" && $0.depth == depth }),
            let close = words[open...].firstIndex(where: { $0.text == "}" && $0.depth == depth })
        else { return [] }
        var found: [String] = []
        var position = open + 1
        while position < close {
            defer { position += 1 }
            guard words[position].text == "case", words[position].depth == depth + 1 else {
                continue
            }
            let line = words[position].line
            var expectsName = true
            position += 1
            while position < close, words[position].line == line || words[position - 1].text == ","
            {
                let text = words[position].text
                if text == "(" { return [] }
                if text == "," {
                    expectsName = true
                } else if expectsName {
                    found.append(text)
                    expectsName = false
                }
                position += 1
            }
            position -= 1
        }
        return found
    }
}

/// A scanner that splits Swift into words, skips comments, and collects string literals separately.
private struct SourceScanner {
    var words: [SourceOutline.Word] = []
    var literals: [String] = []
    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var depth = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    /// Reads to the end, or to the parenthesis that closes an interpolation.
    mutating func scan(isInterpolation: Bool = false) {
        var parentheses = 0
        while position < bytes.count {
            let byte = bytes[position]
            if starts("//") {
                while position < bytes.count, bytes[position] != 10 { position += 1 }
            } else if starts("/*") {
                skipComment()
            } else if byte == UInt8(ascii: "\"") || startsRawText || startsRegex {
                readLiteral()
            } else if Self.isWord(byte) {
                let start = position
                while position < bytes.count, Self.isWord(bytes[position]) { position += 1 }
                add(start)
            } else {
                if byte == UInt8(ascii: "(") { parentheses += 1 }
                if byte == UInt8(ascii: ")") {
                    if isInterpolation, parentheses == 0 { return }
                    parentheses -= 1
                }
                if byte == UInt8(ascii: "}") { depth -= 1 }
                if byte > 32, byte != UInt8(ascii: "`") { add(position, count: 1) }
                if byte == UInt8(ascii: "{") { depth += 1 }
                if byte == 10 { line += 1 }
                position += 1
            }
        }
    }

    private mutating func add(_ start: Int, count: Int? = nil) {
        let end = count.map { start + $0 } ?? position
        words.append(
            SourceOutline.Word(
                text: String(decoding: bytes[start..<end], as: UTF8.self), line: line, depth: depth)
        )
    }

    private mutating func skipComment() {
        position += 2
        while position < bytes.count, !starts("*/") {
            if bytes[position] == 10 { line += 1 }
            position += 1
        }
        position += 2
    }

    /// Whether `#"…"#` starts here.
    private var startsRawText: Bool { after(hashesFrom: position) == UInt8(ascii: "\"") }
    /// Whether `#/…/#` starts here.
    private var startsRegex: Bool { after(hashesFrom: position) == UInt8(ascii: "/") }

    private func after(hashesFrom start: Int) -> UInt8? {
        var end = start
        while end < bytes.count, bytes[end] == UInt8(ascii: "#") { end += 1 }
        return end > start && end < bytes.count ? bytes[end] : nil
    }

    private mutating func readLiteral() {
        var hashes = 0
        while bytes[position] == UInt8(ascii: "#") {
            hashes += 1
            position += 1
        }
        let mark = bytes[position]
        let isLong = mark == UInt8(ascii: "\"") && starts("\"\"\"")
        let count = isLong ? 3 : 1
        position += count
        var text: [UInt8] = []
        while position < bytes.count {
            if closes(mark, count, hashes) {
                position += count + hashes
                break
            }
            if bytes[position] == UInt8(ascii: "\\"), hasHashes(position + 1, hashes) {
                position += 1 + hashes
                let isInterpolation = position < bytes.count && bytes[position] == UInt8(ascii: "(")
                position += 1
                if isInterpolation, mark == UInt8(ascii: "\"") {
                    scan(isInterpolation: true)
                    position += 1
                }
                continue
            }
            if bytes[position] == 10 { line += 1 }
            text.append(bytes[position])
            position += 1
        }
        literals.append(String(decoding: text, as: UTF8.self))
    }

    private func closes(_ mark: UInt8, _ count: Int, _ hashes: Int) -> Bool {
        guard position + count + hashes <= bytes.count else { return false }
        for place in position..<position + count where bytes[place] != mark { return false }
        return hasHashes(position + count, hashes)
    }

    private func hasHashes(_ start: Int, _ count: Int) -> Bool {
        guard start + count <= bytes.count else { return false }
        for place in start..<start + count where bytes[place] != UInt8(ascii: "#") { return false }
        return true
    }

    private func starts(_ text: String) -> Bool {
        bytes.count - position >= text.utf8.count
            && bytes[position..<position + text.utf8.count].elementsEqual(text.utf8)
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
            true
        default: false
        }
    }
}
