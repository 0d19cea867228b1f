package import Diagnostics
package import YAML

/// A model as far as its file tells it, and what is wrong with the file.
package struct ModelReading: Sendable, Hashable {
    /// The model; nil where a problem is an error.
    package var model: ManagedObjectModel?
    /// What is certain, whatever else is wrong; a property of which only the name is certain is an
    /// attribute of undefined type.
    package var known: ManagedObjectModel?
    /// Entities that the file declares, and whose properties are not all certain.
    package var unknownEntities: Set<String> = []
    /// The files of older versions, oldest first, as the file names them, with their places.
    package var history: [PlacedName] = []
    /// Every problem, in the order of the file.
    package var diagnostics: [Diagnostic]

    /// Nothing but problems.
    package init(diagnostics: [Diagnostic]) {
        self.diagnostics = diagnostics
    }

    /// What a reader says that knows all or nothing.
    package init(model: ManagedObjectModel?, diagnostics: [Diagnostic]) {
        self.model = model
        known = model
        self.diagnostics = diagnostics
    }

    /// Takes the model as a store has it that keeps all digits of decimals.
    package mutating func keepExactDecimals() {
        // Models that were made once can be made again.
        model = model.flatMap { try? $0.keepingExactDecimals(true) }
        known = known.flatMap { try? $0.keepingExactDecimals(true) }
    }
}

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
        let reading = reading(file: file)
        return (reading.model, reading.diagnostics)
    }

    /// Reads a file, and keeps what can be known of a model with errors.
    package static func reading(file: String) -> ModelReading {
        let (root, diagnostics) = YAMLParser.parse(file: file)
        return reading(root, after: diagnostics, file: file)
    }

    /// Reads a text that is at hand; `file` is what messages call it.
    package static func read(
        text: String, file: String = "model"
    ) -> (model: ManagedObjectModel?, diagnostics: [Diagnostic]) {
        let reading = reading(text: text, file: file)
        return (reading.model, reading.diagnostics)
    }

    /// Reads a text, and keeps what can be known of a model with errors.
    static func reading(text: String, file: String) -> ModelReading {
        let (root, diagnostics) = YAMLParser.parse(text, file: file)
        return reading(root, after: diagnostics, file: file)
    }

    /// Reads a model that stands inside a spec, at `keyPath`; there `model: 1` may be left out.
    package static func reading(
        node: YAMLNode, file: String, keyPath: String
    ) -> ModelReading {
        let problems = YAMLProblems(file: file, area: "model")
        let value = YAMLValue(root: node, problems: problems, keyPath: keyPath, label: "model")
        return read(value, isInline: true)
    }

    /// Reads a file that is parsed, after what was found in that.
    package static func reading(
        _ root: YAMLNode?, after diagnostics: [Diagnostic], file: String
    ) -> ModelReading {
        guard let root else { return ModelReading(diagnostics: diagnostics) }
        let problems = YAMLProblems(file: file, area: "model")
        diagnostics.forEach(problems.report)
        return read(YAMLValue(root: root, problems: problems, label: "model"), isInline: false)
    }

    private static func read(_ value: YAMLValue, isInline: Bool) -> ModelReading {
        let problems = value.problems
        guard let declared = ModelReader.read(value, isInline: isInline) else {
            return ModelReading(diagnostics: problems.sorted)
        }
        return reading(of: declared, problems)
    }

    /// What the declarations come to, and all that was found.
    static func reading(
        of declared: ModelDeclarations, _ problems: YAMLProblems
    ) -> ModelReading {
        ModelLints(declared, problems).check()
        var reading = ModelReading(diagnostics: [])
        reading.history = declared.history
        do {
            let known =
                problems.hasErrors ? KnownDeclarations(declared) : KnownDeclarations(all: declared)
            let model = try known.declared.model()
            reading.known = declared.misspelled.contains("entities") ? nil : model
            reading.unknownEntities = known.unknownEntities
            RuleLints.check(known.declared, model, problems)
            PredicateLints.check(known.declared, model, problems)
            reading.model = problems.hasErrors ? nil : model
        } catch {
            // The lints say the same with a place; this is for what they might overlook.
            if !problems.hasErrors {
                problems.report("model.invalid", error.description, at: .file(problems.file))
            }
        }
        reading.diagnostics = problems.sorted
        return reading
    }
}
