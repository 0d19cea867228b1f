package import Diagnostics
import Files
package import FoundationEssentials
import GraphModel

/// The parameters of one run with their values, and the replacement of `${…}`.
package struct ParameterValues: Sendable {
    /// The inputs from which values are bound.
    package struct Context: Sendable {
        /// The `--set` flags, each `name=value`; several flags with one name form a list.
        package var sets: [String]
        /// The environment variables.
        package var environment: [String: String]
        /// The start time of the run.
        package var now: Date
        /// The absolute path of the base folder for relative paths in `--set`.
        package var workingFolder: String
        /// The name of the run; by default, its start time.
        package var runID: String?

        /// Creates a context.
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

    /// The values by name for `$name` in predicates, including `now` and `today`.
    package private(set) var values: [String: ParameterValue]
    private let runTexts: [String: String]
    let specFolder: String

    /// Binds every parameter, or reports every parameter that cannot be bound.
    ///
    /// `--set` takes precedence over `from`, and `from` over `default`.
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

    /// Returns the problems that can be found without reading sources.
    package static func check(_ spec: PipelineSpec, _ context: Context) -> [Diagnostic] {
        var binder = ParameterBinder(spec, context)
        binder.bind(readingSources: false)
        return DiagnosticList(binder.diagnostics).diagnostics
    }

    /// Returns the values that are known without reading sources, for checks.
    static func partial(_ spec: PipelineSpec, _ context: Context) -> ParameterValues {
        var binder = ParameterBinder(spec, context)
        binder.bind(readingSources: false)
        return ParameterValues(binder.values, spec, context)
    }

    /// Returns whether every parameter of the text has a value.
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
        self.values["now"] = .date(now, text: ScalarText.isoDate(now))
        self.values["today"] = .date(today, text: ScalarText.isoDate(today))
        let second = ScalarText.isoDate(now.rounded(.down)).filter { $0 != "-" && $0 != ":" }
        runTexts = [
            "run.date": String(ScalarText.isoDate(today).prefix(10)),
            "run.time": String(second.dropFirst(9).prefix(6)),
            "run.id": context.runID ?? second,
        ]
        specFolder = spec.folder
    }

    /// A text that is equal for runs with the same values; secrets are masked.
    var identity: String {
        values.sorted { $0.key < $1.key }.filter { !["now", "today"].contains($0.key) }
            .map { "\($0.key)=\($0.value)" }.joined(separator: "\n")
    }

    /// The value of `run.date`.
    var runDate: String { runTexts["run.date"] ?? "" }

    /// Returns the text with its parameters replaced; it may contain secrets.
    package func resolve(_ template: TemplateText) -> String {
        fill(template) { $0.text }
    }

    /// Returns the text for messages and reports, with `***` for each secret.
    package func shown(_ template: TemplateText) -> String {
        fill(template) { $0.description }
    }

    /// The secrets with the names of their parameters, longest first.
    var secrets: [(name: String, text: String)] {
        values.compactMap { name, value in
            guard case .secret(let text) = value, !text.isEmpty else { return nil }
            return (name, text)
        }.sorted { ($1.text.utf8.count, $0.name) < ($0.text.utf8.count, $1.name) }
    }

    /// Returns the text as a path; a relative path starts at the spec's folder, and `-` is
    /// unchanged.
    package func path(_ template: TemplateText) -> String {
        let text = resolve(template)
        return text == "-"
            ? text
            : PathText.tidied(
                PathText.join(specFolder, text), isLink: FileSystem.isLink)
    }

    /// Returns the number that a text resolves to.
    ///
    /// - Throws: `RunFailure` with status 78 if the text is not a valid number.
    func count(
        _ template: TemplateText, in bounds: ClosedRange<Int64>, of things: String, key: String
    ) throws(RunFailure) -> Int {
        let text = resolve(template)
        guard let count = Int64(text), bounds.contains(count) else {
            throw RunFailure(
                .configuration, code: "spec.type",
                "'\(key)' is '\(text)', which is not a valid number of \(things)",
                at: .source(template.location),
                fix: "give a number from \(bounds.lowerBound) to \(bounds.upperBound)")
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

    /// Converts a text to a value of the kind, or returns `nil`; paths are not resolved.
    static func convert(
        _ text: String, _ kind: ParameterSpec.Kind, now: Double
    ) -> ParameterValue? {
        switch kind {
        case .string: .string(text)
        case .secret: .secret(text)
        case .path: text.isEmpty ? nil : .path(text)
        case .int: Int64(text).map { .int($0) }
        case .bool: text == "true" ? .bool(true) : text == "false" ? .bool(false) : nil
        case .date: TimeText.date(text, now: now).map { .date($0, text: ScalarText.isoDate($0)) }
        case .duration: TimeText.duration(text).map { .duration($0, text: text) }
        case .list: .list(text.split(whereSeparator: \.isNewline).map(String.init))
        }
    }
}
