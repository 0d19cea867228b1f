import Files
package import GraphModel
import SQLite

/// The result of saving a damaged store into a new one.
public struct StoreSalvage: Sendable, Hashable {
    /// The number of objects of each entity in the new store, without its subentities.
    public internal(set) var objects: [String: Int] = [:]
    /// The data that could not be saved, or not without changes.
    public internal(set) var losses: [StoreFinding] = []
    /// The remaining faults of the new store, such as required values that the old one lacked.
    public internal(set) var remaining: [StoreFinding] = []

    /// Whether everything was saved, and the new store has no faults.
    public var isComplete: Bool { losses.isEmpty && remaining.isEmpty }
}

extension StoreSalvage {
    /// Saves the readable part of a damaged store into a new one; the old store is not changed.
    ///
    /// - Parameters:
    ///   - path: the damaged store's file.
    ///   - newPath: the new store's file. Neither the file nor its folder of large values may exist.
    ///   - model: the model of the store, used if the store's own model cannot be read.
    /// - Throws: `StoreError` if nothing can be read, or the new store cannot be created.
    package static func save(
        at path: String, to newPath: String, model: ManagedObjectModel?
    ) throws(StoreError) -> StoreSalvage {
        try StoreFiles.checkExists(path)
        try StoreFiles.rejectOtherKinds(path)
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
            return try save(snapshot, at: path, to: newPath, model: model)
        } catch {
            // The user knows the store, not the copy that is read.
            throw error.naming(path, insteadOf: snapshot.connection.path)
        }
    }

    private static func save(
        _ snapshot: StoreSnapshot, at path: String, to newPath: String, model: ManagedObjectModel?
    ) throws(StoreError) -> StoreSalvage {
        let source = snapshot.connection
        if try AppSalvage.isOfApp(source) {
            return try save(to: newPath, after: snapshot.losses, verifying: model) {
                temporary throws(StoreError) in
                try AppSalvage.write(source, at: path, model, to: temporary)
            }
        }
        guard let chosen = try SavedModel(source, model) else {
            throw StoreError(
                .noModel, "\(path) contains no readable model; pass its model")
        }
        return try save(to: newPath, after: snapshot.losses + chosen.losses, verifying: nil) {
            temporary throws(StoreError) in
            // A store of a configuration contains only its entities. If the configuration is
            // unreadable, the store is treated as if it contained all entities.
            var model = chosen.model
            let metadata = try? StoreMetadata(readingFrom: source)
            if let metadata {
                model = try PersistentStore.fitted(
                    model, keepsExactDecimals: metadata.keepsExactDecimals)
            }
            let held = try? metadata?.entities(of: model, on: source)
            let schema = StoreLayout(model, holding: held)
            return try SalvageWriter.write(source, at: path, schema, to: temporary)
        }
    }

    /// Saves the readable part; the new file has a temporary name until it is complete.
    ///
    /// - Parameters:
    ///   - losses: the losses that are known before.
    ///   - model: the model to verify the new store with; `nil` uses the store's own.
    ///   - write: writes the new file, and closes it.
    private static func save(
        to newPath: String, after losses: [StoreFinding], verifying model: ManagedObjectModel?,
        write: (String) throws(StoreError) -> StoreSalvage
    ) throws(StoreError) -> StoreSalvage {
        let temporary = CompanionFile.part.path(of: newPath)
        try StoreFiles.destroy(at: temporary)
        do throws(StoreError) {
            var salvage = try write(temporary)
            try SalvageWriter.finish(temporary, newPath)
            salvage.losses = losses + salvage.losses
            salvage.remaining = try StoreVerification.verify(at: newPath, .full, model: model)
                .findings
            return salvage
        } catch {
            try StoreFiles.destroy(at: temporary)
            throw error
        }
    }
}
