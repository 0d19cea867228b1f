import GraphModel

extension StoreVerifier {
    /// The layout of an app's store: by the model given, as far as it fits, else by its own.
    mutating func appSchema(_ given: ManagedObjectModel?) throws(StoreError) -> StoreSchema {
        var app: AppStoreModel
        do throws(StoreError) {
            app = try AppStoreModel(given: given, on: connection, path: path)
        } catch {
            guard error.code == .modelMismatch else { throw error }
            findings.append(StoreFinding(.hash, error.message))
            app = try AppStoreModel(given: nil, on: connection, path: path)
        }
        let differing = app.origin.differingEntities
        if !differing.isEmpty {
            findings.append(
                StoreFinding(
                    .hash, count: differing.count,
                    "The version hashes differ from the one given: "
                        + differing.joined(separator: ", ")))
        }
        app.origin.differingEntities = []
        remarks = app.origin.remarks
        return app.schema()
    }
}
