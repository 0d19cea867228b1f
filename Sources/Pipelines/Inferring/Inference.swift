package import Diagnostics
import FoundationEssentials
import GraphModel
import GraphStore
import RecordStreams
import YAML

/// A model and a spec to start with, inferred from sample data or from a store.
package struct Inference: Sendable {
    /// The model as YAML; `nil` if YAML cannot express the store's model.
    package private(set) var model: String?
    /// The HTML report with the statistics of every field and the evidence for keys and links.
    ///
    /// It is `nil` for a store, or if the options do not request it.
    package private(set) var page: String?
    /// The warnings to print with the result.
    package var warnings: [Diagnostic] {
        losses + repeats.map(\.warning) + dangling.map(\.keys.warning)
    }
    private var losses: [Diagnostic] = []
    /// The warnings about records that share a key, with their entities.
    private var repeats: [(entity: String, warning: Diagnostic)] = []
    private let name: String
    private let entities: [InferredEntity]
    /// The index of each entity, and of each of its attributes, by their names.
    private let places: [String: (entity: Int, attributes: [String: Int])]
    private let joins: [InferredJoin]
    /// The keys in links that belong to no object, with the entities of the links.
    private var dangling: [(entity: String, keys: DanglingKeys)] = []
    /// The keys that may fill links of the store.
    private let storedLinks: [StoredLinkKeys]
    /// The tables whose first row is treated as values, with the names of their columns.
    let withoutHeader: [(file: String, columns: [String])]
    /// The tables with lines above their header, with the number of lines; 0 for comments.
    let withLinesAbove: [(file: String, lines: Int)]
    /// The guessed encodings and delimiters that are unusual, with their files.
    let guessedForms: [(guess: String, files: [String])]
    /// The largest number of records that one import could not read.
    private var rejects: Int
    /// The store and its model, if the spec exports from a store.
    private let store: (path: String, model: ManagedObjectModel)?
    /// Whether the spec exports from a store.
    var isOfStore: Bool { store != nil }
    /// Whether the files are empty, and the store has their entities.
    var hasNothing: Bool { store == nil && entities.isEmpty }
    /// The files, if all of them are empty.
    private let empty: [EmptyInput]

    /// Infers a model and a spec from files of records or from one store.
    ///
    /// - Parameters:
    ///   - paths: The files; `-` is standard input.
    ///   - options: The known facts about the files; not needed for a store.
    package init(
        from paths: [String], options: InferenceOptions = InferenceOptions()
    ) throws(RunFailure) {
        let spool = InferenceSpool()
        defer { spool.remove() }
        try self.init(from: paths, options: options, spool)
    }

    /// Infers from the paths and keeps copies of streams in the spool.
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
        for place in dangling.indices {
            let file = dangling[place].keys.file
            dangling[place].keys.file = spool.names[file] ?? file
        }
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
        try Self.checkURLs(paths, options)
        let inputs: InferenceInputs
        do throws(RecordStreamError) {
            inputs = try InferenceInputs(paths, options, spool)
        } catch {
            throw Self.failure(error, options, spool)
        }
        losses = inputs.warnings
        try Self.requireRecords(inputs)
        guard !inputs.samples.isEmpty else {
            self = Inference(store: nil, warnings: losses, empty: inputs.empty)
            return
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
        guessedForms = inputs.guessedForms
        losses += found.entities.flatMap { InputLoss.of($0, options.storeModel) }
        repeats = found.entities.compactMap { entity in
            entity.repeats.map {
                (entity.name, $0.warning(of: entity, isImported: options.isOfImport))
            }
        }
        entities = found.entities
        places = Self.places(of: entities)
        joins = found.joins
        dangling =
            found.entities.flatMap { entity in entity.dangling.map { (entity.name, $0) } }
            + found.joins.flatMap { join in join.dangling.map { (join.entity, $0) } }
        storedLinks = found.storedLinks
        rejects = inputs.samples.map(\.rejectCount).max() ?? 0
        name = Self.name(of: inputs.samples.map(\.entityName))
        store = nil
        empty = []
        model = InferenceText.model(entities)
        tryGiven(options, spool)
        guard options.hasProfiles else { return }
        page =
            ProfilePage(name: name, entities: entities, joins: joins, fields: found.fields).text
    }

    /// Creates an inference without entities: of a store, or of empty files.
    private init(
        store: (path: String, model: ManagedObjectModel)?, warnings: [Diagnostic],
        empty: [EmptyInput] = []
    ) {
        self.store = store
        losses = warnings
        self.empty = empty
        entities = []
        places = [:]
        joins = []
        storedLinks = []
        withoutHeader = []
        withLinesAbove = []
        guessedForms = []
        rejects = 0
        let names = Set(empty.map(\.entity))
        name = Self.name(of: names.sorted())
    }

    private init(store path: String, _ options: InferenceOptions) throws(RunFailure) {
        let (found, diagnostics) = ModelSource.readOrStored(path)
        guard let found else {
            throw RunFailure(problems: diagnostics.map { Self.naming(path, options, in: $0) })
        }
        let (text, problems) = ModelYAMLWriter.text(of: found)
        self.init(store: (path, found), warnings: diagnostics + problems)
        // If the reader rejects the text, it does not describe the model of this store.
        model = problems.isEmpty ? text : nil
    }

    /// Returns the diagnostic with a command that reads the tables of a database that is not a
    /// store.
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

    /// Returns the failure for an error, with fixes for a command without a spec.
    private static func failure(
        _ error: RecordStreamError, _ options: InferenceOptions, _ spool: InferenceSpool
    ) -> RunFailure {
        RunFailure(error).changing {
            $0.fix = CommandLineFix.of(error, options, spool) ?? CommandLineFix.of($0)
        }
    }

    /// Returns the name of the spec and of its store: `tasks`, or `data` for several entities.
    private static func name(of entities: [String]) -> String {
        guard entities.count == 1 else { return "data" }
        let name = String(
            entities[0].lowercased().unicodeScalars.filter {
                ("a"..."z").contains($0) || ("0"..."9").contains($0)
            }.prefix(50).map(Character.init))
        return name.isEmpty ? "data" : name
    }

    // MARK: Results for imports

    /// Returns the warnings about skipped or renamed fields; the import itself reports rejects.
    ///
    /// - Parameters:
    ///   - newEntities: The entities whose keys are not those of the store.
    ///   - isNew: Returns whether the import adds a relationship of an entity.
    func warningsOfLosses(
        _ newEntities: [String], _ isNew: (_ entity: String, _ relationship: String) -> Bool
    ) -> [Diagnostic] {
        let newLinks = dangling.filter { entity, keys in
            newEntities.contains(entity) || isNew(entity, keys.relationship)
        }
        return losses.filter { !InferenceInputs.isOfRejects($0) }
            + repeats.filter { newEntities.contains($0.entity) }.map(\.warning)
            + newLinks.map(\.keys.warning)
    }

    /// The entities of tables without a record.
    var entitiesWithoutRecords: [String] {
        entities.filter { $0.records == 0 && !$0.stages.isEmpty }.map(\.name)
    }

    /// Returns a note for each of these entities that has no key, but a field that may be one.
    func decisionsOnKeys(of names: [String]) -> [String] {
        entities.filter { names.contains($0.name) }.compactMap { entity in
            entity.possibleKey.map { field in
                "\(entity.name): \(field) has a different value in each record; if it is the key, "
                    + "import into a new store with --key \(CommandExample.shell(field))"
            }
        }
    }

    /// Returns a note for each of these entities whose objects occur in several files.
    func decisionsOnDumps(of names: [String]) -> [String] {
        entities.filter { $0.isOfDumps && names.contains($0.name) }.map { entity in
            let key = entity.key.joined(separator: " + ")
            return "\(entity.name): several files have the same \(key), and the record of the last"
                + " one counts (--key names other columns)"
        }
    }

    /// Returns the notes about columns that look like references by their names but are not links.
    func missingLinks(of names: [String]) -> [(entity: String, note: String)] {
        entities.filter { names.contains($0.name) }.flatMap { entity in
            entity.unlinked.map { (entity.name, $0) }
        }
    }

    /// Returns the note about an attribute's type and its fix; `nil` if there is nothing to report.
    func remark(on name: String, of entity: String) -> (note: String, fix: String)? {
        guard let attribute = attribute(name, of: entity), attribute.isRemark,
            !attribute.isOpenNumber, let note = attribute.note
        else { return nil }
        if let flags = flags(ofOpenDates: attribute) {
            return (note, "import into a new store with \(flags)")
        }
        return (
            note,
            "correct or remove such values, and import into a new store; or give --type"
                + " \(CommandExample.shell("\(attribute.source)=TYPE")) there to reject these records"
        )
    }

    /// Returns the flags for dates whose day and month cannot be distinguished; `nil` if they can.
    private func flags(ofOpenDates attribute: InferredAttribute) -> String? {
        guard let patterns = attribute.facts?.dates.openPatterns, !patterns.isEmpty else {
            return nil
        }
        return patterns.map {
            "--type " + CommandExample.shell("\(attribute.source)=Date \($0)")
        }.joined(separator: " or ")
    }

    /// Returns the kind of values in the column of an attribute.
    func content(of name: String, in entity: String) -> ColumnContent {
        guard let attribute = attribute(name, of: entity) else { return .others }
        if attribute.isEmpty { return .nothing }
        guard attribute.holdsScalars else { return .others }
        return attribute.facts?.lists == 0 ? .scalars : .lists
    }

    /// Returns the keys in a column that may fill a link of the store; `nil` if nothing is known.
    func keys(
        in column: String, of entity: String, stage: String?, for relationship: String
    ) -> StoredLinkKeys? {
        let form = form(of: entity, in: stage)
        return storedLinks.first { keys in
            keys.entity == entity && keys.relationship == relationship
                && (form.flatMap { $0.source(of: keys.source) } ?? keys.source) == column
        }
    }

    /// Returns the paths of objects that are null in some records of an entity.
    func nullObjects(of entity: String) -> [String] {
        entities.first { $0.name == entity }?.nullObjects ?? []
    }

    /// Returns the texts that were found to mean null in the tables of an entity.
    func nullMarkers(of entity: String) -> [NullMarkers.Use] {
        entities.first { $0.name == entity }?.stages.first { !$0.nullMarkers.isEmpty }?.nullMarkers
            ?? []
    }

    /// Returns the columns of an entity's records in an import, or the paths of their fields.
    func sources(of entity: String, stage: String?) -> [String] {
        let sources = entities.first { $0.name == entity }?.sources ?? []
        guard let form = form(of: entity, in: stage) else { return sources }
        return sources.compactMap(form.source)
    }

    /// Returns whether the records of an entity in an import are table rows and not JSON.
    func isTable(_ entity: String, stage: String?) -> Bool {
        if let form = form(of: entity, in: stage) { return form.columns != nil }
        let stages = entities.first { $0.name == entity }?.stages ?? []
        return stages.contains { $0.form.columns != nil }
    }

    /// Returns whether the files of an import have a header; `true` for JSON.
    func hasHeader(stage: String) -> Bool {
        entities.lazy.flatMap(\.stages).first { $0.name == stage }?.form.hasHeader ?? true
    }

    /// Returns whether the files of an import lack the column of an attribute.
    func lacks(_ name: String, of entity: String, stage: String?) -> Bool {
        attribute(name, of: entity) != nil && seen(name, of: entity, in: stage) == nil
    }

    /// Returns how an import reads the records of an entity.
    private func form(of entity: String, in stage: String?) -> SampleForm? {
        entities.first { $0.name == entity }?.stages.first { $0.name == stage }?.form
    }

    /// Returns the attribute as an import fills it; `nil` if its files lack the column.
    private func seen(
        _ name: String, of entity: String, in stage: String?
    ) -> InferredAttribute? {
        let attribute = attribute(name, of: entity)
        guard let form = form(of: entity, in: stage) else { return attribute }
        return attribute?.seen(in: form)
    }

    /// Returns the fix of dates for an attribute of the store if day and month are ambiguous.
    func fix(
        ofOpenDates name: String, of entity: String, for stored: AttributeDescription
    ) -> String? {
        guard stored.type == .date, !PropertyOrigin(stored.userInfo).hasFormat,
            let attribute = attribute(name, of: entity), !attribute.isDateGiven
        else { return nil }
        return flags(ofOpenDates: attribute).map { "add \($0)" }
    }

    /// Returns the doubt about the decimal mark of numbers for an attribute of the store.
    func decimalDoubt(
        on name: String, of entity: String, for stored: AttributeDescription
    ) -> DecimalDoubt? {
        guard case .text(let kept) = PropertyOrigin(stored.userInfo).number,
            let attribute = attribute(name, of: entity), let facts = attribute.facts
        else { return nil }
        // The other columns of the file may show its decimal mark.
        if case .text(let form) = attribute.number, form.decimal == kept.decimal { return nil }
        return DecimalDoubt(facts.numberForms, keeping: kept, in: attribute.source)
    }

    /// Returns the mapping that fills an attribute of the store; `nil` if it needs none.
    ///
    /// The mapping depends on the attribute's type and on the format of the values in the first
    /// import.
    ///
    /// - Parameter stage: The import; `nil` for objects inside the records.
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
        guard let (place, attributes) = places[entity], let own = attributes[name] else {
            return nil
        }
        return entities[place].attributes[own]
    }

    /// Returns the index of each entity, and of each of its attributes, by their names.
    private static func places(
        of entities: [InferredEntity]
    ) -> [String: (entity: Int, attributes: [String: Int])] {
        Dictionary(
            uniqueKeysWithValues: entities.enumerated().map { place, entity in
                let names = entity.attributes.map(\.name)
                return (
                    entity.name,
                    (place, Dictionary(zip(names, names.indices)) { first, _ in first })
                )
            })
    }

    // MARK: Trial

    /// Counts rejects in a dry run if the user specified types or a key, or if records may lack
    /// objects that they need.
    ///
    /// These may not fit all records. The dry run uses a temporary store and allows all rejects.
    private mutating func tryGiven(_ options: InferenceOptions, _ spool: InferenceSpool) {
        // A direct import allows no rejects.
        let mayReject =
            !options.types.isEmpty || !options.key.isEmpty
            || dangling.contains(where: \.keys.isRejected)
        guard mayReject, !options.isOfImport else { return }
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

    /// Returns the spec.
    ///
    /// - Parameters:
    ///   - modelFile: The path of the model, as the spec names it; `nil` to embed the model in the
    ///     spec.
    ///   - path: Returns the name of a file in the spec.
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

    /// Returns a spec that imports into another store and allows no rejects.
    ///
    /// - Parameters:
    ///   - store: The path of the store, as the spec names it.
    ///   - settings: The lines of further keys.
    func spec(
        modelFile: String, store: String, settings: [String], path: (String) -> String
    ) -> String {
        InferenceText.spec(
            name: name, store: store, model: ["model: \(InferenceText.file(modelFile))"],
            settings: settings, entities, joins, empty: empty, rejects: 0, path: path)
    }
}

/// The kind of values in a column.
enum ColumnContent {
    /// No values, or only lists without items.
    case nothing
    /// Single values.
    case scalars
    /// Lists of single values.
    case lists
    /// Objects, lists of objects, or values of several kinds.
    case others
}
