import FoundationEssentials
import GraphModel
import SQLite
import XcodeModel

/// The model of a store that an app made, laid over the tables that are there.
struct AppStoreModel {
    let model: ManagedObjectModel
    let found: FoundTables
    let metadata: StoreMetadata
    var origin: StoreOrigin
    /// Properties of the store's own model that it has no columns for, with what is missing.
    let missing: [(property: String, place: String)]
    /// The tables have no columns for some of the store's own model.
    var lacksColumns: Bool { !missing.isEmpty }
    /// `Entity.attribute` of each composite: nobody knows where the app's framework keeps them.
    let composites: [String]

    /// Finds the model: the one given, as far as the tables have its columns; else the one that
    /// the store carries; else one made of the columns.
    init(
        given: ManagedObjectModel?, on connection: Connection, path: String
    ) throws(StoreError) {
        guard let metadata = try StoreMetadata(readingFrom: connection) else {
            throw PersistentStore.notAStore(path)
        }
        let found = try storing { () throws(SQLiteError) in try FoundTables(on: connection) }
        self.metadata = metadata
        self.found = found
        if let given {
            origin = StoreOrigin(model: .given)
            origin.differingEntities = Self.differing(metadata, given, found)
            try Self.requireColumns(given, found, origin.differingEntities, path)
            model = try Self.fitting(given, metadata)
            missing = []
            composites = given.storedComposites
            if !composites.isEmpty {
                origin.notes.append(
                    "The store has columns by the names that we give the elements of"
                        + " \(composites.joined(separator: ", ")); whether the app means the same"
                        + " by them is not known")
            }
        } else {
            var notes: [String] = []
            let cached = try Self.cached(on: connection, &notes)
            composites = cached?.composites ?? []
            if let cached {
                origin = StoreOrigin(model: .cached, notes: notes + cached.leftOut)
                missing = found.missing(
                    StoreSchema(
                        cached.model, holding: found.entities(heldOf: cached.model), over: found))
                for (property, place) in missing {
                    origin.notes.append("\(property) is left out: the store has no \(place)")
                }
                model = try Self.fitting(
                    Self.leavingOut(missing.map(\.property), of: cached.model, path), metadata)
                let differing = Self.differing(metadata, model, found)
                if !differing.isEmpty, missing.isEmpty {
                    origin.notes.append(
                        "The model in Z_MODELCACHE is stale; its hashes are not the store's in: "
                            + differing.joined(separator: ", "))
                }
            } else {
                origin = StoreOrigin(model: .columns, notes: notes)
                model = try Self.fitting(
                    ColumnModelReader(found, connection).model(path), metadata)
                missing = []
            }
        }
        for name in found.staleNames(found.numbers(of: model)) {
            origin.notes.append(
                "The store still calls the entity '\(name.model)' by an older name, '\(name.stored)'"
            )
        }
    }

    /// The layout of the model over the tables.
    func schema(holding held: Set<String>? = nil) -> StoreSchema {
        StoreSchema(model, holding: held ?? found.entities(heldOf: model), over: found)
    }

    // MARK: The model in the store

    /// The store's own model; nil where it has none, and where it cannot be read, which is noted.
    static func cached(
        on connection: Connection, _ notes: inout [String]
    ) throws(StoreError) -> CachedModel? {
        guard let content = try cacheContent(on: connection) else { return nil }
        do throws(ArchiveFault) {
            return try CachedModel(reading: content)
        } catch {
            notes.append("The model in Z_MODELCACHE cannot be read: \(error.message)")
            return nil
        }
    }

    /// The bytes of `Z_MODELCACHE`; nil if there are none.
    static func cacheContent(on connection: Connection) throws(StoreError) -> [UInt8]? {
        let content = try storing { () throws(SQLiteError) -> [UInt8]? in
            guard
                try connection.integer(
                    "SELECT count(*) FROM sqlite_master WHERE name = 'Z_MODELCACHE'") == 1
            else { return nil }
            let row = try connection.prepare("SELECT Z_CONTENT FROM Z_MODELCACHE")
            guard try row.step(), row.storage(0) == .blob else { return nil }
            return Array(row.bytes(0))
        }
        return content?.isEmpty == true ? nil : content
    }

    /// The model with decimals as the store keeps them: it may be one of ours that has lost its model.
    private static func fitting(
        _ model: ManagedObjectModel, _ metadata: StoreMetadata
    ) throws(StoreError) -> ManagedObjectModel {
        do throws(ModelError) {
            return try model.keepingExactDecimals(metadata.keepsExactDecimals)
        } catch {
            throw StoreError(.noModel, "\(error)")
        }
    }

    /// The model without what the tables have no column for.
    private static func leavingOut(
        _ properties: [String], of model: ManagedObjectModel, _ path: String
    ) throws(StoreError) -> ManagedObjectModel {
        guard !properties.isEmpty else { return model }
        do throws(ModelError) {
            return try model.leavingOut(Set(properties))
        } catch {
            throw StoreError(.corrupt, "\(path): its tables are not those of its model: \(error)")
        }
    }

    // MARK: A model that was given

    /// Entities whose hashes say that the model is another; those that cannot be compared aside.
    static func differing(
        _ metadata: StoreMetadata, _ model: ManagedObjectModel, _ found: FoundTables
    ) -> [String] {
        guard !metadata.versionHashes.isEmpty else { return [] }
        let unknown = Set(model.entityNamesWithOwnHashes)
        return metadata.entitiesThatDiffer(from: model, holding: found.entities(heldOf: model))
            .filter { !unknown.contains($0) }
    }

    private static func requireColumns(
        _ model: ManagedObjectModel, _ found: FoundTables, _ differing: [String], _ path: String
    ) throws(StoreError) {
        let held = found.entities(heldOf: model)
        let missing = found.missing(StoreSchema(model, holding: held, over: found))
        guard !missing.isEmpty || held?.isEmpty == true else { return }
        let composites = model.storedComposites.filter { composite in
            missing.contains { $0.property.isElement(of: composite) }
        }
        let places = missing.prefix(5).map { "\($0.place) for \($0.property)" }
        let more = missing.count > 5 ? ", …" : ""
        throw StoreError(
            .modelMismatch,
            "\(path) was made with another model"
                + (differing.isEmpty ? "" : "; these entities differ: ")
                + differing.joined(separator: ", ")
                + (places.isEmpty
                    ? "; it has no table of the model's"
                    : "; it has no " + places.joined(separator: ", ") + more)
                + (composites.isEmpty
                    ? ""
                    : "; where the app's framework keeps the elements of composites ("
                        + composites.joined(separator: ", ") + ") is not known"))
    }
}
