import GraphModel
import SQLite
import XcodeModel

/// The model that is used to salvage a damaged store.
struct SavedModel {
    let model: ManagedObjectModel
    /// Whether it is the model in `Z_MODELCACHE`, because the store's own model cannot be read.
    let isCached: Bool

    /// Selects the first model whose version hashes match the store: the store's own, the given
    /// one, or the one in `Z_MODELCACHE`.
    ///
    /// If none matches, or the store's hashes are unknown, it selects the first one.
    ///
    /// - Returns: `nil` if no model is found.
    init?(_ connection: Connection, _ given: ManagedObjectModel?) throws(StoreError) {
        let stored = try Self.reading { () throws(StoreError) in
            try PersistentStore.storedModel(connection)
        }
        let cached = try Self.reading { () throws(StoreError) -> ManagedObjectModel? in
            guard case .model(let cached) = try ModelCache(on: connection) else { return nil }
            return cached.model
        }
        let all = [(stored, false), (given, false), (cached, true)].compactMap { model, isCached in
            model.map { (model: $0, isCached: isCached) }
        }
        let metadata = try Self.reading { () throws(StoreError) in
            try StoreMetadata(readingFrom: connection)
        }
        var fitting: (model: ManagedObjectModel, isCached: Bool)?
        if let metadata {
            for candidate in all where fitting == nil {
                let held = try Self.reading { () throws(StoreError) in
                    try metadata.entities(of: candidate.model, on: connection)
                }
                let differing = metadata.entitiesThatDiffer(from: candidate.model, holding: held)
                if differing.isEmpty { fitting = candidate }
            }
        }
        guard let chosen = fitting ?? all.first else { return nil }
        (model, isCached) = chosen
    }

    /// Returns the result of a read, or `nil` if the data is damaged.
    private static func reading<Value>(
        _ body: () throws(StoreError) -> Value?
    ) throws(StoreError) -> Value? {
        do throws(StoreError) {
            return try body()
        } catch {
            guard error.isDamage || error.isDamagedRead || error.isFunctionFailure else {
                throw error
            }
            return nil
        }
    }
}

extension SavedModel {
    /// The losses that concern the model.
    var losses: [StoreFinding] {
        guard isCached else { return [] }
        return [
            StoreFinding(
                .metadata,
                "The model in ETL_MODEL cannot be read, and is replaced by the one in Z_MODELCACHE")
        ]
    }
}
