/// Parses a regular expression in ICU syntax into a tree.
///
/// Groups do not capture, since only complete matches are needed. Lazy quantifiers match the same
/// strings as greedy ones. Back-references, look-around, atomic groups, and possessive quantifiers
/// are rejected, since a machine of linear time cannot support them.
struct PatternParser {
    /// The options of `(?imsx)`, which are valid to the end of the group.
    struct Options {
        /// Whether `(?i)` is set: letters match in both cases.
        var ignoresCase = false
        /// Whether `(?m)` is set: `^` and `$` match at every line.
        var isMultiline = false
        /// Whether `(?s)` is set: a dot matches line terminators.
        var dotMatchesAll = false
        /// Whether `(?x)` is set: white space and comments from `#` to the end of the line are
        /// ignored.
        var isExtended = false
    }

    /// A node, and the number of instructions to which it will be compiled.
    struct Part {
        var node: PatternNode
        var size: Int
    }

    private static let depthMax = 100

    let scalars: [Unicode.Scalar]
    var index = 0
    var options: Options
    /// The number of open groups and classes.
    private var depth = 0
    /// The number of nested sets, properties, and operators in bracketed classes so far.
    private var classPartCount = 0

    init(_ pattern: String, _ options: Options) {
        scalars = Array(pattern.unicodeScalars)
        self.options = options
    }

    /// Parses the complete pattern.
    mutating func parse() throws(PatternError) -> PatternNode {
        let part = try choice()
        if index < scalars.count { throw error("')' closes no group", at: index) }
        return part.node
    }

    func error(_ message: String, at index: Int) -> PatternError {
        PatternError(message: message, column: index + 1)
    }

    /// Returns the scalar at a distance from the next one, or `nil` at the end.
    func peek(_ distance: Int = 0) -> Unicode.Scalar? {
        index + distance < scalars.count ? scalars[index + distance] : nil
    }

    mutating func take(_ text: String) -> Bool {
        guard scalars[index...].starts(with: text.unicodeScalars) else { return false }
        index += text.unicodeScalars.count
        return true
    }

    mutating func enter(at start: Int) throws(PatternError) {
        depth += 1
        guard depth <= Self.depthMax else {
            throw error("Groups are nested more than \(Self.depthMax) deep", at: start)
        }
    }

    mutating func leave() { depth -= 1 }

    // MARK: Levels

    /// Counts a part of a bracketed class, and throws if there are too many.
    ///
    /// Each scalar of a text may have to test every part.
    mutating func countClassPart(at start: Int) throws(PatternError) {
        classPartCount += 1
        try check(classPartCount, at: start)
    }

    private mutating func choice() throws(PatternError) -> Part {
        let first = try sequence()
        guard peek() == "|" else { return first }
        var nodes = [first.node]
        var size = first.size
        while peek() == "|" {
            let bar = index
            index += 1
            let part = try sequence()
            nodes.append(part.node)
            size += part.size + 1
            try check(size, at: bar)
        }
        return Part(node: .choice(nodes), size: size)
    }

    private mutating func sequence() throws(PatternError) -> Part {
        var nodes: [PatternNode] = []
        var size = 0
        while true {
            if options.isExtended { skipComments() }
            guard let next = peek(), next != "|", next != ")" else { break }
            let start = index
            if take("\\Q") {
                while index < scalars.count, !take("\\E") {
                    let scalar = scalars[index]
                    index += 1
                    // The quantifier after the quotation repeats its last scalar.
                    let isLast = take("\\E")
                    let part = Part(node: literal(scalar), size: 1)
                    let repeated = isLast ? try quantified(part) : part
                    nodes.append(repeated.node)
                    size += repeated.size
                    if isLast { break }
                }
            } else if let atom = try atom() {
                let part = try quantified(atom)
                if part.size > 0 { nodes.append(part.node) }
                size += part.size
            }
            try check(size, at: start)
        }
        return Part(node: nodes.count == 1 ? nodes[0] : .sequence(nodes), size: size)
    }

    private func check(_ size: Int, at start: Int) throws(PatternError) {
        guard size < PatternProgram.instructionsMax else {
            throw error("The pattern has more than 10,000 states from here", at: start)
        }
    }

    mutating func skipComments() {
        while let next = peek() {
            if next == "#" {
                while let scalar = peek(), !ScalarProperty.isLineTerminator(scalar) { index += 1 }
            } else if next.properties.isPatternWhitespace {
                index += 1
            } else {
                return
            }
        }
    }

    func literal(_ scalar: Unicode.Scalar) -> PatternNode {
        .scalar(.scalar(scalar, ignoresCase: options.ignoresCase))
    }

    /// Parses one atom; returns `nil` if it has no node, such as `(?i)` or a comment.
    private mutating func atom() throws(PatternError) -> Part? {
        let start = index
        let scalar = scalars[index]
        index += 1
        switch scalar {
        case "(": return try group(at: start)
        case "[": return Part(node: .scalar(try characterClass(at: start)), size: 1)
        case "\\": return try escape(at: start)
        case ".":
            let node = ScalarTest.property(.lineTerminator)
            return Part(node: .scalar(options.dotMatchesAll ? .any : .not(node)), size: 1)
        case "^":
            return Part(
                node: .assertion(options.isMultiline ? .lineStart : .textStart), size: 1)
        case "$":
            return Part(
                node: .assertion(options.isMultiline ? .lineEnd : .lastLineEnd), size: 1)
        case "*", "+", "?": throw error("'\(scalar)' has nothing to repeat", at: start)
        case "{":
            index = start
            if try bounds() != nil { throw error("'{' has nothing to repeat", at: start) }
            index = start + 1
            return Part(node: literal(scalar), size: 1)
        default: return Part(node: literal(scalar), size: 1)
        }
    }

    // MARK: Groups

    private mutating func group(at start: Int) throws(PatternError) -> Part? {
        let outer = options
        if take("?") {
            guard try groupKind(at: start) else { return nil }
        }
        try enter(at: start)
        let part = try choice()
        leave()
        guard take(")") else { throw error("'(' is not closed", at: start) }
        options = outer
        return part
    }

    /// Parses the text after `(?`; returns whether it begins a group, not a comment or an option.
    private mutating func groupKind(at start: Int) throws(PatternError) -> Bool {
        if take(":") { return true }
        if take("#") {
            while let next = peek(), next != ")" { index += 1 }
            guard take(")") else { throw error("'(' is not closed", at: start) }
            return false
        }
        if take("=") || take("!") || take("<=") || take("<!") {
            throw error("Look-ahead and look-behind are not supported", at: start)
        }
        if take(">") { throw error("Atomic groups are not supported", at: start) }
        if take("P=") || take("P>") {
            throw error("Back-references are not supported", at: start)
        }
        if take("P<") || take("<") {
            let name = index
            while let next = peek(), next != ">" {
                guard ScalarProperty.isWord(next) else { break }
                index += 1
            }
            guard index > name, take(">") else {
                throw error("The group's name is not closed by '>'", at: start)
            }
            return true
        }
        return try setOptions(at: start)
    }

    private mutating func setOptions(at start: Int) throws(PatternError) -> Bool {
        var value = true
        while let letter = peek() {
            switch letter {
            case "i": options.ignoresCase = value
            case "m": options.isMultiline = value
            case "s": options.dotMatchesAll = value
            case "x": options.isExtended = value
            case "-" where value: value = false
            case ":", ")":
                index += 1
                return letter == ":"
            default:
                throw error("The options are i, m, s, and x, not '\(letter)'", at: index)
            }
            index += 1
        }
        throw error("'(' is not closed", at: start)
    }

    // MARK: Quantifiers

    private mutating func quantified(_ part: Part) throws(PatternError) -> Part {
        if options.isExtended { skipComments() }
        let start = index
        guard let (least, most) = try quantifier() else { return part }
        let quantifier = String(String.UnicodeScalarView(scalars[start..<index]))
        _ = take("?")
        if peek() == "+" { throw error("Possessive quantifiers are not supported", at: index) }
        let next = index
        if try self.quantifier() != nil {
            throw error("'\(scalars[next])' has nothing to repeat", at: next)
        }
        guard part.size > 0, most != 0 else { return Part(node: .empty, size: 0) }
        let (copies, overflow) = part.size.multipliedReportingOverflow(
            by: max(most ?? max(least, 1), 1))
        let size = copies &+ (most.map { $0 - least } ?? 1)
        guard !overflow, size < PatternProgram.instructionsMax else {
            throw error("'\(quantifier)' makes more than 10,000 states", at: start)
        }
        return Part(node: .repetition(part.node, least: least, most: most), size: size)
    }

    private mutating func quantifier() throws(PatternError) -> (least: Int, most: Int?)? {
        switch peek() {
        case "*"?: (index += 1); return (0, nil)
        case "+"?: (index += 1); return (1, nil)
        case "?"?: (index += 1); return (0, 1)
        case "{"?: return try bounds()
        default: return nil
        }
    }

    /// Parses `{2}`, `{2,}`, `{,3}`, or `{2,3}`; returns `nil` and consumes nothing for a literal
    /// brace.
    private mutating func bounds() throws(PatternError) -> (least: Int, most: Int?)? {
        let start = index
        index += 1
        let least = number()
        var most = least
        skipSpaces()
        if take(",") {
            skipSpaces()
            most = number()
            skipSpaces()
            if least == nil, most == nil {
                index = start
                return nil
            }
        } else if least == nil {
            index = start
            return nil
        }
        guard take("}") else {
            index = start
            return nil
        }
        if let least, let most, least > most {
            throw error("The bounds are reversed", at: start)
        }
        return (least ?? 0, most)
    }

    private mutating func skipSpaces() {
        while peek() == " " { index += 1 }
    }

    /// Parses a decimal number, capped at 1,000,000.
    private mutating func number() -> Int? {
        skipSpaces()
        var value: Int?
        while let digit = peek()?.value, digit &- 0x30 < 10 {
            value = min((value ?? 0) * 10 + Int(digit - 0x30), 1_000_000)
            index += 1
        }
        return value
    }
}
