import FoundationEssentials
import GraphModel
import SQLite

/// The migrated parts of an app's store other than its objects: metadata, history, and triggers.
///
/// It also collects the obstacles that these parts present to a migration. A store that contained
/// its model contains the new model afterwards, in the archive format of the app's framework.
struct AppStoreFrame {
    /// The SQL statements that create the history tables as in the app's store.
    private(set) var historyTables: [String] = []
    private(set) var notes: [String] = []
    private(set) var obstacles: [String] = []
    /// The names of virtual tables, which are obstacles.
    private(set) var virtualTables: [String] = []
    private(set) var triggers: [(name: String, table: String, sql: String)] = []
    private var metadata: StoreMetadata
    private var carriesModel = false
    private let path: String

    /// Creates the frame of an app's store; `nil` for a store that GraphStore created.
    init?(_ source: MigrationSource, _ script: MigrationScript) throws(StoreError) {
        guard let found = script.old.found else { return nil }
        path = source.path
        metadata = source.metadata
        updateMetadata(source.model, script.new)
        noteColumns(script.old, found)
        let composites = Set(source.model.storedComposites + script.new.model.storedComposites)
        if !composites.isEmpty {
            obstacles.append(
                "where the app's framework keeps the elements of composites"
                    + " (\(composites.sorted().joined(separator: ", "))) is not known")
        }
        let parts = try SchemaSQL.parts(of: source.connection)
        let text = TriggerText(script)
        for (type, name, table, sql) in parts {
            if name == "Z_MODELCACHE" { carriesModel = true }
            if Self.historyNames.contains(table), type != "trigger" { historyTables.append(sql) }
            if MigrationLeftovers.isVirtual(sql) {
                obstacles.append(
                    "\(name) is a virtual table, as R-trees are, which only the app's framework can"
                        + " make")
                virtualTables.append(name)
            }
            if type == "trigger" { add(name, table, sql, text, script) }
        }
        if parts.contains(where: { $0.type == "table" && $0.name.hasPrefix("ANSCK") }) {
            rejectMirror(source, text.isRenumbering || !HistoryProjection(script).isKept)
        }
        if carriesModel {
            notes += ModelCache.notes(on: script.new.model)
        }
        if !historyTables.isEmpty, !HistoryProjection(script).isKept {
            notes.append(
                "the history is dropped, because keys change; its readers must start over")
        }
    }

    private static let historyNames = Set(HistorySchema.tableNames.values)

    private mutating func noteColumns(_ schema: StoreLayout, _ found: FoundTables) {
        for table in schema.tables {
            let known = Set(["Z_PK", "Z_ENT", "Z_OPT"] + table.columns.map(\.name))
            for column in found.columns[table.name] ?? [] where !known.contains(column.name) {
                notes.append(
                    "the column \(table.name).\(column.name), which the model does not name, is "
                        + "not copied")
            }
        }
    }

    private mutating func rejectMirror(_ source: MigrationSource, _ changesNumbers: Bool) {
        if !source.allowsCloudKit {
            obstacles.append(
                "the app mirrors the store to CloudKit, which is not informed of the migration; "
                    + "it is not allowed without `--allow-cloudkit` or"
                    + " `MigrationManager.allowsCloudKit`")
        } else if changesNumbers {
            obstacles.append(
                "the app mirrors the store to CloudKit, whose notes name objects by numbers that"
                    + " change; migrate it with the app")
        }
    }

    // MARK: Metadata

    /// Replaces the hashes in the existing metadata with those of the new model.
    ///
    /// The hash of a derived attribute cannot be computed, so the store must already have the hash
    /// of such an entity.
    private mutating func updateMetadata(_ old: ManagedObjectModel, _ new: StoreLayout) {
        let known = metadata.versionHashes
        let (before, after) = (old.versionHashes, new.model.versionHashes)
        let unknown = Set(new.model.entityNamesWithOwnHashes)
        // A store of one configuration may contain the hashes of all entities.
        let namesAll = old.entities.allSatisfy { known[$0.name] != nil }
        var hashes: [String: [UInt8]] = [:]
        for (name, hash) in after.sorted(by: { $0.key < $1.key })
        where namesAll || new.heldNames.contains(name) {
            guard unknown.contains(name) else {
                hashes[name] = hash
                continue
            }
            guard let kept = known[name], before[name] == hash else {
                obstacles.append(
                    "\(name) has derived or composite attributes and differs, and how its hash is"
                        + " made only the app's framework knows, so that the app would not open the"
                        + " store")
                continue
            }
            hashes[name] = kept
        }
        metadata.propertyList["NSStoreModelVersionHashes"] = .dictionary(
            hashes.mapValues { .data(Data($0)) })
        metadata.propertyList["NSStoreModelVersionIdentifiers"] = .array(
            new.model.versionIdentifiers.map(PropertyListValue.string))
        // Older frameworks write neither key.
        for (key, text) in [
            ("NSStoreModelVersionHashesDigest", ManagedObjectModel.digest(of: hashes)),
            ("NSStoreModelVersionChecksumKey", ManagedObjectModel.checksum(of: hashes)),
        ] where metadata.propertyList[key] != nil {
            metadata.propertyList[key] = .string(text)
        }
    }

    // MARK: Triggers

    private mutating func add(
        _ name: String, _ table: String, _ sql: String, _ text: TriggerText,
        _ script: MigrationScript
    ) {
        switch fate(of: name, script) {
        case .dropped:
            notes.append("the trigger \(name) is not copied, and neither are its derived values")
        case .changed:
            obstacles.append(
                "the trigger \(name) derives values that have changed, and only the app's framework can"
                    + " create the new one")
        case .kept:
            guard script.new.table(named: table) != nil, let translated = text.translated(sql)
            else {
                obstacles.append(
                    "the trigger \(name) refers to parts that have changed, and only the app's framework"
                        + " can create the new one")
                return
            }
            triggers.append((name, table, translated))
        }
    }

    private enum Fate {
        case kept, changed, dropped
    }

    /// Returns what happens to a trigger.
    ///
    /// For a trigger that maintains a derived attribute,
    /// `Z_DA_<TABLE>_<Entity>_<attribute>_<EVENT>`, the attribute decides.
    private func fate(of name: String, _ script: MigrationScript) -> Fate {
        for entity in script.old.entities {
            let model = script.old.model
            let attributes =
                model.entity(named: entity.name).map { model.ownAttributes(of: $0) } ?? []
            // The longest name first: one name may start with another name and an underscore.
            for attribute in attributes.sorted(by: { $0.name.count > $1.name.count })
            where name.hasPrefix("Z_DA_\(entity.table)_\(entity.name)_\(attribute.name)_") {
                guard let partner = script.pairing.newName(of: entity.name),
                    let there = script.new.entity(named: partner)
                else { return .dropped }
                let names = script.pairing.attributes(of: partner, from: entity.name)
                guard let next = names.first(where: { $0.value.name == attribute.name })?.key,
                    let derived = there.attributes[next],
                    let expression = derived.attribute.derivationExpression
                else { return .dropped }
                let isSame =
                    partner == entity.name && next == attribute.name && there.table == entity.table
                    && expression == attribute.derivationExpression
                    && derived.column == entity.attributes[attribute.name]?.column
                return isSame ? .kept : .changed
            }
        }
        return .kept
    }

    // MARK: Making

    /// Creates the tables that receive the objects, in an empty file.
    func makeTables(
        _ schema: StoreLayout, on connection: Connection
    ) throws(StoreError) {
        try connection.execute(SchemaSQL.coreBookkeeping)
        if carriesModel {
            try ModelCache.make(for: schema.model, on: connection)
        }
        try PersistentStore.makeTables(schema, on: connection)
    }

    /// Creates everything that follows the rows, in the open transaction.
    func complete(_ schema: StoreLayout, on connection: Connection) throws(StoreError) {
        // Values that triggers maintain are copied, but objects may have been dropped. Recompute
        // the values if all derivations are supported.
        if let derived = try? DerivedAttributes(schema) {
            try derived.deriveAll(on: connection, schema)
        }
        try metadata.write(to: connection)
        for trigger in triggers { try connection.execute(trigger.sql) }
        let found = try FoundTables(on: connection)
        let held = schema.heldNumbers.map { _ in schema.heldNames }
        try AppStore.prepare(
            connection, for: StoreLayout(schema.model, holding: held, over: found), path)
    }
}
