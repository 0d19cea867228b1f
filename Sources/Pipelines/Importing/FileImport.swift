import Diagnostics
import FoundationEssentials
import Files
import GraphModel
import GraphStore
import RecordStreams
import YAML

/// An import of files into a store, without a spec: `etl import`.
///
/// It infers a model and a spec from the files, fits them to the model of the store if there is
/// one, and runs the spec with the usual runner.
package struct FileImport {
    /// The files to import and the target store.
    package struct Request: Sendable {
        /// The files; `-` is standard input.
        package var files: [String]
        /// The store, which the import creates if it is missing.
        package var store: String
        /// The facts about the files that the user gives.
        package var options = InferenceOptions()
        /// Whether columns that the store's model lacks are added to it instead of being skipped.
        package var addsColumns = false
        /// The folder to which the model and the spec are written; `nil` if they are not written.
        package var specFolder: String?
        /// The folder against which relative paths are resolved.
        package var workingFolder: String

        /// The folder to which no spec is written, because the files show nothing.
        private(set) var emptyFolder: String?

        /// Changes the request so that no spec is written, and keeps the folder for the warning.
        fileprivate mutating func keepsNoSpec() {
            (emptyFolder, specFolder) = (specFolder, nil)
        }

        /// Creates a request without known facts about the files.
        package init(files: [String], store: String, workingFolder: String) {
            self.files = files
            self.store = store
            self.workingFolder = workingFolder
        }
    }

    /// The state of the store before the import.
    private enum Target {
        /// The store does not exist yet.
        case new
        /// The store's model has all entities and properties of the import.
        case known
        /// The store's model gets entities or properties.
        case extended
    }

    let request: Request
    /// Copies of standard input and other streams, which are read a second time.
    private let spool: InferenceSpool
    let inference: Inference
    let fit: StoreFit
    private let target: Target
    /// The spec that runs.
    private let spec: YAMLNode
    /// The name of the spec, which owns the notes of its runs in the store.
    var pipeline: String { spec["name"]?.text ?? "" }
    /// The inferred spec with its comments, before it is fitted to the store.
    private let inferredText: String

    /// Infers the import without changing any file.
    package static func prepare(_ request: Request) throws(RunFailure) -> FileImport {
        let spool = InferenceSpool()
        try URLCheck.reject(file: request.store)
        let stored = try model(of: request.store)
        try checkFolder(of: request.store)
        var options = request.options
        options.storeModel = stored
        options.isOfImport = true
        options.addsColumns = request.addsColumns
        // The model of an app's store gets no relationship.
        if stored != nil, !PersistentContainer.isAppStore(at: request.store) {
            options.store = request.store
        }
        options.command =
            "etl import - --into \(CommandExample.shell(request.store))"
            + (request.addsColumns ? " --add-columns" : "")
            + (request.specFolder.map { " --save-spec \(CommandExample.shell($0))" } ?? "")
        let inference = try Inference(from: request.files, options: options, spool)
        var request = request
        // Empty files do not show how other files must be read.
        if inference.hasNothing { request.keepsNoSpec() }
        return try FileImport(request, inference, spool, stored: stored)
    }

    private init(
        _ request: Request, _ inference: Inference, _ spool: InferenceSpool,
        stored: ManagedObjectModel?
    ) throws(RunFailure) {
        self.request = request
        self.inference = inference
        self.spool = spool
        guard !inference.isOfStore else {
            throw RunFailure(
                .usage, code: "import.store", "A store is not a file of records",
                fix: "export its objects first: `etl infer STORE` writes a spec that does")
        }
        let inferred = try Self.model(of: inference)
        let folder = InferenceFolder(
            request.specFolder ?? PathText.folder(of: request.store),
            workingFolder: request.workingFolder)
        var text = Self.specText(inference, folder, request, spool, readsOnce: true)
        var root = YAMLParser.parse(text).root ?? YAMLNode([])
        if spool.copies["-"] != nil, root["stages"]?.itemsOrOne.count != 1 {
            guard request.specFolder == nil else {
                throw RunFailure(
                    .usage, code: "import.standard-input",
                    "Standard input holds several kinds of records, and a spec can read it once",
                    fix: "save it to a file, and import that")
            }
            text = Self.specText(inference, folder, request, spool, readsOnce: false)
            root = YAMLParser.parse(text).root ?? root
        }
        inferredText = text
        let model = if let stored { stored } else { try Self.emptyModel() }
        var fit = StoreFit(
            inferred, to: model, addsColumns: request.addsColumns,
            key: request.options.key, store: PathText.lastComponent(request.store),
            isOfApp: stored != nil && PersistentContainer.isAppStore(at: request.store),
            streams: spool.names, inference: inference,
            keepsNulls: !request.options.nullTexts.contains(""))
        let unfitted = root["stages"]?.itemsOrOne ?? []
        let stages = try inference.hasNothing ? fit.fit(empty: unfitted) : fit.fit(unfitted)
        try fit.checkTypes(request.options.types)
        if stored == nil {
            target = .new
        } else {
            root["stages"] = YAMLNode(.sequence(stages), at: root.mark)
            target = fit.newEntities.isEmpty && fit.newProperties.isEmpty ? .known : .extended
        }
        self.fit = fit
        spec = root
    }

    /// Returns the inferred spec, with the store of the request.
    ///
    /// - Parameter readsOnce: whether a single stage reads standard input itself instead of a copy.
    private static func specText(
        _ inference: Inference, _ folder: InferenceFolder, _ request: Request,
        _ spool: InferenceSpool, readsOnce: Bool
    ) -> String {
        let store = folder.seenFromFolder(request.store)
        let home = PathText.folder(of: store)
        let settings = [("rejects", "dir", "rejects"), ("report", "to", "runs")].map {
            area, key, name in
            "\(area): { \(key): \(InferenceText.file(PathText.join(home, name))) }"
        }
        return inference.spec(
            modelFile: InferenceFolder.modelName, store: store,
            settings: home == "." ? [] : settings
        ) { path in
            if path == "-", readsOnce { return path }
            return spool.copies[path] ?? folder.seenFromFolder(path)
        }
    }

    /// Returns the inferred model; of empty files, a model without entities.
    private static func model(of inference: Inference) throws(RunFailure) -> ManagedObjectModel {
        guard let text = inference.model else { return try emptyModel() }
        let (model, problems) = ModelFile.read(text: text)
        guard let model else {
            // The lines are those of the inferred model, which the user does not have.
            throw RunFailure(
                .usage,
                problems.filter { $0.severity == .error }.prefix(1).map {
                    Diagnostic(
                        code: $0.code, $0.message, at: .nowhere, fix: "name another with --entity")
                })
        }
        return model
    }

    private static func emptyModel() throws(RunFailure) -> ManagedObjectModel {
        do {
            return try ManagedObjectModel(entities: [])
        } catch {
            throw RunFailure(.software, code: "internal", "\(error)")
        }
    }

    /// Returns the model of a store; `nil` if the store does not exist yet.
    private static func model(of store: String) throws(RunFailure) -> ManagedObjectModel? {
        guard FileDescriptor.size(store) ?? 0 > 0 else { return nil }
        do throws(StoreError) {
            guard let model = try PersistentContainer.carriedModel(at: store).model else {
                throw StoreError(.noModel, "\(store) carries no model that can be read")
            }
            return model
        } catch {
            let fix =
                "name a store or a new file with --into; if it was a store, see `etl verify"
                + " \(CommandExample.shell(store))`"
            throw RunFailure(error).changing { $0.fix = $0.fix ?? fix }
        }
    }

    /// Throws if both the store's folder and its parent are missing, since the path may be
    /// misspelled.
    ///
    /// If only the folder is missing, the import creates it.
    private static func checkFolder(of store: String) throws(RunFailure) {
        let above = PathText.folder(of: PathText.folder(of: store))
        guard !FileSystem.exists(PathText.folder(of: store)), !FileSystem.exists(above) else {
            return
        }
        let folder = CommandExample.shell(PathText.folder(of: store))
        throw RunFailure(
            .cannotCreate, code: "import.folder",
            "The folder of the store, and the one above, do not exist",
            at: .file(store),
            fix: "check the path, or create the folder: `mkdir -p \(folder)`")
    }

    // MARK: Text

    /// The lines that explain the import: one for each stage, and one for each doubtful assumption.
    package var decisions: [String] {
        let streams = spool.names
        var lines = fit.imports.map(\.line)
        let folder = PathText.folder(of: request.store)
        if !FileSystem.exists(folder) { lines.append("The folder \(folder) is new") }
        lines += inference.decisionsOnKeys(of: fit.newEntities)
        lines += inference.decisionsOnDumps(of: fit.newEntities)
        lines += inference.guessedForms.map { guess, files in
            "Read \(FittedImport.listed(files.map { streams[$0] ?? $0 }, max: 2)) with \(guess)"
        }
        lines += inference.withoutHeader.map { file, columns in
            "No header in \(streams[file] ?? file), so its columns are "
                + FittedImport.listed(columns, max: 4)
                + " (--header takes their names from the first row)"
        }
        lines += inference.withLinesAbove.map { file, lines in
            let file = streams[file] ?? file
            return lines == 0
                ? "Lines of \(file) that begin with # are comments"
                : "The first \(ReportNumbers.several(lines, "line")) of \(file) "
                    + "\(lines == 1 ? "is" : "are") above the header, and "
                    + "\(lines == 1 ? "is" : "are") skipped"
        }
        lines += inference.entitiesWithoutRecords.filter(fit.newEntities.contains).map { entity in
            "\(entity): the file has no record, so types are guessed by the names of its columns"
        }
        return lines
    }

    /// The additions to the store's model; `nil` if it does not change.
    package var modelChange: String? {
        guard case .extended = target else { return nil }
        return "New in the store's model: "
            + (fit.newEntities + fit.newProperties).joined(separator: ", ")
    }

    /// Returns the result of the run and the next step.
    package func summary(of outcome: RunOutcome) -> [String] {
        let store = request.store
        let isNew = if case .new = target { true } else { false }
        var lines = [
            "Imported into \(store)"
                + (isNew ? " (new)" : "") + ": " + listed(outcome.stages)
        ]
        for folder in Set(outcome.stages.compactMap(\.rejectsFolder)).sorted() {
            lines.append("Rejected records are in \(folder)")
        }
        for folder in Set(outcome.stages.compactMap(\.linksFolder)).sorted() {
            lines.append(
                "Links without an object are in \(folder); import their objects, and then these files"
                    + " again")
        }
        if let folder = request.specFolder {
            lines.append("Next: etl run \(PathText.join(folder, InferenceFolder.specName))")
        } else if isNew, let first = fit.imports.first {
            lines.append("Next: etl fetch \(store) \(first.entity)")
        }
        return lines
    }

    // MARK: Running

    /// Writes the model and the spec to their folder, if the request has one.
    package func save() throws(RunFailure) {
        guard let folder = request.specFolder else { return }
        try InferenceFolder(folder, workingFolder: request.workingFolder).write(
            model: modelText, spec: specText, overwrites: false,
            fix: "run the existing spec with `etl run`, or name another folder")
    }

    private var modelText: String? {
        if case .new = target { return inference.model }
        let (text, problems) = ModelYAMLWriter.text(of: fit.model)
        return problems.isEmpty ? text : nil
    }

    private var specText: String {
        guard request.specFolder != nil else { return specWithoutModelFile.documentText }
        if case .new = target { return inferredText }
        return (modelText == nil ? specWithoutModelFile : spec).documentText
    }

    /// The spec that runs without a file.
    ///
    /// It contains the model of a new store; an existing store has its own.
    private var specWithoutModelFile: YAMLNode {
        var spec = spec
        guard case .new = target, let model = inference.model else {
            spec["store"]?["model"] = nil
            spec["store"]?["open"] = nil
            return spec
        }
        spec["store"]?["model"] = YAMLParser.parse(model).root
        return spec
    }

    /// Extends the store's model if necessary, and runs the import.
    ///
    /// - Parameter changed: called after the model was changed, with the path of the old store;
    ///   `nil` if there is none.
    package func run(_ runner: PipelineRunner, changed: (String?) -> Void) -> RunOutcome {
        do {
            if let copy = spool.copies["-"] { try readAgain(copy) }
            defer { spool.remove() }
            guard case .extended = target else { return run(runner) }
            guard runner.options.isDry else {
                changed(try migrate(request.store, runner))
                return run(runner)
            }
            let copy = try StoreRehearsal(of: request.store)
            _ = try migrate(copy.path, runner)
            changed(nil)
            var trial = specWithoutModelFile
            trial["store"]?["at"] = YAMLNode(text: InferenceText.literal(copy.path))
            return withExtendedLifetime(copy) {
                runner.run(specFile, text: trial.documentText, warnings: losses)
            }
        } catch {
            let failure = RunFailure(error)
            return RunOutcome(status: failure.status, diagnostics: failure.diagnostics)
        }
    }

    /// Replaces the standard input of this process with its copy.
    private func readAgain(_ copy: String) throws(RunFailure) {
        do {
            try FileSystem.replaceStandardInput(by: copy)
        } catch {
            throw RunFailure(
                Fault(.input, .inputOutput), code: "import.standard-input",
                "The copy \(copy) of standard input cannot be read: \(error.text)",
                fix: "set TMPDIR to another folder")
        }
    }

    private func run(_ runner: PipelineRunner) -> RunOutcome {
        guard let folder = request.specFolder else {
            var outcome = runner.run(specFile, text: specText, warnings: losses)
            outcome.diagnostics = outcome.diagnostics.map { spool.naming(in: $0) }
            return noting(outcome)
        }
        return noting(
            runner.run(
                PathText.join(folder, InferenceFolder.specName), text: nil, warnings: losses))
    }

    /// Returns the outcome with a note about the objects that a failed import has saved.
    private func noting(_ outcome: RunOutcome) -> RunOutcome {
        guard outcome.status != .ok else { return outcome }
        let counts = Self.counts(of: outcome.stages + outcome.unfinished)
        guard counts.read > 0 else { return outcome }
        let stages = outcome.stages + outcome.unfinished
        let isSaved =
            counts.inserted + counts.updated > 0 || stages.contains(where: \.hasChangedObjects)
        var outcome = outcome
        outcome.diagnostics.append(
            Diagnostic(
                .note, code: "import.saved",
                listed(stages)
                    + (isSaved
                        ? "; \(request.store) has these objects, and the next import continues after"
                            + " them" : "; no object of \(request.store) was changed")))
        return outcome
    }

    /// Returns the sum of the counts of all imports.
    private static func counts(of stages: [StageReport]) -> RecordCounts {
        stages.compactMap(\.records).reduce(into: RecordCounts()) { $0.add($1) }
    }

    /// Returns the results of records, join tables, and nested objects, such as `3 read, 2 inserted,
    /// 1 rejected; Playlist.track: 4 links; Lines: 4 inserted`.
    private func listed(_ stages: [StageReport]) -> String {
        let joins = Dictionary(
            fit.imports.filter { $0.isJoin && !$0.links.isEmpty }.map {
                ($0.stage, "\($0.entity).\($0.links[0].name)")
            }
        ) { first, _ in first }
        let counts = Self.counts(of: stages.filter { joins[$0.name] == nil })
        var parts = counts.ends.filter { $0.count > 0 }.map {
            "\($0.count.grouped) \($0.word)"
        }
        if let items = counts.supersededItems {
            parts.append("\(ReportNumbers.several(items, "nested object")) superseded")
        }
        let missed = stages.flatMap { $0.missedLinks ?? [] }.reduce(0) { $0 + $1.count }
        if missed > 0 { parts.append("\(ReportNumbers.several(missed, "link")) without an object") }
        let records = ["\(counts.read.grouped) read"] + parts
        let links = stages.compactMap { stage -> String? in
            guard let name = joins[stage.name], let records = stage.records else { return nil }
            let ends = records.ends.filter { $0.count > 0 || $0.word == "linked" }
            let words = ends.map { "\($0.count.grouped) \($0.word)" }
            return "\(name): \(words.joined(separator: ", "))"
        }
        let nested = RunReport.words(RunReport.sum(stages.flatMap { $0.nested ?? [] }))
        let isOfRecords = counts.read > 0 || links.isEmpty
        return ((isOfRecords ? [records.joined(separator: ", ")] : []) + links + nested)
            .joined(separator: "; ")
    }

    /// The name of the spec in messages, since no file contains the spec.
    ///
    /// It is in the store's folder, against which the relative paths of the spec are resolved.
    private var specFile: String {
        PathText.join(PathText.folder(of: request.store), "(etl import)")
    }

    private func migrate(_ store: String, _ runner: PipelineRunner) throws(RunFailure) -> String? {
        try StoreMigration(
            store: store, adding: fit.model,
            discarding: try runsToDiscard(inStoreAt: store, runner),
            ifLocked: runner.options.ifLocked,
            progress: runner.progress, interruption: runner.interruption
        ).run { _, _ in }
    }
}
