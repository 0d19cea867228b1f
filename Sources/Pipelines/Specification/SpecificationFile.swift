package import Diagnostics
package import GraphModel
import YAML

/// Reads spec files.
package enum SpecificationFile {
    /// Reads a file without its model; the spec is nil where a problem is an error.
    package static func read(file: String) -> (spec: PipelineSpec?, diagnostics: [Diagnostic]) {
        let (root, diagnostics) = YAMLParser.parse(file: file)
        return strict(partial(root, diagnostics, file))
    }

    /// Reads a text that is at hand; `file` is what messages call it.
    package static func read(
        text: String, file: String
    ) -> (spec: PipelineSpec?, diagnostics: [Diagnostic]) {
        let (root, diagnostics) = YAMLParser.parse(text, file: file)
        return strict(partial(root, diagnostics, file))
    }

    /// Everything that can be said without data and secrets, against the model too where the
    /// spec names one; without one, `SpecificationChecker` runs when the store is open.
    ///
    /// Parameters in the model's path have the values that `context` gives them.
    package static func check(
        file: String, _ context: ParameterValues.Context
    ) -> (spec: PipelineSpec?, model: ManagedObjectModel?, diagnostics: [Diagnostic]) {
        let (root, diagnostics) = YAMLParser.parse(file: file)
        return check(partial(root, diagnostics, file), context)
    }

    /// The same for a text that is at hand.
    package static func check(
        text: String, file: String, _ context: ParameterValues.Context
    ) -> (spec: PipelineSpec?, model: ManagedObjectModel?, diagnostics: [Diagnostic]) {
        let (root, diagnostics) = YAMLParser.parse(text, file: file)
        return check(partial(root, diagnostics, file), context)
    }

    private typealias Partial = (spec: PipelineSpec?, diagnostics: [Diagnostic])

    /// As much of the spec as can be read.
    private static func partial(
        _ root: YAMLNode?, _ diagnostics: [Diagnostic], _ file: String
    ) -> Partial {
        guard let root else { return (nil, diagnostics) }
        let problems = YAMLProblems(file: file, area: "spec")
        diagnostics.forEach(problems.report)
        var reader = SpecificationReader(problems)
        let value = YAMLValue(root: root, problems: problems, label: "spec")
        let spec = reader.read(value)
        return (spec, problems.sorted)
    }

    private static func strict(_ partial: Partial) -> Partial {
        (hasErrors(partial.diagnostics) ? nil : partial.spec, partial.diagnostics)
    }

    private static func hasErrors(_ diagnostics: [Diagnostic]) -> Bool {
        diagnostics.contains { $0.severity == .error }
    }

    private static func check(
        _ partial: Partial, _ context: ParameterValues.Context
    ) -> (spec: PipelineSpec?, model: ManagedObjectModel?, diagnostics: [Diagnostic]) {
        guard let spec = partial.spec else { return (nil, nil, partial.diagnostics) }
        var found = partial.diagnostics + ParameterValues.check(spec, context)
        let (model, modelDiagnostics) = spec.readModel(ParameterValues.partial(spec, context))
        found += modelDiagnostics
        if let model { found += SpecificationChecker.check(spec, model) }
        found += ExpressionChecker.check(spec, model)
        let sorted = DiagnosticList(found).diagnostics
        return (hasErrors(sorted) ? nil : spec, model, sorted)
    }
}

extension PipelineSpec {
    /// The model that the spec names; nil where it names none, or where it has errors.
    ///
    /// A model whose path holds a parameter without a value is left for the run.
    package func readModel(
        _ values: ParameterValues
    ) -> (model: ManagedObjectModel?, diagnostics: [Diagnostic]) {
        switch store.model {
        case nil: return (nil, [])
        case .inline(let model): return (model, [])
        case .file(let template):
            guard values.canResolve(template) else { return (nil, []) }
            let path = values.path(template)
            var (model, diagnostics) = ModelSource.read(path)
            if let first = diagnostics.first, first.code.hasPrefix("file.") {
                diagnostics = [
                    Diagnostic(
                        // What the exit status tells stays what it is.
                        code: ["file.permission", "file.resources"].contains(first.code)
                            ? first.code : "spec.model",
                        "The model '\(path)' cannot be read: \(first.message)",
                        at: .source(template.location))
                ]
            }
            return (model, diagnostics)
        }
    }
}
