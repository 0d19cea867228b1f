/// A compiled regular expression that a complete string must match.
///
/// Matching compares Unicode scalars in time linear in the length of the string. Not `Sendable`,
/// since it caches states: each user compiles its own.
package struct CompiledPattern {
    /// The expression in source form.
    package let pattern: String
    private let machine: PatternMachine

    /// Compiles an expression.
    ///
    /// - Parameter ignoresCase: Whether letters match regardless of case.
    package init(_ pattern: String, ignoresCase: Bool = false) throws(PatternError) {
        try self.init(pattern, ignoresCase: ignoresCase, tableMax: nil)
    }

    /// Compiles an expression with a limit on the state table.
    ///
    /// - Parameter tableMax: The maximum number of entries in the machine's table, for tests.
    init(_ pattern: String, ignoresCase: Bool, tableMax: Int?) throws(PatternError) {
        self.pattern = pattern
        var parser = PatternParser(pattern, .init(ignoresCase: ignoresCase))
        let program = PatternProgram(try parser.parse())
        machine =
            if let tableMax { PatternMachine(program, tableMax: tableMax) } else {
                PatternMachine(program)
            }
    }

    /// The number of scalars read and instructions visited so far.
    var steps: Int { machine.steps }

    /// Returns whether the complete string matches.
    package func matches(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { matches($0) }
    }

    /// Returns whether the complete UTF-8 string matches.
    package func matches(_ bytes: ByteView) -> Bool {
        machine.matches(bytes, unless: nil) ?? false
    }

    /// Returns whether the complete UTF-8 string matches, or `nil` if it was stopped before the
    /// result.
    func matches(_ bytes: ByteView, unless stop: (any EvaluationStop)?) -> Bool? {
        machine.matches(bytes, unless: stop)
    }
}
