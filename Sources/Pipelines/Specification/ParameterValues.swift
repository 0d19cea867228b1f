package import Diagnostics
import Files
package import FoundationEssentials
import GraphModel

/// The parameters of one run with their values, and what `${…}` becomes.
package struct ParameterValues: Sendable {
    /// What the values are bound from.
    package struct Context: Sendable {
        /// The `--set` flags, each `name=value`; several of one name are a list.
        package var sets: [String]
        /// The environment's variables.
        package var environment: [String: String]
        /// The start of the run.
        package var now: Date
        /// The absolute path at which relative paths of `--set` start.
        package var workingFolder: String
        /// The run's name; without one, its start.
        package var runID: String?

        /// Makes a context.
        package init(
            sets: [String] = [], environment: [String: String] = [:], now: Date,
            workingFolder: String, runID: String? = nil
        ) {
            self.sets = sets
            self.environment = environment
            self.now = now
            self.workingFolder = workingFolder
            self.runID = runID
        }
    }

    /// The values by name, also those of `now` and `today`; for `$name` in predicates.
    package private(set) var values: [String: ParameterValue]
    private let runTexts: [String: String]
    let specFolder: String

    /// Binds every parameter, or reports every one that cannot be bound.
    ///
    /// `--set` wins over `from`, and that over `default`.
    package static func bind(
        _ spec: PipelineSpec, _ context: Context
    ) -> (values: ParameterValues?, diagnostics: [Diagnostic]) {
        var binder = ParameterBinder(spec, context)
        binder.bind(readingSources: true)
        guard binder.diagnostics.isEmpty else {
            return (nil, DiagnosticList(binder.diagnostics).diagnostics)
        }
        return (ParameterValues(binder.values, spec, context), [])
    }

    /// The problems that show without secrets: those of `--set`.
    package static func check(_ spec: PipelineSpec, _ context: Context) -> [Diagnostic] {
        var binder = ParameterBinder(spec, context)
        binder.bind(readingSources: false)
        return DiagnosticList(binder.diagnostics).diagnostics
    }

    /// The values that are known without sources, for checks.
    static func partial(_ spec: PipelineSpec, _ context: Context) -> ParameterValues {
        var binder = ParameterBinder(spec, context)
        binder.bind(readingSources: false)
        return ParameterValues(binder.values, spec, context)
    }

    /// Whether every parameter of the text has a value.
    func canResolve(_ template: TemplateText) -> Bool {
        template.parameterNames.allSatisfy { runTexts[$0] != nil || values[$0] != nil }
    }

    private init(
        _ values: [String: ParameterValue], _ spec: PipelineSpec, _ context: Context
    ) {
        let now = context.now.timeIntervalSinceReferenceDate
        let today = (now / 86_400).rounded(.down) * 86_400
        for case .secret(let secret) in values.values { OutputText.hide(secret) }
        self.values = values
        self.values["now"] = .date(now, text: TimeText.iso(now))
        self.values["today"] = .date(today, text: TimeText.iso(today))
        let second = TimeText.iso(now.rounded(.down)).filter { $0 != "-" && $0 != ":" }
        runTexts = [
            "run.date": String(TimeText.iso(today).prefix(10)),
            "run.time": String(second.dropFirst(9).prefix(6)),
            "run.id": context.runID ?? second,
        ]
        specFolder = spec.folder
    }

    /// Tells whether another run has the same values; those of secrets are left out.
    var identity: String {
        values.sorted { $0.key < $1.key }.filter { !["now", "today"].contains($0.key) }
            .map { "\($0.key)=\($0.value)" }.joined(separator: "\n")
    }

    /// `run.date`.
    var runDate: String { runTexts["run.date"] ?? "" }

    /// The text with its parameters put in; it may hold secrets.
    package func resolve(_ template: TemplateText) -> String {
        fill(template) { $0.text }
    }

    /// The same for messages and reports, with `***` for each secret.
    package func shown(_ template: TemplateText) -> String {
        fill(template) { $0.description }
    }

    /// The secrets by the names of their parameters.
    var secrets: [(name: String, text: String)] {
        values.compactMap { name, value in
            guard case .secret(let text) = value, !text.isEmpty else { return nil }
            return (name, text)
        }.sorted { ($1.text.utf8.count, $0.name) < ($0.text.utf8.count, $1.name) }
    }

    /// The text as a path; a relative one starts at the spec's folder, and `-` stays.
    package func path(_ template: TemplateText) -> String {
        let text = resolve(template)
        return text == "-"
            ? text
            : PathText.tidied(
                PathText.join(specFolder, text), isLink: FileSystem.isLink)
    }

    /// The number that a text makes.
    ///
    /// - Throws: `RunFailure` with status 78 where it makes none.
    func count(
        _ template: TemplateText, in bounds: ClosedRange<Int64>, of things: String, key: String
    ) throws(RunFailure) -> Int {
        let text = resolve(template)
        guard let count = Int64(text), bounds.contains(count) else {
            throw RunFailure(
                .configuration,
                [
                    Diagnostic(
                        code: "spec.type", "'\(key)' is '\(text)', which is no number of \(things)",
                        at: .source(template.location),
                        fix: "give a number from \(bounds.lowerBound) to \(bounds.upperBound)")
                ])
        }
        return Int(count)
    }

    private func fill(_ template: TemplateText, _ text: (ParameterValue) -> String) -> String {
        template.parts.map { part in
            switch part {
            case .literal(let literal): literal
            case .parameter(let name): runTexts[name] ?? values[name].map(text) ?? ""
            }
        }.joined()
    }

    /// A text as a value of the kind, or nil; paths are taken as they are.
    static func convert(
        _ text: String, _ kind: ParameterSpec.Kind, now: Double
    ) -> ParameterValue? {
        switch kind {
        case .string: .string(text)
        case .secret: .secret(text)
        case .path: text.isEmpty ? nil : .path(text)
        case .int: Int64(text).map { .int($0) }
        case .bool: text == "true" ? .bool(true) : text == "false" ? .bool(false) : nil
        case .date: TimeText.date(text, now: now).map { .date($0, text: TimeText.iso($0)) }
        case .duration: TimeText.duration(text).map { .duration($0, text: text) }
        case .list: .list(text.split(whereSeparator: \.isNewline).map(String.init))
        }
    }
}
