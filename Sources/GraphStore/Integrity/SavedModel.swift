import GraphModel
import SQLite
import XcodeModel

/// The model by which a damaged store is saved.
struct SavedModel {
    let model: ManagedObjectModel
    /// Whether it is the one in `Z_MODELCACHE`, since the store's own cannot be read.
    let isCached: Bool

    /// Takes the first whose version hashes are those of the store: of its own model, the one given,
    /// and the one in `Z_MODELCACHE`; the first of them if none is, or if nobody knows.
    ///
    /// - Returns: nil if there is none.
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

    /// What can be read; nil if it is damaged.
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
    /// What is to be told of the model.
    var losses: [StoreFinding] {
        guard isCached else { return [] }
        return [
            StoreFinding(
                .metadata,
                "The model in ETL_MODEL cannot be read, and is replaced by the one in Z_MODELCACHE")
        ]
    }
}
