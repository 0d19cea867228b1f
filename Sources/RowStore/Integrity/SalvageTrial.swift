package import GraphModel
import SQLite

/// Salvages damaged stores of one model into a new store that is emptied after each file.
///
/// Use it to try many files: most of the time of a salvage is spent on creating the new file.
package struct SalvageTrial {
    private let schema: StoreLayout
    private let target: Connection

    /// Creates an empty store of the model, into which each trial salvages a file.
    ///
    /// - Parameter path: the path of the new store.
    package init(_ model: ManagedObjectModel, at path: String) throws(StoreError) {
        schema = StoreLayout(model)
        _ = try PersistentStore.open(
            .sqlite(at: path, opening: .create), model: model, holding: nil)
        target = try Connection(path: path, mode: .readWrite)
    }

    /// Returns the result that a salvage of the file would have.
    ///
    /// - Returns: `nil` if the file states that its model is a different one.
    /// - Throws: the error that the salvage would throw.
    package func run(_ path: String) throws(StoreError) -> StoreSalvage? {
        let snapshot = try StoreSnapshot.ofDamaged(path, nil)
        guard try !AppSalvage.isOfApp(snapshot.connection),
            let chosen = try SavedModel(snapshot.connection, nil), chosen.model == schema.model,
            let metadata = try StoreMetadata(readingFrom: snapshot.connection),
            try metadata.entities(of: schema.model, on: snapshot.connection) == nil
        else { return nil }
        try target.execute("BEGIN IMMEDIATE")
        // If the rollback fails, the next trial fails.
        defer { try? target.execute("ROLLBACK") }
        var writer = try SalvageWriter(from: snapshot.connection, at: path, schema, to: target)
        try writer.write()
        var salvage = writer.salvage
        salvage.losses = snapshot.losses + chosen.losses + salvage.losses
        return salvage
    }
}
