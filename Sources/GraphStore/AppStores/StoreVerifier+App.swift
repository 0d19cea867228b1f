import GraphModel
import XcodeModel

extension StoreVerifier {
    /// The layout of an app's store: by the model given, as far as it fits, else by its own.
    mutating func appSchema(_ given: ManagedObjectModel?) throws(StoreError) -> StoreLayout {
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
        noteMissing(app)
        remarks = app.origin.remarks
        try remarkOnCache(app)
        return app.schema()
    }

    /// Tables and columns that the model needs and that the store does not have.
    private mutating func noteMissing(_ app: AppStoreModel) {
        let tables = app.found.missingTables(of: app.model)
        for table in tables {
            findings.append(StoreFinding(.structure, "The table \(table) is missing"))
        }
        let places = Dictionary(grouping: app.missing, by: \.place)
        for (place, missing) in places.sorted(by: { $0.key < $1.key })
        where !tables.contains(place) {
            let properties = missing.map(\.property).sorted().joined(separator: ", ")
            let kind = place.contains(".") ? "column" : "table"
            findings.append(
                StoreFinding(.structure, "The \(kind) \(place), for \(properties), is missing"))
        }
    }

    /// Whether the store describes itself; the app opens it anyway.
    private mutating func remarkOnCache(_ app: AppStoreModel) throws(StoreError) {
        switch try ModelCache(on: connection) {
        case .absent:
            remarks.append("Z_MODELCACHE holds no model, so the store does not describe itself")
        case .model(let cached) where app.origin.model == .given:
            let stale = AppStoreModel.differing(app.metadata, cached.model, app.found)
            guard !stale.isEmpty else { return }
            remarks.append(
                "The model in Z_MODELCACHE is stale; its hashes are not the store's in: "
                    + stale.joined(separator: ", "))
        // The remarks on the model have said it.
        case .model, .unreadable: break
        }
    }
}
