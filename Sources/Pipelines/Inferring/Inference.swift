package import Diagnostics
import Files
import FoundationEssentials
import GraphModel
import GraphStore
import RecordStreams
import YAML

/// A model and a spec to begin with, made from samples of data or from a store.
package struct Inference: Sendable {
    /// The model, as YAML; nil where the spec does without one.
    package private(set) var model: String?
    /// A page with what every field looks like, and the evidence for keys and links, where the
    /// options ask for it; of a store there is none.
    package private(set) var page: String?
    /// What is to be told beside the result.
    package var warnings: [Diagnostic] { losses + repeats.map(\.warning) }
    private var losses: [Diagnostic] = []
    /// What is to be told of records that have one key, by their entities.
    private var repeats: [(entity: String, warning: Diagnostic)] = []
    private let name: String
    private let entities: [InferredEntity]
    private let joins: [InferredJoin]
    /// Tables whose first row is taken for values, with the names of their columns.
    let withoutHeader: [(file: String, columns: [String])]
    /// Tables with lines above their header, and how many; 0 for comments.
    let withLinesAbove: [(file: String, lines: Int)]
    /// How many records of one import could not be read.
    private var rejects: Int
    /// The store, where the spec exports from one.
    private let store: (path: String, model: ManagedObjectModel)?
    /// Whether the spec exports from a store.
    var isOfStore: Bool { store != nil }

    /// Reads files of records, or one store.
    ///
    /// - Parameters:
    ///   - paths: the files; `-` is standard input.
    ///   - options: what is known of the files; of a store nothing need be known.
    package init(
        from paths: [String], options: InferenceOptions = InferenceOptions()
    ) throws(RunFailure) {
        let spool = InferenceSpool()
        defer { spool.remove() }
        try self.init(from: paths, options: options, spool)
    }

    /// The same; copies of what can be read but once stay in the spool.
    init(
        from paths: [String], options: InferenceOptions, _ spool: InferenceSpool
    ) throws(RunFailure) {
        do throws(RunFailure) {
            try self.init(reading: paths, options, spool)
        } catch {
            throw spool.naming(in: error)
        }
        losses = losses.map { spool.naming(in: $0) }
        repeats = repeats.map { ($0.entity, spool.naming(in: $0.warning)) }
    }

    private init(
        reading paths: [String], _ options: InferenceOptions, _ spool: InferenceSpool
    ) throws(RunFailure) {
        let stores = paths.filter { ModelSource.isStore($0) }
        if let store = stores.first {
            guard paths.count == 1 else {
                throw RunFailure(
                    .usage, code: "infer.store",
                    "'\(store)' is a store, so it must be the only argument",
                    fix: "run `etl infer` for it by itself")
            }
            self = try Inference(store: store, options)
            return
        }
        let urls = paths.compactMap { URLCheck.problem(ofInput: $0, options) }
        guard urls.isEmpty else { throw RunFailure(.noInput, urls) }
        let inputs: InferenceInputs
        do throws(RecordStreamError) {
            inputs = try InferenceInputs(paths, options, spool)
        } catch {
            throw Self.failure(error, options, spool)
        }
        losses = inputs.warnings
        guard inputs.hasRecords || inputs.areOfStore else {
            throw RunFailure(
                .dataError,
                losses.map { warning in
                    var error = warning
                    if error.code == "infer.empty" { error.severity = .error }
                    return error
                })
        }
        try inputs.checkKnown()
        let stored = try Self.stored(inputs.samples, options)
        let found: EntityInference
        do throws(RecordStreamError) {
            found = try EntityInference(inputs.samples, options, stored: stored)
        } catch {
            throw Self.failure(error, options, spool)
        }
        withoutHeader = inputs.withoutHeader
        withLinesAbove = inputs.withLinesAbove
        losses += found.entities.flatMap(InputLoss.of)
        repeats = found.entities.compactMap { entity in
            entity.repeats.map { (entity.name, $0.warning(of: entity)) }
        }
        entities = found.entities
        joins = found.joins
        rejects = inputs.samples.map(\.rejectCount).max() ?? 0
        name = Self.name(of: inputs.samples)
        store = nil
        model = InferenceText.model(entities)
        tryTold(options, spool)
        guard options.hasProfiles else { return }
        page =
            ProfilePage(name: name, entities: entities, joins: joins, fields: found.fields).text
    }

    /// The entities of the store to which new ones may refer; none if the import adds none.
    private static func stored(
        _ samples: [Sample], _ options: InferenceOptions
    ) throws(RunFailure) -> [StoredEntity] {
        guard let store = options.store, let model = options.storeModel,
            let tracking = samples.first?.root.tracking
        else { return [] }
        let names = model.entities.map(\.name)
        guard
            options.addsColumns
                || samples.contains(where: { InferredNames.match($0.entityName, names) == nil })
        else { return [] }
        do {
            return try StoredEntity.all(inStoreAt: store, model, tracking)
        } catch {
            throw RunFailure(error)
        }
    }

    private init(store path: String, _ options: InferenceOptions) throws(RunFailure) {
        let (found, diagnostics) = ModelSource.readOrStored(path)
        guard let found else {
            throw RunFailure(problems: diagnostics.map { Self.naming(path, options, in: $0) })
        }
        let (text, problems) = ModelYAMLWriter.text(of: found)
        // A text that does not read back would be no model of this store.
        model = problems.isEmpty ? text : nil
        losses = diagnostics + problems
        store = (path, found)
        entities = []
        joins = []
        withoutHeader = []
        withLinesAbove = []
        rejects = 0
        name = ""
    }

    /// The diagnostic of a database that no store is, with the command that reads its tables.
    private static func naming(
        _ path: String, _ options: InferenceOptions, in diagnostic: Diagnostic
    ) -> Diagnostic {
        guard diagnostic.code == "store.no-model", !PersistentContainer.isAppStore(at: path) else {
            return diagnostic
        }
        var diagnostic = diagnostic
        var known = options
        known.entity = options.entity ?? "NAME"
        let line = CommandExample.pipe(
            ["sqlite3", "-csv", "-header", path], as: .csv, into: known.command(of: path))
        diagnostic.fix =
            "read it table by table: `"
            + line.replacing(" | ", with: " \"SELECT * FROM TABLE\" | ", maxReplacements: 1) + "`"
        return diagnostic
    }

    /// Nothing here is named by a spec, nor begins at one.
    private static func failure(
        _ error: RecordStreamError, _ options: InferenceOptions, _ spool: InferenceSpool
    ) -> RunFailure {
        var failure = RunFailure(error)
        for place in failure.diagnostics.indices {
            let diagnostic = failure.diagnostics[place]
            failure.diagnostics[place].fix =
                CommandLineFix.of(error, options, spool) ?? CommandLineFix.of(diagnostic)
        }
        return failure
    }

    /// The name of the spec and of its store: `tasks`, or `data` for several entities.
    private static func name(of samples: [Sample]) -> String {
        guard samples.count == 1 else { return "data" }
        let name = String(
            samples[0].entityName.lowercased().unicodeScalars.filter {
                ("a"..."z").contains($0) || ("0"..."9").contains($0)
            }.prefix(50).map(Character.init))
        return name.isEmpty ? "data" : name
    }

    // MARK: What imports ask for

    /// Refuses pairs of which neither side names objects alone: they would create those of one side.
    func checkJoins() throws(RunFailure) {
        guard let join = joins.first(where: \.hasUnknownOwners) else { return }
        let file = join.stages.first?.paths.first ?? ""
        throw RunFailure(
            .dataError,
            [
                Diagnostic(
                    code: "import.join-keys",
                    "Some \(join.keySource) values are not keys of \(join.entity), and some"
                        + " \(join.link.source) values are not keys of an object, so nothing was imported",
                    at: .file(file),
                    fix: "import the files that have these objects first, or in the same command")
            ])
    }

    /// Warnings of what is left out or called by another name; an import tells of rejects itself.
    ///
    /// - Parameter newEntities: those whose keys are not the store's.
    func warningsOfLosses(_ newEntities: [String]) -> [Diagnostic] {
        losses.filter { !InferenceInputs.isOfRejects($0) }
            + repeats.filter { newEntities.contains($0.entity) }.map(\.warning)
    }

    /// The entities of tables without a record.
    var entitiesWithoutRecords: [String] {
        entities.filter { $0.records == 0 && !$0.stages.isEmpty }.map(\.name)
    }

    /// What is to be told of entities whose objects come in several files.
    func decisionsOnDumps(of names: [String]) -> [String] {
        entities.filter { $0.isOfDumps && names.contains($0.name) }.map { entity in
            let key = entity.key.joined(separator: " + ")
            return "\(entity.name): several files have the same \(key), and the record of the last"
                + " one counts (--key names other columns)"
        }
    }

    /// What is to be told of an attribute's type; nil for nothing.
    func remark(on name: String, of entity: String) -> String? {
        attribute(name, of: entity).flatMap { $0.isRemark && !$0.isOpenNumber ? $0.note : nil }
    }

    /// What the column of an attribute holds.
    func content(of name: String, in entity: String) -> ColumnContent {
        guard let attribute = attribute(name, of: entity) else { return .others }
        if attribute.isEmpty { return .nothing }
        guard attribute.holdsScalars else { return .others }
        return attribute.facts?.lists == 0 ? .scalars : .lists
    }

    /// The texts that were found to stand for null in the tables of an entity.
    func nullMarkers(of entity: String) -> [NullMarkers.Use] {
        entities.first { $0.name == entity }?.stages.first { !$0.nullMarkers.isEmpty }?.nullMarkers
            ?? []
    }

    /// The columns of an entity's records in an import, or the paths of their fields.
    func sources(of entity: String, stage: String?) -> [String] {
        let sources = entities.first { $0.name == entity }?.sources ?? []
        guard let form = form(of: entity, in: stage) else { return sources }
        return sources.compactMap(form.source)
    }

    /// Whether the records of an entity in an import are rows of tables, and not in JSON.
    func isTable(_ entity: String, stage: String?) -> Bool {
        if let form = form(of: entity, in: stage) { return form.columns != nil }
        let stages = entities.first { $0.name == entity }?.stages ?? []
        return stages.contains { $0.form.columns != nil }
    }

    /// Whether the files of an import lack the column of an attribute.
    func lacks(_ name: String, of entity: String, stage: String?) -> Bool {
        attribute(name, of: entity) != nil && seen(name, of: entity, in: stage) == nil
    }

    /// How an import reads the records of an entity.
    private func form(of entity: String, in stage: String?) -> SampleForm? {
        entities.first { $0.name == entity }?.stages.first { $0.name == stage }?.form
    }

    /// An attribute as an import fills it.
    private func seen(
        _ name: String, of entity: String, in stage: String?
    ) -> InferredAttribute? {
        let attribute = attribute(name, of: entity)
        guard let form = form(of: entity, in: stage) else { return attribute }
        return attribute?.seen(in: form)
    }

    /// What is to be told of dates that fill an attribute of the store, if nothing tells the day from
    /// the month.
    func remark(on name: String, of entity: String, for stored: AttributeDescription) -> String? {
        guard stored.type == .date, !PropertyOrigin(stored.userInfo).hasFormat,
            let attribute = attribute(name, of: entity), !attribute.isToldDate,
            let patterns = attribute.facts?.dates.openPatterns, !patterns.isEmpty
        else { return nil }
        let flags = patterns.map {
            "--type " + CommandExample.shell("\(attribute.source)=Date \($0)")
        }
        return "the day and the month cannot be distinguished, so its dates are not read; add "
            + flags.joined(separator: " or ")
    }

    /// What fills an attribute of the store: by its type, and by how its values were written in the
    /// first import.
    ///
    /// - Parameter stage: the import; nil for objects inside the records.
    func mapping(
        of name: String, in entity: String, as stored: AttributeDescription, stage: String?
    ) -> YAMLNode? {
        guard let attribute = seen(name, of: entity, in: stage), !attribute.isRowKey,
            let text = InferenceText.mapping(
                attribute.retyped(stored.type).keeping(PropertyOrigin(stored.userInfo)))
        else { return nil }
        return YAMLParser.parse(text + "\n").root?.entries.first?.value
    }

    private func attribute(_ name: String, of entity: String) -> InferredAttribute? {
        entities.first { $0.name == entity }?.attributes.first { $0.name == name }
    }

    // MARK: Trial

    /// Imports the files once into a store that stays nowhere, if a type or a key is told, and allows
    /// as many rejects as there are: what is told may not fit all records.
    private mutating func tryTold(_ options: InferenceOptions, _ spool: InferenceSpool) {
        // An import allows none.
        guard !options.types.isEmpty || !options.key.isEmpty, !options.isOfImport else { return }
        var trial = RunOptions(workingFolder: WorkingFolder.path, now: Date())
        trial.isDry = true
        trial.allowedRejects = .percent(100)
        trial.givesAdvice = false
        let model = (model ?? "").split(separator: "\n").map { "  " + $0 }
        let store = PathText.join(
            FileManager.default.temporaryDirectory.path, "etl-infer-\(UUID().uuidString).sqlite")
        let text = InferenceText.spec(
            name: name, store: store, model: ["model:"] + model, entities, joins, rejects: 0
        ) { spool.copies[$0] ?? $0 }
        let outcome = PipelineRunner(options: trial).run("(etl infer)", text: text)
        let counts = outcome.stages.compactMap(\.records?.rejected)
        rejects = max(rejects, counts.max() ?? 0)
    }

    // MARK: Results

    /// The spec.
    ///
    /// - Parameters:
    ///   - modelFile: where the model stands, as the spec names it; nil puts it into the spec.
    ///   - path: what the spec calls a file.
    package func spec(modelFile: String?, path: (String) -> String = { $0 }) -> String {
        var lines: [String] = []
        if let model {
            if let modelFile {
                lines = ["model: \(InferenceText.file(modelFile))"]
            } else {
                lines = ["model:"] + model.split(separator: "\n").map { "  " + $0 }
            }
        }
        guard let store else {
            return InferenceText.spec(
                name: name, model: lines, entities, joins, rejects: rejects, path: path)
        }
        return StoreExportText.spec(store: path(store.path), model: lines, store.model)
    }

    /// The spec that imports into a store of another name, and allows no rejects.
    ///
    /// - Parameters:
    ///   - store: the path of the store, as the spec names it.
    ///   - settings: lines of further keys.
    func spec(
        modelFile: String, store: String, settings: [String], path: (String) -> String
    ) -> String {
        InferenceText.spec(
            name: name, store: store, model: ["model: \(InferenceText.file(modelFile))"],
            settings: settings, entities, joins, rejects: 0, path: path)
    }
}

/// What the values of a column are.
enum ColumnContent {
    /// No record has a value, or only lists without items.
    case nothing
    /// Single values.
    case scalars
    /// Lists of single values.
    case lists
    /// Objects, lists of them, and values of several kinds.
    case others
}
