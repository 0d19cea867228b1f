import Diagnostics
import GraphModel
import YAML

/// Reads a spec into typed values; whatever can be said without the model is reported here.
///
/// Reading goes on after a problem. A part that cannot be read is left out of the result, so
/// that the model's checks can run on the rest.
struct SpecificationReader {
    /// The version of the format that this reader knows.
    static let version: Int64 = 1
    static let runNames = ["run.date", "run.time", "run.id"]

    let problems: YAMLProblems
    /// Parameters and the run's own names; what `${…}` may name.
    var templateNames: [String] = runNames
    private let used = UsedNames()
    /// Whether parameters that nothing names are worth a warning.
    private let warnsOfUnused: Bool

    init(_ problems: YAMLProblems, warnsOfUnused: Bool) {
        self.problems = problems
        self.warnsOfUnused = warnsOfUnused
    }

    /// The parameters that something names, collected while the rest is read.
    private final class UsedNames {
        var names: Set<String> = []
    }

    /// The spec as far as it can be read, or nil where it is none.
    mutating func read(_ root: YAMLValue) -> PipelineSpec? {
        guard let top = root.mapping() else { return nil }
        if let model = top.optional("model"), top.optional("entities") != nil {
            model.fail(
                "is-a-model", "This file is a model, and no spec",
                fix: "name the spec that uses it; `etl model show` shows a model")
            return nil
        }
        readVersion(top)
        let name = readName(top.optional("name"))
        let parameters = readParameters(top.optional("params"))
        templateNames += parameters.map(\.name)
        let store = top.required("store").flatMap(readStore)
        let budget = readBudget(top.optional("budget"))
        let rejects = readRejects(top.optional("rejects"), root.location)
        let report = readReport(top.optional("report"), root.location)
        let onFailure = top.optional("on-failure").flatMap(readFailureCommand)
        let stages = readStages(top.required("stages"))
        let tests = readTests(top.optional("tests"))
        top.finish(.spec)
        warnOfUnused(parameters)
        return PipelineSpec(
            file: problems.file, name: name, parameters: parameters,
            store: store ?? Self.noStore(at: root.location), budget: budget, rejects: rejects,
            report: report, onFailure: onFailure, stages: stages, tests: tests)
    }

    /// Stands for a store that cannot be read, so that the stages are looked at all the same.
    private static func noStore(at place: SourceLocation) -> StoreSpec {
        StoreSpec(
            at: TemplateText(literal: "", at: place), model: nil, open: .existing, location: place)
    }

    /// Where something else is wrong, what uses a parameter may not have been read.
    private func warnOfUnused(_ parameters: [ParameterSpec]) {
        guard warnsOfUnused, !problems.hasErrors else { return }
        for parameter in parameters where !used.names.contains(parameter.name) {
            problems.report(
                Diagnostic(
                    .warning, code: "spec.unused-parameter",
                    "Nothing uses the parameter '\(parameter.name)'",
                    at: .source(parameter.location),
                    fix: "write ${\(parameter.name)} in a text or $\(parameter.name) in a "
                        + "predicate, or remove it"))
        }
    }

    /// Remembers the variables of a text in the store's language.
    func noteVariables(in text: String) {
        for part in text.split(separator: "$", omittingEmptySubsequences: false).dropFirst() {
            let name = part.drop { $0 == "{" }.prefix { $0 == "_" || $0.isLetter || $0.isNumber }
            used.names.insert(String(name))
        }
    }

    private func readVersion(_ top: YAMLMapping) {
        let value = top.required("etl", fix: "begin the file with `etl: \(Self.version)`")
        guard let value, let version = value.integer(in: 1...Int64.max) else { return }
        guard version > Self.version else { return }
        value.fail(
            "version",
            "The spec is of format \(version); this etl reads format \(Self.version)",
            fix: "use a newer etl")
    }

    /// The name that the spec gives, or the file's without its extension.
    private func readName(_ value: YAMLValue?) -> String {
        guard let value else { return Self.name(fromFile: problems.file) }
        guard let name = value.filledText() else { return "" }
        if !Self.isName(name) {
            value.fail(
                "name", "'\(name)' is no pipeline name",
                fix: "use 1 to 64 of the characters a-z, 0-9 and -")
        }
        return name
    }

    private static func isName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy {
                ("a"..."z").contains(Unicode.Scalar($0)) || ("0"..."9").contains(Unicode.Scalar($0))
                    || $0 == UInt8(ascii: "-")
            }
    }

    static func name(fromFile file: String) -> String {
        let last = PathText.lastComponent(file)
        let stem = last.unicodeScalars.split(separator: ".").first.map { String($0) } ?? ""
        let name = slug(stem)
        return name.isEmpty ? "pipeline" : String(name.prefix(64))
    }

    /// Lower-case letters, digits, and one hyphen for each run of anything else.
    static func slug(_ text: String) -> String {
        var slug = ""
        for scalar in text.lowercased().unicodeScalars {
            if ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar) {
                slug.unicodeScalars.append(scalar)
            } else if !slug.isEmpty, !slug.hasSuffix("-") {
                slug.append("-")
            }
        }
        while slug.hasSuffix("-") { slug.removeLast() }
        return slug
    }

    /// Text in which parameters may stand.
    func template(_ value: YAMLValue) -> TemplateText? {
        guard let text = value.filledText() else { return nil }
        return template(text, value)
    }

    func template(_ text: String, _ value: YAMLValue) -> TemplateText? {
        guard let template = TemplateText(parsing: text, at: value.location) else {
            value.fail(
                "parameter", "A '${' in '\(value.label)' is never closed",
                fix: "close it with '}', or write '$${' for the two characters themselves")
            return nil
        }
        used.names.formUnion(template.parameterNames)
        for name in template.parameterNames where !templateNames.contains(name) {
            value.fail(
                "unknown-parameter",
                "No parameter is named '\(name)'"
                    + Suggestion.phrase(for: name, among: templateNames),
                fix: "declare it under `params`, or write '$${' for the two characters themselves")
        }
        return template
    }

    func placed(_ value: YAMLValue) -> PlacedText? {
        value.filledText().map { PlacedText($0, value.location) }
    }

    /// N or N%.
    func limit(_ value: YAMLValue) -> CountLimit? {
        if let scalar = value.scalar, scalar.value == .text, scalar.text.hasSuffix("%"),
            let percent = Double(scalar.text.dropLast()), (0...100).contains(percent)
        {
            return .percent(percent)
        }
        guard case .integer(let count) = value.scalar?.value, count >= 0 else {
            return value.wrong("a number such as 100 or a share such as 5%")
        }
        return .count(Int(count))
    }

    /// A number, or a text whose parameters make one when the run begins.
    ///
    /// - Parameters:
    ///   - things: what is counted.
    ///   - parameter: the name of one that could stand there.
    func count(
        _ value: YAMLValue, in bounds: ClosedRange<Int64>, of things: String, parameter: String
    ) -> TemplateText? {
        if case .integer = value.scalar?.value {
            return value.integer(in: bounds).map {
                TemplateText(literal: String($0), at: value.location)
            }
        }
        guard let text = template(value) else { return nil }
        guard !text.parameterNames.isEmpty else {
            return value.wrong("a number of \(things), or a parameter such as \"${\(parameter)}\"")
        }
        return text
    }
}
