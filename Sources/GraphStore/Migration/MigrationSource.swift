import GraphModel
import SQLite

/// The store that is to be migrated, as it stands.
struct MigrationSource {
    let path: String
    let connection: Connection
    let model: ManagedObjectModel
    let schema: StoreSchema
    let metadata: StoreMetadata

    /// - Parameter connection: reads the store.
    init(_ path: String, _ connection: Connection) throws(StoreError) {
        self.path = path
        self.connection = connection
        guard let metadata = try StoreMetadata(readingFrom: connection) else {
            throw StoreError(.notAStore, "\(path) is an SQLite file, but not a store")
        }
        self.metadata = metadata
        guard let model = try PersistentStore.storedModel(connection) else {
            throw StoreError(
                .noModel, "\(path) does not say what its model is, so nobody can tell what it holds"
            )
        }
        self.model = model
        schema = StoreSchema(model, holding: metadata.entities(heldOf: model))
    }

    /// A store that is only looked at.
    init(lookingAt path: String) throws(StoreError) {
        try self.init(path, PersistentStore.readerOfStore(at: path))
        try PersistentStore.refuseUnfinished(connection, path)
    }

    /// The entities of a new model that the new store has: all, unless the old one has a
    /// configuration's only.
    func held(of new: ManagedObjectModel, _ pairing: ModelPairing) -> Set<String>? {
        guard schema.heldEntities.count < schema.entities.count else { return nil }
        let kept = schema.heldNames
        let roots = Set(
            new.entities.compactMap { entity in
                pairing.oldName(of: entity.name).flatMap { kept.contains($0) ? $0 : nil }
                    .map { _ in new.rootName(of: entity.name) }
            })
        return Set(new.entities.map(\.name).filter { roots.contains(new.rootName(of: $0)) })
    }

    /// The statements of a migration to a new model.
    func script(
        to new: ManagedObjectModel, by mapping: MappingModel
    ) throws(StoreError) -> MigrationScript {
        let new = try PersistentStore.fitted(
            new, keepsExactDecimals: metadata.keepsExactDecimals)
        var pairing = ModelPairing(from: model, to: new)
        let target = StoreSchema(new, holding: held(of: new, pairing))
        var moves = try MappedMoves(self, target).moves(mapping, &pairing)
        for entity in schema.heldEntities where !entity.isAbstract {
            guard let name = pairing.newName(of: entity.name),
                let partner = target.entity(named: name), target.holds(partner),
                // A mapping says what becomes of them, or else what is made of them besides.
                !mapping.entities.contains(where: {
                    $0.source == entity.name && $0.destination == name
                })
            else { continue }
            moves.append(ObjectMove(old: entity, new: partner))
        }
        moves = try MappedMoves(self, target).apart(moves)
        return try MigrationScript(
            ObjectMoves(old: schema, new: target, all: moves), pairing,
            ExternalFiles(storePath: path))
    }

    /// How many objects each entity has, by its number.
    func counts() throws(StoreError) -> [Int64: Int] {
        try storing { () throws(SQLiteError) in
            var counts: [Int64: Int] = [:]
            for table in schema.tables {
                let rows = try connection.prepare(
                    "SELECT Z_ENT, count(*) FROM main.\(table.name) GROUP BY Z_ENT")
                while try rows.step() { counts[rows.integer(0)] = Int(rows.integer(1)) }
            }
            return counts
        }
    }

    /// Whether a run has left its place in the store.
    func hasUnfinishedRun() throws(StoreError) -> Bool {
        try storing { () throws(SQLiteError) in try ProgressNotes.exist(on: connection) }
    }
}
