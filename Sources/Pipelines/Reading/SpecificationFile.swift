package import Diagnostics
import Files
package import GraphModel
import GraphStore
import RecordStreams
import YAML

/// Reads spec files.
package enum SpecificationFile {
    /// Reads a spec without its model; the spec is `nil` if there are errors.
    ///
    /// - Parameter text: the text to read instead of the file; messages call it `file`.
    package static func read(
        text: String? = nil, file: String
    ) -> (spec: PipelineSpec?, diagnostics: [Diagnostic]) {
        let (spec, diagnostics) = partial(text, file)
        return (hasErrors(diagnostics) ? nil : spec, diagnostics)
    }

    /// Returns all problems that can be found without data and secrets, also against the model if
    /// the spec names one.
    ///
    /// Without one, `SpecificationChecker` runs when the store is open. Parameters in the model's
    /// path get their values from `context`.
    ///
    /// - Parameter text: the text to check instead of the file; messages call it `file`.
    package static func check(
        text: String? = nil, file: String, _ context: ParameterValues.Context
    ) -> (spec: PipelineSpec?, model: ManagedObjectModel?, diagnostics: [Diagnostic]) {
        let (known, diagnostics) = partial(text, file, warnsOfUnused: true)
        guard var spec = known else { return (nil, nil, diagnostics) }
        let values = ParameterValues.partial(spec, context)
        spec.store.knownModel = spec.modelFileReading(values)
        let reading = spec.modelReading(values)
        var found = diagnostics + ParameterValues.check(spec, context)
        found += reading.diagnostics + DerivationCheck.check(reading)
        // The known part of a model with errors is enough to check much of the spec. An existing
        // store contains its own model.
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

    /// Reads as much of the spec as possible.
    private static func partial(
        _ text: String?, _ file: String, warnsOfUnused: Bool = false
    ) -> (spec: PipelineSpec?, diagnostics: [Diagnostic]) {
        let (root, diagnostics) =
            text.map { YAMLParser.parse($0, file: file) } ?? YAMLParser.parse(file: file)
        if let misnamed = otherFile(file, root) { return (nil, [misnamed]) }
        guard let root else { return (nil, diagnostics.map { missing($0, file) }) }
        let problems = YAMLProblems(file: file, area: "spec")
        diagnostics.forEach(problems.report)
        let reader = SpecificationReader(problems)
        let value = YAMLValue(root: root, problems: problems, label: "spec")
        let spec = PipelineSpec(value, reader)
        if warnsOfUnused { spec?.warnOfUnused(reader) }
        return (spec, problems.sorted)
    }

    /// Returns the diagnostic of a missing spec with a similar name, or a fix.
    private static func missing(_ diagnostic: Diagnostic, _ file: String) -> Diagnostic {
        guard diagnostic.code == "file.missing" else { return diagnostic }
        var diagnostic = diagnostic
        guard URLCheck.scheme(of: file) == nil else {
            diagnostic.fix =
                "etl does not read a spec from a URL; save it to a file, and name that file"
            return diagnostic
        }
        // A missing folder has no similar names.
        let names = (try? FileSystem.textNames(in: PathText.folder(of: file))) ?? []
        diagnostic.message += Suggestion.phrase(
            for: PathText.lastComponent(file),
            among: names.filter { $0.hasSuffix(".yaml") || $0.hasSuffix(".yml") })
        diagnostic.fix = "check the name; a relative path starts at the working folder"
        return diagnostic
    }

    /// Returns the problem if the file is data or a store instead of a spec.
    private static func otherFile(_ file: String, _ root: YAMLNode?) -> Diagnostic? {
        // JSON is YAML, so a spec can have the name of a data file.
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

    private static func hasErrors(_ diagnostics: [Diagnostic]) -> Bool {
        diagnostics.contains { $0.severity == .error }
    }
}

extension PipelineSpec {
    /// Reads the model that the spec names; `nil` if it names none or the model has errors.
    ///
    /// A model whose path contains a parameter without a value is read only by the run.
    package func readModel(
        _ values: ParameterValues
    ) -> (model: ManagedObjectModel?, diagnostics: [Diagnostic]) {
        let reading = modelReading(values)
        return (reading.model, reading.diagnostics)
    }

    /// The time to wait when a check reads a store that another process is writing to: 250 ms.
    private static let checkPatience = LockPatience { $0 < .milliseconds(250) }

    /// Returns the model of the existing store if the spec names no model.
    fileprivate func storedModel(_ values: ParameterValues) -> ManagedObjectModel? {
        guard store.model == nil, values.canResolve(store.at) else { return nil }
        // Problems of the store are reported when it is opened.
        return try? PersistentContainer.model(
            ofStoreAt: values.path(store.at), waiting: Self.checkPatience)
    }

    /// Returns whether a store exists and keeps all digits of decimals.
    private func storeKeepsExactDecimals(_ values: ParameterValues) -> Bool {
        guard store.open != .replace, values.canResolve(store.at) else { return false }
        // Problems of the store are reported when it is opened.
        return
            (try? PersistentContainer.keepsExactDecimals(
                at: values.path(store.at), waiting: Self.checkPatience)) ?? false
    }

    /// Returns the file that contains the model, which may be the spec.
    func modelFile(_ values: ParameterValues) -> String {
        modelFileReading(values)?.file ?? file
    }

    /// Returns the model, and of a model with errors the parts that are known.
    func modelReading(_ values: ParameterValues) -> ModelReading {
        var reading = modelSourceReading(values)
        if store.keepsExactDecimals ?? storeKeepsExactDecimals(values) {
            reading.keepExactDecimals()
        }
        return reading
    }

    /// The code of the warning that the store has another version of the model.
    static let otherVersionCode = "spec.model-version"

    /// Reads the model's file; in an Xcode bundle, the version that matches the store.
    ///
    /// Returns `nil` if the spec names no file.
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
                than: model, ofBundle: path, storeAt: place, waiting: Self.checkPatience)
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
                    + " one: " + ModelVersions.migration(of: place, to: path)))
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
                        // Problems that the user cannot correct in the spec keep their code.
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
    /// Returns a diagnostic of a complete model file with the location at which the spec names it.
    ///
    /// Other diagnostics are unchanged.
    fileprivate func placed(atModel path: String, _ template: TemplateText) -> Diagnostic {
        guard case .file = place else { return self }
        var copy = self
        copy.message = "The model '\(path)' cannot be used: \(message)"
        copy.place = .source(template.location)
        return copy
    }
}
