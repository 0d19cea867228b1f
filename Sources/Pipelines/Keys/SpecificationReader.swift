import Diagnostics
import GraphModel
import YAML

/// What the keys of a spec share while it is read.
///
/// Reading goes on after a problem. A part that cannot be read is left out of the result, so
/// that the model's checks can run on the rest.
final class SpecificationReader {
    /// The version of the format that this reader knows.
    static let version: Int64 = 1
    static let runNames = ["run.date", "run.time", "run.id"]

    let problems: YAMLProblems
    /// Parameters and the run's own names; what `${…}` may name.
    var templateNames = runNames
    /// The parameters that something names, collected while the rest is read.
    private(set) var usedNames: Set<String> = []

    init(_ problems: YAMLProblems) {
        self.problems = problems
    }

    /// Remembers the variables of a text in the store's language.
    func noteVariables(in text: String) {
        for part in text.split(separator: "$", omittingEmptySubsequences: false).dropFirst() {
            let name = part.drop { $0 == "{" }.prefix { $0 == "_" || $0.isLetter || $0.isNumber }
            usedNames.insert(String(name))
        }
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

    /// Text in the store's language, where parameters are values and never text.
    func expression(_ value: YAMLValue) -> String? {
        guard let text = value.filledText() else { return nil }
        noteVariables(in: text)
        // By scalars: a combining mark may come after a brace.
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
