/// A message to the user: the problem, its location, and the fix.
package struct Diagnostic: Sendable, Hashable, Error {
    /// The severity of a diagnostic; the raw value is the word before the message.
    package enum Severity: String, Sendable, Hashable {
        case error, warning, note
    }

    /// The location of a problem.
    package enum Place: Sendable, Hashable {
        case nowhere
        /// A complete file, which may not exist.
        case file(String)
        /// A location in a spec or a model.
        case source(SourceLocation)
        /// A location in the data.
        case record(RecordLocation)
    }

    /// The severity, which the text shows before the message.
    package var severity: Severity
    /// A stable code for scripts, such as `csv.unterminated-quote`.
    ///
    /// `etl explain` explains it; if a code has no entry, it explains its area, the part before the
    /// period.
    package var code: String
    /// The message, in one sentence and without the location.
    package var message: String
    /// The location of the problem, or `.nowhere` if no location is known.
    package var place: Place
    /// The stage that was running, if any.
    package var stage: StagePlace?
    /// The fix, in the imperative.
    package var fix: String?
    /// The invalid text and, on the next line, a caret below it.
    package var excerpt: String?
    /// The fault that determines the exit status; `nil` for the default of the code that reports
    /// it.
    package var fault: Fault?

    /// Creates a diagnostic; by default, it is an error without a location or a fix.
    package init(
        _ severity: Severity = .error, code: String, _ message: String,
        at place: Place = .nowhere, stage: StagePlace? = nil, fix: String? = nil,
        excerpt: String? = nil, fault: Fault? = nil
    ) {
        self.severity = severity
        self.code = code
        self.message = message
        self.place = place
        self.stage = stage
        self.fix = fix
        self.excerpt = excerpt
        self.fault = fault
    }
}

/// The problems found in one pass, sorted by location.
package struct DiagnosticList: Error, Sendable {
    /// The problems, which the initializer sorts by location.
    package var diagnostics: [Diagnostic]

    /// Creates a list of the diagnostics in the order of their locations.
    package init(_ diagnostics: [Diagnostic]) {
        self.diagnostics = diagnostics.sorted { $0.place < $1.place }
    }
}

extension Diagnostic.Place: Comparable {
    /// Returns whether the left location is first, by file, line, and column.
    package static func < (left: Self, right: Self) -> Bool {
        left.sortKey < right.sortKey
    }

    private var sortKey: (String, Int, Int) {
        switch self {
        case .nowhere: ("", 0, 0)
        case .file(let file): (file, 0, 0)
        case .source(let place): (place.file, place.line, place.column)
        case .record(let place): (place.source, place.line ?? 0, place.column ?? 0)
        }
    }
}
