import Files
public import GraphModel
import SQLite

/// What was saved out of a damaged store into a new one, and what was not.
public struct StoreSalvage: Sendable, Hashable {
    /// The objects of each entity in the new store, without those of its sub-entities.
    public internal(set) var objects: [String: Int] = [:]
    /// What could not be saved, or not as it was.
    public internal(set) var losses: [StoreFinding] = []
    /// What is still wrong with the new store, such as required values that the old one lacked.
    public internal(set) var remaining: [StoreFinding] = []

    /// Whether everything was saved, and nothing is wrong any more.
    public var isComplete: Bool { losses.isEmpty && remaining.isEmpty }
}

extension PersistentContainer {
    /// Saves what can be read of a damaged store into a new one; the old one is not touched.
    ///
    /// Objects keep their keys, and the store its identity. Links to objects that are gone go, too,
    /// and so do pairs that lack an end; of several objects with one unique key the first is kept.
    /// What loads have noted of their progress is left behind, and so is the history of a store of
    /// ours.
    ///
    /// A store that an app made stays one: its tables, indexes, triggers, metadata, cached model,
    /// numbers, and history are copied with the names that they have.
    ///
    /// - Parameters:
    ///   - path: the damaged store's file.
    ///   - newPath: the new store's file. Neither the file nor its folder of large values may exist.
    ///   - model: what the store holds, where the store's own model cannot be read.
    /// - Throws: where nothing can be read, or the new store cannot be made.
    public static func salvage(
        at path: String, to newPath: String, model: ManagedObjectModel? = nil
    ) throws(StoreError) -> StoreSalvage {
        guard FileSystem.exists(path) else {
            throw StoreError(.missing, "\(path) does not exist")
        }
        try StoreFiles.refuseOtherKinds(path)
        guard !FileSystem.exists(newPath) else {
            throw StoreError(.exists, "\(newPath) exists already")
        }
        let folder = StoreFiles.supportFolder(of: newPath)
        guard try StoreFiles.names(in: folder).isEmpty else {
            throw StoreError(
                .exists,
                "\(folder), where \(newPath) would keep its external files, exists already")
        }
        let snapshot = try StoreSnapshot.ofDamaged(path, model)
        do throws(StoreError) {
            return try salvage(snapshot, at: path, to: newPath, model: model)
        } catch {
            // The user knows the store, and not the copy that is read.
            throw error.naming(path, insteadOf: snapshot.connection.path)
        }
    }

    private static func salvage(
        _ snapshot: StoreSnapshot, at path: String, to newPath: String, model: ManagedObjectModel?
    ) throws(StoreError) -> StoreSalvage {
        if try AppSalvage.isOfApp(snapshot.connection) {
            var salvage = try salvageApp(snapshot.connection, at: path, to: newPath, given: model)
            salvage.losses = snapshot.losses + salvage.losses
            return salvage
        }
        guard let chosen = try SavedModel(snapshot.connection, model) else {
            throw StoreError(
                .noModel, "\(path) contains no readable model; pass its model")
        }
        var model = chosen.model
        let temporary = CompanionFile.part.path(of: newPath)
        try destroy(at: temporary)
        do throws(StoreError) {
            // A store of a configuration has its entities only; one that does not say so any more
            // is taken for one that has all.
            let metadata = try? StoreMetadata(readingFrom: snapshot.connection)
            if let metadata {
                model = try PersistentStore.fitted(
                    model, keepsExactDecimals: metadata.keepsExactDecimals)
            }
            let held = try? metadata?.entities(of: model, on: snapshot.connection)
            let schema = StoreLayout(model, holding: held)
            var salvage = try SalvageWriter.save(
                snapshot.connection, at: path, schema, to: newPath, by: temporary)
            salvage.losses = snapshot.losses + chosen.losses + salvage.losses
            salvage.remaining = try verify(at: newPath, .full).findings
            return salvage
        } catch {
            try destroy(at: temporary)
            throw error
        }
    }

    private static func salvageApp(
        _ source: Connection, at path: String, to newPath: String, given: ManagedObjectModel?
    ) throws(StoreError) -> StoreSalvage {
        let temporary = CompanionFile.part.path(of: newPath)
        try destroy(at: temporary)
        do throws(StoreError) {
            var salvage = try AppSalvage.save(
                source, at: path, given, to: newPath, by: temporary)
            salvage.remaining = try verify(at: newPath, .full, model: given).findings
            return salvage
        } catch {
            try destroy(at: temporary)
            throw error
        }
    }
}
