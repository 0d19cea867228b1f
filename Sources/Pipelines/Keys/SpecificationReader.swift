import Diagnostics
import YAML

/// The state that the keys of a spec share while it is read.
///
/// Reading continues after a problem. A part that cannot be read is left out of the result, so that
/// the model checks can run on the rest.
final class SpecificationReader {
    /// The supported version of the spec format.
    static let version: Int64 = 1
    static let runNames = ["run.date", "run.time", "run.id"]

    let problems: YAMLProblems
    /// The names that `${…}` may contain: parameters and the run's built-in names.
    var templateNames = runNames
    /// The parameters that the spec uses, collected while it is read.
    private(set) var usedNames: Set<String> = []

    init(_ problems: YAMLProblems) {
        self.problems = problems
    }

    /// Records that the spec uses the parameters that a predicate or expression names as variables.
    func noteVariables(in text: String) {
        for part in text.split(separator: "$", omittingEmptySubsequences: false).dropFirst() {
            let name = part.drop { $0 == "{" }.prefix { $0 == "_" || $0.isLetter || $0.isNumber }
            usedNames.insert(String(name))
        }
    }

    /// Returns text that may contain parameters.
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
        usedNames.formUnion(template.parameterNames)
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

    /// Returns a predicate or expression, in which `$name` is a value and `${name}` is an error.
    func expression(_ value: YAMLValue) -> String? {
        guard let text = value.filledText() else { return nil }
        noteVariables(in: text)
        // Compare scalars: a combining mark may follow a brace.
        let scalars = text.unicodeScalars
        guard let start = scalars.firstRange(of: "${".unicodeScalars) else { return text }
        let rest = scalars[start.upperBound...]
        let name = rest.firstIndex(of: "}").map { String(rest[..<$0]) }
        value.fail(
            "template-in-predicate",
            "'${\(name.map { $0 + "}" } ?? "")' would put text into '\(value.label)'; "
                + "a parameter is a value there",
            fix: "write $\(name ?? "name"), without quotes")
        return nil
    }
}
