import GraphModel
import SQLite

/// The current state of the store to be migrated.
struct MigrationSource {
    let path: String
    let connection: Connection
    let model: ManagedObjectModel
    let schema: StoreLayout
    let metadata: StoreMetadata
    /// Versions between the store's and the new one.
    let between: [ManagedObjectModel]
    /// The versions that the store may have.
    let versions: [ManagedObjectModel]
    /// The new model's entities in the new store; `nil` derives them from the old store's.
    let holding: Set<String>?
    /// Whether to migrate an app's store that is mirrored to CloudKit.
    let allowsCloudKit: Bool
    /// The owner of the copy that is read instead of the file, if there is a copy.
    var snapshot: StoreSnapshot?

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

    /// Returns the statements of a migration to a new model.
    func script(
        to new: ManagedObjectModel, by mapping: MappingModel
    ) throws(StoreError) -> MigrationScript {
        let new = try PersistentStore.fitted(
            new, keepsExactDecimals: metadata.keepsExactDecimals)
        var pairing = ModelPairing(from: model, through: between, to: new)
        try requireCounterpart(pairing, mapping)
        let target = StoreLayout(
            new, holding: holding ?? held(of: new, pairing), naming: namingRelationships(pairing))
        var moves = try MappedMoves(self, target).moves(mapping, &pairing)
        for entity in schema.heldEntities where !entity.isAbstract {
            guard let name = pairing.newName(of: entity.name),
                let partner = target.entity(named: name), target.holds(partner),
                // A mapping defines what happens to them, or what else is created from them.
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

    /// Throws for another app's model, with which the migration would delete every object.
    private func requireCounterpart(
        _ pairing: ModelPairing, _ mapping: MappingModel
    ) throws(StoreError) {
        let names = schema.heldEntities.map(\.name).sorted()
        guard !names.isEmpty, mapping.entities.isEmpty,
            names.allSatisfy({ pairing.newName(of: $0) == nil }),
            !versions.contains(where: { $0.versionHashes == model.versionHashes })
        else { return }
        throw StoreError(
            .modelMismatch,
            "\(path): no entity of the store (\(Self.list(names))) continues in the new model, which has"
                + " \(Self.list(pairing.new.entities.map(\.name).sorted())); give the model of the app"
                + " that created the store, or map its entities")
    }

    /// Returns the first names of a list, for a message.
    private static func list(_ names: [String]) -> String {
        guard !names.isEmpty else { return "no entity" }
        let more = names.count > 5 ? ", and \(names.count - 5) more" : ""
        return names.prefix(5).map { "'\($0)'" }.joined(separator: ", ") + more
    }

    /// Returns the relationships that name their join table, like the old ones that they continue.
    ///
    /// In an app's store, it depends on the framework's version which side names the join table.
    private func namingRelationships(_ pairing: ModelPairing) -> Set<String> {
        guard !schema.isOurs else { return [] }
        var names: Set<String> = []
        for entity in pairing.new.entities {
            guard let old = pairing.oldName(of: entity.name).flatMap(schema.entity(named:)) else {
                continue
            }
            for (name, partner) in pairing.relationships(of: entity.name, from: old.name) {
                guard case .joinTable(let join)? = old.toManys[partner.name], !join.isReflexive,
                    partner.inverseName?.uppercased() == partner.name.uppercased()
                        ? join.table == "Z_\(old.number)\(partner.name.uppercased())"
                        : FoundTables.isNumbered(join.table, "Z_", partner.name.uppercased())
                else { continue }
                let declaring = pairing.new.declaringEntityName(of: name, in: entity.name)
                names.insert("\(declaring ?? entity.name).\(name)")
            }
        }
        return names
    }

    /// Returns the number of objects of each entity, by entity number.
    func counts() throws(StoreError) -> [Int64: Int] {
        var counts: [Int64: Int] = [:]
        for table in schema.tables {
            let rows = try connection.prepare(
                "SELECT Z_ENT, count(*) FROM main.\(table.name) GROUP BY Z_ENT")
            while try rows.step() { counts[rows.integer(0)] = Int(rows.integer(1)) }
        }
        return counts
    }
}
