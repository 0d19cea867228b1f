package import GraphModel
import SQLite

/// Saves damaged stores of one model into a new store that is emptied again each time.
///
/// It is for who tries many files: most of the time of a salvage goes into the new file.
package struct SalvageTrial {
    private let schema: StoreLayout
    private let target: Connection

    /// - Parameter path: where the new store is made.
    package init(_ model: ManagedObjectModel, at path: String) throws(StoreError) {
        schema = StoreLayout(model)
        _ = try PersistentStore.open(
            .sqlite(at: path, opening: .create), model: model, holding: nil)
        target = try Connection(path: path, mode: .readWrite)
    }

    /// What a salvage would save of the file.
    ///
    /// - Returns: nil if the file says that it holds something else than the model.
    /// - Throws: what the salvage would throw.
    package func run(_ path: String) throws(StoreError) -> StoreSalvage? {
        let snapshot = try StoreSnapshot.ofDamaged(path, nil)
        guard try !AppSalvage.isOfApp(snapshot.connection),
            let chosen = try SavedModel(snapshot.connection, nil), chosen.model == schema.model,
            let metadata = try StoreMetadata(readingFrom: snapshot.connection),
            try metadata.entities(of: schema.model, on: snapshot.connection) == nil
        else { return nil }
        try target.execute("BEGIN IMMEDIATE")
        // What cannot be taken back fails the next trial.
        defer { try? target.execute("ROLLBACK") }
        var writer = SalvageWriter(from: snapshot.connection, at: path, schema, to: target)
        try writer.write()
        var salvage = writer.salvage
        salvage.losses = snapshot.losses + chosen.losses + salvage.losses
        return salvage
    }
}
