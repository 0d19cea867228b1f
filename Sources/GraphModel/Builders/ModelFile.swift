package import Diagnostics
package import YAML

/// Reads a model that is written in YAML.
///
/// ```yaml
/// model: 1
/// entities:
///   Task:
///     attributes:
///       id:    { type: UUID, optional: false }
///       title: String
///     unique: [[id]]
/// ```
/// Reading has three steps: the file's declarations with their places, the lints over all of
/// them, and the model where no lint is an error. So one reading tells every problem.
package enum ModelFile {
    /// The version of the format that this reader knows.
    package static let version: Int64 = 1

    /// Reads a file; the model is nil where a problem is an error.
    package static func read(
        file: String
    ) -> (model: ManagedObjectModel?, diagnostics: [Diagnostic]) {
        let (root, diagnostics) = YAMLParser.parse(file: file)
        return read(root, after: diagnostics, file: file)
    }

    /// Reads a text that is at hand; `file` is what messages call it.
    package static func read(
        text: String, file: String = "model"
    ) -> (model: ManagedObjectModel?, diagnostics: [Diagnostic]) {
        let (root, diagnostics) = YAMLParser.parse(text, file: file)
        return read(root, after: diagnostics, file: file)
    }

    /// Reads a model that stands inside a spec, at `keyPath`; there `model: 1` may be left out.
    package static func read(
        node: YAMLNode, file: String, keyPath: String
    ) -> (model: ManagedObjectModel?, diagnostics: [Diagnostic]) {
        let problems = YAMLProblems(file: file, area: "model")
        let value = YAMLValue(root: node, problems: problems, keyPath: keyPath, label: "model")
        return read(value, isInline: true)
    }

    private static func read(
        _ root: YAMLNode?, after diagnostics: [Diagnostic], file: String
    ) -> (model: ManagedObjectModel?, diagnostics: [Diagnostic]) {
        guard let root else { return (nil, diagnostics) }
        let problems = YAMLProblems(file: file, area: "model")
        diagnostics.forEach(problems.report)
        return read(YAMLValue(root: root, problems: problems, label: "model"), isInline: false)
    }

    private static func read(
        _ value: YAMLValue, isInline: Bool
    ) -> (model: ManagedObjectModel?, diagnostics: [Diagnostic]) {
        let problems = value.problems
        guard let declared = ModelReader.read(value, isInline: isInline) else {
            return (nil, problems.sorted)
        }
        return model(of: declared, problems)
    }

    /// The model of the declarations, where no lint is an error, and all that was found.
    static func model(
        of declared: ModelDeclarations, _ problems: YAMLProblems
    ) -> (model: ManagedObjectModel?, diagnostics: [Diagnostic]) {
        ModelLints(declared, problems).check()
        guard !problems.hasErrors else { return (nil, problems.sorted) }
        do {
            let model = try declared.model()
            RuleLints.check(declared, model, problems)
            PredicateLints.check(declared, model, problems)
            return (problems.hasErrors ? nil : model, problems.sorted)
        } catch {
            // The lints say the same with a place; this is for what they might overlook.
            problems.report("model.invalid", error.description, at: .file(problems.file))
            return (nil, problems.sorted)
        }
    }
}
