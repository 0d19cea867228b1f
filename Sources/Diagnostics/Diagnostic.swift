/// One thing to tell the user: what is wrong, where, and how to mend it.
package struct Diagnostic: Sendable, Hashable, Error {
    package enum Severity: String, Sendable, Hashable {
        case error, warning, note
    }

    /// Where the problem is.
    package enum Place: Sendable, Hashable {
        case nowhere
        /// A file as a whole, which may not exist.
        case file(String)
        /// A place in a spec or a model.
        case source(SourceLocation)
        /// A place in the data.
        case record(RecordLocation)
    }

    package var severity: Severity
    /// A stable code such as `csv.unterminated-quote`, on which scripts rely; `etl explain` knows
    /// the codes of rejects, and of others what stands before the point.
    package var code: String
    /// One sentence without the place.
    package var message: String
    package var place: Place
    /// The stage that was running, when there was one.
    package var stage: StagePlace?
    /// What the user can do about it, in the imperative.
    package var fix: String?
    /// The text at fault with a caret below it, on lines of their own.
    package var excerpt: String?
    /// Origin and kind, if they differ from what whoever collects the diagnostics assumes.
    package var fault: Fault?

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

/// Several problems found in one pass, in the order in which they are to be shown.
package struct DiagnosticList: Error, Sendable {
    package var diagnostics: [Diagnostic]

    package init(_ diagnostics: [Diagnostic]) {
        self.diagnostics = diagnostics.sorted { $0.place < $1.place }
    }
}

extension Diagnostic.Place: Comparable {
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
