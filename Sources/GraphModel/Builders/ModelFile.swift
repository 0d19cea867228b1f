package import Diagnostics
package import YAML

/// The result of reading a model file: the model, and all problems of the file.
package struct ModelReading: Sendable, Hashable {
    /// The model; `nil` if a problem is an error.
    package var model: ManagedObjectModel?
    /// The certain part of the model, even if other parts contain errors.
    ///
    /// If only the name of a property is certain, the property is an attribute of undefined type.
    package var known: ManagedObjectModel?
    /// The entities of which the file has properties with errors, so that `known` may lack some.
    package var unknownEntities: Set<String> = []
    /// The files of older versions with their locations, oldest first, as written in the model
    /// file.
    package var history: [PlacedName] = []
    /// The locations of derived attributes, by `ENTITY.ATTRIBUTE`.
    package var derivedPlaces: [String: SourceLocation] = [:]
    /// All problems, in the order of the file.
    package var diagnostics: [Diagnostic]

    /// Creates a reading that has problems only.
    package init(diagnostics: [Diagnostic]) {
        self.diagnostics = diagnostics
    }

    /// Creates a reading from a source that yields either a complete model or none.
    package init(model: ManagedObjectModel?, diagnostics: [Diagnostic]) {
        self.model = model
        known = model
        self.diagnostics = diagnostics
    }

    /// Adapts the model that was read for a store that keeps decimals exactly.
    package mutating func keepExactDecimals() {
        // Both models were valid, so rebuilding them cannot fail.
        model = model.flatMap { try? $0.keepingExactDecimals(true) }
        known = known.flatMap { try? $0.keepingExactDecimals(true) }
    }
}

/// Reads a model from YAML.
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
/// Reading has three steps: parse the declarations with their locations, run all lints, and build
/// the model if no lint reports an error. So one reading reports every problem.
package enum ModelFile {
    /// The format version that this reader supports.
    package static let version: Int64 = 1

    /// Reads a file; the model is `nil` if a problem is an error.
    package static func read(
        file: String
    ) -> (model: ManagedObjectModel?, diagnostics: [Diagnostic]) {
        let reading = reading(file: file)
        return (reading.model, reading.diagnostics)
    }

    /// Reads a file and keeps the certain part of a model with errors.
    package static func reading(file: String) -> ModelReading {
        let (root, diagnostics) = YAMLParser.parse(file: file)
        return reading(root, after: diagnostics, file: file)
    }

    /// Reads a YAML string; `file` is its name in messages.
    package static func read(
        text: String, file: String = "model"
    ) -> (model: ManagedObjectModel?, diagnostics: [Diagnostic]) {
        let reading = reading(text: text, file: file)
        return (reading.model, reading.diagnostics)
    }

    /// Reads a YAML string and keeps the certain part of a model with errors.
    static func reading(text: String, file: String) -> ModelReading {
        let (root, diagnostics) = YAMLParser.parse(text, file: file)
        return reading(root, after: diagnostics, file: file)
    }

    /// Reads a model inside a spec, at `keyPath`, where `model: 1` is optional.
    package static func reading(
        node: YAMLNode, file: String, keyPath: String
    ) -> ModelReading {
        let problems = YAMLProblems(file: file, area: "model")
        let value = YAMLValue(root: node, problems: problems, keyPath: keyPath, label: "model")
        return read(value, isInline: true)
    }

    /// Reads a parsed file and adds its problems to the parser's.
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

    /// Runs all lints over the declarations and builds the model.
    static func reading(
        of declared: ModelDeclarations, _ problems: YAMLProblems
    ) -> ModelReading {
        ModelLints(declared, problems).check()
        var reading = ModelReading(diagnostics: [])
        reading.history = declared.history
        for entity in declared.entities {
            let own = zip(entity.description.ownAttributes, entity.attributePlaces)
            for (attribute, place) in own where attribute.derivationExpression != nil {
                reading.derivedPlaces["\(entity.name).\(attribute.name)"] = place
            }
        }
        do {
            let known =
                problems.hasErrors ? KnownDeclarations(declared) : KnownDeclarations(all: declared)
            let model = try known.declared.model()
            reading.known = declared.misspelled.contains("entities") ? nil : model
            reading.unknownEntities = known.unknownEntities
            FormatLints.check(known.declared, model, problems)
            reading.model = problems.hasErrors ? nil : model
        } catch {
            // The lints report the same error with a location; this covers errors that they miss.
            if !problems.hasErrors {
                problems.report("model.invalid", error.description, at: .file(problems.file))
            }
        }
        reading.diagnostics = problems.sorted
        return reading
    }
}
