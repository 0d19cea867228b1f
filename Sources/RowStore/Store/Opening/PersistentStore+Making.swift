import FoundationEssentials
import GraphModel
import SQLite

extension PersistentStore {
    /// The checked content of a new store, which is built before its file.
    ///
    /// A file that could never be opened would otherwise remain.
    struct NewStore {
        fileprivate let model: ManagedObjectModel
        fileprivate let schema: StoreLayout
        fileprivate let metadata: StoreMetadata

        /// Derives the layout and the metadata of a new store from its model, and checks them.
        ///
        /// - Throws: `StoreError` without a model, or if a derivation does not parse or does not fit
        ///   its attribute.
        init(
            _ description: StoreDescription, _ model: ManagedObjectModel?, _ held: Set<String>?
        ) throws(StoreError) {
            guard let model else {
                throw StoreError(
                    .noModel, "\(description.path) does not exist, and creating it needs a model")
            }
            let keepsExactDecimals =
                description.options.keepsExactDecimals ?? model.keepsExactDecimals
            self.model = try fitted(model, keepsExactDecimals: keepsExactDecimals)
            schema = StoreLayout(self.model, holding: held)
            _ = try DerivedAttributes(schema)
            var metadata = StoreMetadata(newStoreFor: self.model, holding: held)
            if keepsExactDecimals {
                metadata.propertyList[StoreMetadata.exactDecimalsKey] = .boolean(true)
            }
            self.metadata = metadata
        }
    }

    /// Creates the tables of a new store and opens it.
    static func fill(
        _ new: NewStore, _ description: StoreDescription, _ address: StoreAddress,
        _ connection: Connection
    ) throws(StoreError) -> PersistentStore {
        let journal =
            address.isTemporary
            ? .writeAheadLog : description.options.journalMode ?? .writeAheadLog
        // Both pragmas must precede the first table.
        try connection.execute("PRAGMA auto_vacuum = 2")
        if address.hasLog {
            try connection.execute("PRAGMA journal_mode = \(journal.rawValue)")
        }
        try connection.execute("BEGIN IMMEDIATE")
        try makeSchema(new.schema, on: connection)
        try new.metadata.write(to: connection)
        try write(new.model, to: connection)
        try connection.execute("COMMIT")
        return try PersistentStore(description, address, new.model, new.metadata, connection)
    }

    /// Creates all tables and indexes of a new store.
    static func makeSchema(_ schema: StoreLayout, on connection: Connection) throws(StoreError) {
        try connection.execute(SchemaSQL.bookkeeping)
        try ModelCache.make(for: schema.model, on: connection)
        try makeTables(schema, on: connection)
        for index in schema.indexes { try connection.execute(SchemaSQL.create(index)) }
        try FoldTable.complete(schema, on: connection)
    }

    /// Creates the tables of the objects without indexes, and registers the entity numbers.
    static func makeTables(
        _ schema: StoreLayout, on connection: Connection
    ) throws(StoreError) {
        for table in schema.tables { try connection.execute(SchemaSQL.createTable(table)) }
        for table in schema.joinTables { try connection.execute(SchemaSQL.createTable(table)) }
        try registerEntities(of: schema, on: connection)
    }

    /// Adds the entity numbers that `Z_PRIMARYKEY` lacks.
    static func registerEntities(
        of schema: StoreLayout, on connection: Connection
    ) throws(StoreError) {
        let row = try connection.prepare("INSERT OR IGNORE INTO Z_PRIMARYKEY VALUES (?, ?, ?, 0)")
        for entity in schema.heldEntities {
            row.bind(entity.number, at: 1)
            row.bind(entity.name, at: 2)
            row.bind(entity.superNumber, at: 3)
            try row.run()
        }
    }

    /// Returns the model with decimals stored exactly or as doubles.
    static func fitted(
        _ model: ManagedObjectModel, keepsExactDecimals: Bool
    ) throws(StoreError) -> ManagedObjectModel {
        do throws(ModelError) {
            return try model.keepingExactDecimals(keepsExactDecimals)
        } catch {
            throw StoreError(.internalError, "\(error)")
        }
    }

    private static func write(
        _ model: ManagedObjectModel, to connection: Connection
    ) throws(StoreError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let text: String
        do {
            text = String(decoding: try encoder.encode(model), as: UTF8.self)
        } catch {
            throw StoreError(.internalError, "The model cannot be encoded: \(error)")
        }
        let statement = try connection.prepare("INSERT INTO ETL_MODEL VALUES (1, ?)")
        statement.bind(text, at: 1)
        try statement.run()
    }

    /// Creates the fold tables in a store that was created before an attribute became searchable.
    static func foldTexts(
        _ schema: StoreLayout, on connection: Connection
    ) throws(StoreError) {
        if try FoldTable.isComplete(schema, on: connection) { return }
        try connection.writing { () throws(StoreError) in
            try FoldTable.complete(schema, on: connection)
        }
    }

    /// Replaces the indexes of a store with those of the given model, and stores that model in the
    /// file.
    ///
    /// Version hashes do not include indexes. If a load has deferred indexes, a later opening does
    /// this.
    static func followIndexes(
        _ schema: StoreLayout, of model: ManagedObjectModel, from stored: StoreLayout,
        on connection: Connection
    ) throws(StoreError) {
        let (old, new) = (
            Set(stored.tables.flatMap(\.indexes)), Set(schema.tables.flatMap(\.indexes))
        )
        guard old != new else { return }
        try connection.writing { () throws(StoreError) in
            // Another connection may since have begun a load or applied its own model.
            guard try !PendingIndexes.isPending(on: connection) else { return }
            let found = Set(try SchemaSQL.parts(of: connection).map(\.name))
            for index in old.union(new).sorted(by: { $0.name < $1.name })
            where found.contains(index.name) && !(old.contains(index) && new.contains(index)) {
                try connection.execute(SchemaSQL.drop(index))
            }
            for index in new.sorted(by: { $0.name < $1.name }) {
                try connection.execute(SchemaSQL.create(index))
            }
            try connection.execute("DELETE FROM ETL_MODEL")
            try write(model, to: connection)
            try ModelCache.replace(for: model, on: connection)
        }
    }

    static func storedModel(
        _ connection: Connection
    ) throws(StoreError) -> ManagedObjectModel? {
        guard try connection.hasTable("ETL_MODEL"),
            let text = try connection.text("SELECT MODEL FROM ETL_MODEL")
        else { return nil }
        do {
            return try JSONDecoder().decode(ManagedObjectModel.self, from: Data(text.utf8))
        } catch {
            throw StoreError(
                .corrupt, "\(connection.path): the model that it carries cannot be read")
        }
    }
}
