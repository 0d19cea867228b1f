/// A regular expression that a whole text must match, compiled once.
///
/// Matching compares Unicode scalars, and takes time that grows with the length of the text
/// only. Not `Sendable`, since it remembers what it has met: each user compiles its own.
package struct CompiledPattern {
    /// The expression as written.
    package let pattern: String
    private let machine: PatternMachine

    /// Compiles an expression.
    ///
    /// - Parameter ignoresCase: letters match whatever their case.
    package init(_ pattern: String, ignoresCase: Bool = false) throws(PatternError) {
        try self.init(pattern, ignoresCase: ignoresCase, tableMax: nil)
    }

    /// - Parameter tableMax: how much the machine remembers, for tests.
    init(_ pattern: String, ignoresCase: Bool, tableMax: Int?) throws(PatternError) {
        self.pattern = pattern
        var parser = PatternParser(pattern, .init(ignoresCase: ignoresCase))
        let program = PatternProgram(try parser.parse())
        machine =
            if let tableMax { PatternMachine(program, tableMax: tableMax) } else {
                PatternMachine(program)
            }
    }

    /// Scalars read and instructions visited so far.
    var steps: Int { machine.steps }

    /// Whether the whole text matches.
    package func matches(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { matches($0) }
    }

    /// Whether the whole text, in UTF-8, matches.
    package func matches(_ bytes: ByteView) -> Bool {
        machine.matches(bytes, unless: nil) ?? false
    }

    /// The same; nil where it was stopped before that was known.
    func matches(_ bytes: ByteView, unless stop: (any EvaluationStop)?) -> Bool? {
        machine.matches(bytes, unless: stop)
    }
}
