import GraphModel
import XcodeModel

extension StoreVerifier {
    /// Returns the layout of an app's store: from the given model if it fits, or else from its own.
    mutating func appSchema(_ given: ManagedObjectModel?) throws(StoreError) -> StoreLayout {
        var app: AppStoreModel
        do throws(StoreError) {
            app = try AppStoreModel(given: given, on: connection, path: path)
        } catch {
            guard error.code == .modelMismatch else { throw error }
            note(.hash, error.message)
            app = try AppStoreModel(given: nil, on: connection, path: path)
        }
        let differing = app.origin.differingEntities
        if !differing.isEmpty {
            note(
                .hash, count: differing.count,
                "The version hashes differ from the one given: "
                    + differing.joined(separator: ", "))
        }
        app.origin.differingEntities = []
        noteMissing(app)
        remarks = app.origin.remarks
        let isGiven = app.origin.model == .given
        try remarkOnCache { cached in
            // Otherwise, the model is the cached one, and its remarks already report this.
            isGiven ? AppStoreModel.differing(app.metadata, cached, app.found) : []
        }
        return app.schema()
    }

    /// Reports tables and columns that the model needs and the store lacks.
    private mutating func noteMissing(_ app: AppStoreModel) {
        let tables = app.found.missingTables(of: app.model)
        for table in tables {
            note(.structure, "The table \(table) is missing")
        }
        let places = Dictionary(grouping: app.missing, by: \.place)
        for (place, missing) in places.sorted(by: { $0.key < $1.key })
        where !tables.contains(place) {
            let properties = missing.map(\.property).sorted().joined(separator: ", ")
            let kind = place.contains(".") ? "column" : "table"
            note(.structure, "The \(kind) \(place), for \(properties), is missing")
        }
    }

    /// Reports that `Z_MODELCACHE` is missing or stale.
    ///
    /// Apps open the store anyway.
    ///
    /// - Parameter differing: returns the entities whose hashes differ from a cached model's.
    mutating func remarkOnCache(
        _ differing: (ManagedObjectModel) -> [String]
    ) throws(StoreError) {
        switch try ModelCache(on: connection) {
        case .absent:
            remarks.append("Z_MODELCACHE holds no model, so the store does not describe itself")
        case .model(let cached):
            let stale = differing(cached.model)
            guard !stale.isEmpty else { return }
            remarks.append(
                "The model in Z_MODELCACHE is stale; its hashes are not the store's in: "
                    + stale.joined(separator: ", "))
        case .unreadable(let reason):
            // The remarks on an app's store already report this.
            guard !isOfApp else { return }
            remarks.append("The model in Z_MODELCACHE cannot be read: \(reason)")
        }
    }
}
