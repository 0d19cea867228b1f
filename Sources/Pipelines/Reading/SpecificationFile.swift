package import Diagnostics
package import GraphModel
import GraphStore
import RecordStreams
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
        return check(partial(root, diagnostics, file, warnsOfUnused: true), context)
    }

    /// The same for a text that is at hand.
    package static func check(
        text: String, file: String, _ context: ParameterValues.Context
    ) -> (spec: PipelineSpec?, model: ManagedObjectModel?, diagnostics: [Diagnostic]) {
        let (root, diagnostics) = YAMLParser.parse(text, file: file)
        return check(partial(root, diagnostics, file, warnsOfUnused: true), context)
    }

    private typealias Partial = (spec: PipelineSpec?, diagnostics: [Diagnostic])

    /// As much of the spec as can be read.
    private static func partial(
        _ root: YAMLNode?, _ diagnostics: [Diagnostic], _ file: String,
        warnsOfUnused: Bool = false
    ) -> Partial {
        if let misnamed = otherFile(file, root) { return (nil, [misnamed]) }
        guard let root else { return (nil, diagnostics) }
        let problems = YAMLProblems(file: file, area: "spec")
        diagnostics.forEach(problems.report)
        let reader = SpecificationReader(problems)
        let value = YAMLValue(root: root, problems: problems, label: "spec")
        let spec = PipelineSpec(value, reader)
        if warnsOfUnused { spec?.warnOfUnused(reader) }
        return (spec, problems.sorted)
    }

    /// What to say of data, or of a store, in the place of a spec.
    private static func otherFile(_ file: String, _ root: YAMLNode?) -> Diagnostic? {
        // JSON is YAML, so a spec may have such a name.
        if case .mapping(let entries)? = root?.content,
            entries.contains(where: { ["etl", "stages"].contains($0.key) })
        {
            return nil
        }
        if RecordFormat(fileName: file) != nil, FileDescriptor.fileSize(file) != nil {
            return Diagnostic(
                code: "spec.is-data",
                "This is data; a spec is a YAML file that begins with `etl: 1` and names the data, "
                    + "as in `- { import: \(PathText.lastComponent(file)), into: ENTITY }`",
                at: .file(file), fix: "`etl infer \(file)` makes a model and a spec to begin with")
        }
        guard ModelSource.isStore(file) else { return nil }
        return Diagnostic(
            code: "spec.is-a-store", "This is a store; a spec is a YAML file that names it",
            at: .file(file),
            fix: "`etl fetch \(file)` shows what it holds, `etl infer \(file)` makes a spec that "
                + "exports it")
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
        guard var spec = partial.spec else { return (nil, nil, partial.diagnostics) }
        let values = ParameterValues.partial(spec, context)
        spec.store.knownModel = spec.modelFileReading(values)
        let reading = spec.modelReading(values)
        var found = partial.diagnostics + ParameterValues.check(spec, context)
        found += reading.diagnostics
        // What is certain of a model with errors is enough for much of the spec; a store that is
        // there has a model of its own.
        let stored = spec.storedModel(values)
        if let known = reading.known ?? stored {
            found += SpecificationChecker.check(spec, known, besides: reading.unknownEntities)
        }
        let whole = reading.model ?? stored
        found += ExpressionChecker.check(
            spec, reading.known ?? stored, isWhole: whole != nil)
        if let whole { found += TestNameCheck.check(spec, whole) }
        found += SourcePathCheck.check(spec)
        found += FileUseCheck.check(spec, values) + URLCheck.check(spec, values)
        found += CommandCheck.check(spec)
        found += TemplateProblem.check(spec.store, values)
        var seen: Set<Diagnostic> = []
        let sorted = DiagnosticList(found).diagnostics.filter { seen.insert($0).inserted }
        return (hasErrors(sorted) ? nil : spec, reading.model, sorted)
    }
}

extension PipelineSpec {
    /// The model that the spec names; nil where it names none, or where it has errors.
    ///
    /// A model whose path holds a parameter without a value is left for the run.
    package func readModel(
        _ values: ParameterValues
    ) -> (model: ManagedObjectModel?, diagnostics: [Diagnostic]) {
        let reading = modelReading(values)
        return (reading.model, reading.diagnostics)
    }

    /// How long a look at a store that somebody writes may take, which waits for who opens it.
    private static let forALook = LockPatience { $0 < .milliseconds(250) }

    /// The model of the store that is to be opened, where the spec names none.
    fileprivate func storedModel(_ values: ParameterValues) -> ManagedObjectModel? {
        guard store.model == nil, values.canResolve(store.at) else { return nil }
        // What is wrong with the store is told when it is opened.
        return try? PersistentContainer.model(
            ofStoreAt: values.path(store.at), waiting: Self.forALook)
    }

    /// Whether a store is there already, and keeps all digits of decimals.
    private func storeKeepsExactDecimals(_ values: ParameterValues) -> Bool {
        guard store.open != .replace, values.canResolve(store.at) else { return false }
        // What is wrong with the store is told when it is opened.
        return
            (try? PersistentContainer.keepsExactDecimals(
                at: values.path(store.at), waiting: Self.forALook)) ?? false
    }

    /// The file that holds the model, which may be the spec.
    func modelFile(_ values: ParameterValues) -> String {
        modelFileReading(values)?.file ?? file
    }

    /// The same, with what can be known of a model that has errors.
    func modelReading(_ values: ParameterValues) -> ModelReading {
        var reading = modelSourceReading(values)
        if store.keepsExactDecimals ?? storeKeepsExactDecimals(values) {
            reading.keepExactDecimals()
        }
        return reading
    }

    /// The code of the warning that the store has another version of the model.
    static let otherVersionCode = "spec.model-version"

    /// What the model's file is read as; nil if the spec names no file.
    func modelFileReading(_ values: ParameterValues) -> StoreSpec.KnownModel? {
        guard case .file(let template)? = store.model, values.canResolve(template) else {
            return nil
        }
        let path = values.path(template)
        let place = values.canResolve(store.at) ? values.path(store.at) : nil
        if let known = store.knownModel, known.path == path, known.store == place { return known }
        var known = StoreSpec.KnownModel(
            path: path, file: path, store: place, reading: ModelSource.reading(path))
        guard store.open != .replace, let place, let model = known.reading.model,
            let version = ModelVersions.otherVersion(
                than: model, ofBundle: path, storeAt: place, waiting: Self.forALook)
        else { return known }
        known.file = version
        known.reading = ModelSource.reading(version)
        known.reading.diagnostics.append(
            Diagnostic(
                .warning, code: Self.otherVersionCode,
                "The store '\(place)' does not have the current version of '\(path)'; the version that"
                    + " it has, '\(PathText.lastComponent(version))', is used",
                at: .source(template.location),
                fix: "name this version (`model: \(version)`), or bring the store to the current"
                    + " one: " + StoreMigration.command(store: place, to: path)))
        return known
    }

    private func modelSourceReading(_ values: ParameterValues) -> ModelReading {
        switch store.model {
        case nil: return ModelReading(diagnostics: [])
        case .inline(let reading): return reading
        case .file(let template):
            guard let known = modelFileReading(values) else { return ModelReading(diagnostics: []) }
            let path = known.path
            var reading = known.reading
            if let first = reading.diagnostics.first, first.code.hasPrefix("file.") {
                reading.diagnostics = [
                    Diagnostic(
                        // What the user cannot correct in the spec keeps its code.
                        code: ["file.permission", "file.resources"].contains(first.code)
                            ? first.code : "spec.model",
                        "The model '\(path)' cannot be read: \(first.message)",
                        at: .source(template.location), fault: first.fault)
                ]
            }
            reading.diagnostics = reading.diagnostics.map { $0.placed(atModel: path, template) }
            return reading
        }
    }
}

extension Diagnostic {
    /// What is said of a model as a whole, at the place where the spec names it.
    fileprivate func placed(atModel path: String, _ template: TemplateText) -> Diagnostic {
        guard case .file = place else { return self }
        var copy = self
        copy.message = "The model '\(path)' cannot be used: \(message)"
        copy.place = .source(template.location)
        return copy
    }
}
