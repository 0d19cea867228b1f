import FoundationEssentials
import GraphModel
package import SQLite
import XcodeModel

/// The model of a store that an app created, applied to the existing tables.
package struct AppStoreModel {
    /// The model that fits the tables.
    package let model: ManagedObjectModel
    let found: FoundTables
    let metadata: StoreMetadata
    /// The creator of the store, and the source of its model.
    package var origin: StoreOrigin
    /// Properties of the store's own model that have no column or table, with the missing one.
    let missing: [(property: String, place: String)]
    /// Whether the tables lack columns for properties of the store's own model.
    var lacksColumns: Bool { !missing.isEmpty }
    /// `Entity.attribute` of each composite, whose elements are stored in unknown columns.
    let composites: [String]

    /// Finds the model: the given one if the tables have its columns, or else the one that the
    /// store carries, or else one inferred from the columns.
    ///
    /// - Throws: `.noModel` if no model is given and the one that the store carries cannot be read.
    package init(
        given: ManagedObjectModel?, on connection: Connection, path: String
    ) throws(StoreError) {
        let metadata = try StoreMetadata(ofStoreAt: path, on: connection)
        let found = try FoundTables(on: connection)
        self.metadata = metadata
        self.found = found
        let cache = try ModelCache(on: connection)
        if let given {
            origin = StoreOrigin(model: .given)
            if case .unreadable(let reason) = cache {
                origin.notes.append(
                    "The model that the store carries (Z_MODELCACHE) cannot be read: \(reason)."
                        + " The given model is used")
            }
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
            switch cache {
            case .unreadable(let reason):
                throw Self.unreadableCache(path, reason)
            case .model(let cached):
                composites = cached.composites
                origin = StoreOrigin(model: .cached, notes: cached.leftOut)
                missing = found.missing(
                    StoreLayout(
                        cached.model, holding: found.entities(heldOf: cached.model), over: found))
                for (property, place) in missing {
                    origin.notes.append("\(property) is left out: the store has no \(place)")
                }
                model = try Self.fitting(
                    Self.leavingOut(missing.map(\.property), of: cached.model, path), metadata)
                let differing = Self.differing(metadata, model, found)
                if !differing.isEmpty, missing.isEmpty, found.missingTables(of: model).isEmpty {
                    origin.notes.append(
                        "The model in Z_MODELCACHE is stale; its hashes are not the store's in: "
                            + differing.joined(separator: ", "))
                }
            case .absent:
                composites = []
                origin = StoreOrigin(model: .columns)
                model = try Self.fitting(
                    ColumnModelReader(found, connection).model(path), metadata)
                missing = []
            }
        }
        for name in found.staleNames(found.numbers(of: model), of: model) {
            origin.notes.append(
                "The store still calls the entity '\(name.model)' by an older name, '\(name.stored)'"
            )
        }
    }

    /// Returns the layout of the model over the existing tables.
    package func schema(holding held: Set<String>? = nil) -> StoreLayout {
        StoreLayout(model, holding: held ?? found.entities(heldOf: model), over: found)
    }

    // MARK: The model in the store

    /// Returns the error for an unreadable cached model if no other model is given.
    static func unreadableCache(_ path: String, _ reason: String) -> StoreError {
        StoreError(
            .noModel,
            "\(path): the model that the store carries (Z_MODELCACHE) cannot be read: \(reason);"
                + " give the app's model instead, such as by `--model App.xcdatamodeld`")
    }

    /// Returns the model with decimals as the store keeps them.
    ///
    /// The store may be one of GraphStore that has lost its model.
    private static func fitting(
        _ model: ManagedObjectModel, _ metadata: StoreMetadata
    ) throws(StoreError) -> ManagedObjectModel {
        try PersistentStore.fitted(model, keepsExactDecimals: metadata.keepsExactDecimals)
    }

    /// Returns the model without the properties that have no columns.
    private static func leavingOut(
        _ properties: [String], of model: ManagedObjectModel, _ path: String
    ) throws(StoreError) -> ManagedObjectModel {
        guard !properties.isEmpty else { return model }
        do throws(ModelError) {
            return try model.leavingOut(Set(properties))
        } catch {
            throw StoreError(.corrupt, "\(path): its tables do not match its model: \(error)")
        }
    }

    // MARK: A model that was given

    /// Returns the entities whose hashes differ between store and model, except incomparable ones.
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
        let missing = found.missing(StoreLayout(model, holding: held, over: found))
        // A store of one configuration lacks the other tables, but its entities do not differ.
        let absent = model.entities.filter {
            !differing.isEmpty && $0.superentityName == nil && held?.contains($0.name) == false
        }
        let tables = absent.map { LayoutCompiler.tableName(root: $0.name) }
        guard !missing.isEmpty || !tables.isEmpty || held?.isEmpty == true else { return }
        let composites = model.storedComposites.filter { composite in
            missing.contains { $0.property.isElement(of: composite) }
        }
        let all = tables + missing.map { "\($0.place) for \($0.property)" }
        let places = all.prefix(5)
        let more = all.count > 5 ? ", …" : ""
        throw StoreError(
            .modelMismatch,
            "\(path) was created with another model"
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
