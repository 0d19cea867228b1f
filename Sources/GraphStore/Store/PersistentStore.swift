import FoundationEssentials
import GraphModel
import SQLite

/// How a store's file is opened.
public enum StoreOpening: String, Sendable, Hashable {
    /// The file must be there.
    case existing
    /// Made if it is missing.
    case create
}

/// An open store: its file, its model and its layout.
///
/// The one connection that writes belongs to whoever holds the write lease.
final class PersistentStore {
    let path: String
    let schema: StoreSchema
    let uuid: String
    let connection: Connection

    private init(path: String, schema: StoreSchema, uuid: String, connection: Connection) {
        self.path = path
        self.schema = schema
        self.uuid = uuid
        self.connection = connection
    }

    /// Opens the store, or makes it.
    ///
    /// - Parameter model: what the store must hold; nil takes the store's own.
    static func open(
        at path: String, model: ManagedObjectModel?, opening: StoreOpening
    ) throws(StoreError) -> PersistentStore {
        let exists = StoreFiles.exists(path)
        if !exists {
            guard opening == .create else {
                throw StoreError(
                    .missing, "\(path) does not exist; `open: create` makes it when it is missing")
            }
            guard let model else {
                throw StoreError(.noModel, "\(path) is to be made, which needs a model")
            }
            return try create(at: path, model: model)
        }
        // Before SQLite makes files beside it, which would be as read-only.
        guard StoreFiles.isWritable(path) else {
            throw StoreError(.permission, "\(path) may not be written")
        }
        let connection = try connect(path, mode: .readWrite)
        if try isEmpty(connection), opening == .create, let model {
            return try fill(connection, model: model)
        }
        guard let metadata = try StoreMetadata(readingFrom: connection) else {
            throw StoreError(.notAStore, "\(path) is an SQLite file, but not a store")
        }
        let stored = try storedModel(connection)
        if let model {
            let differing = metadata.entitiesThatDiffer(from: model)
            guard differing.isEmpty else {
                throw StoreError(
                    .modelMismatch,
                    "\(path) was made with another version of the model; these entities differ: "
                        + differing.joined(separator: ", "))
            }
        }
        guard stored != nil else {
            throw StoreError(
                .notAStore,
                "\(path) was made by an app; stores that etl did not make are not supported yet")
        }
        guard let model = model ?? stored else {
            throw StoreError(.noModel, "\(path) holds no model")
        }
        let store = PersistentStore(
            path: path, schema: StoreSchema(model), uuid: metadata.uuid, connection: connection)
        try PendingIndexes.build(on: connection)
        return store
    }

    /// The model that the store carries, without opening it for work.
    static func model(at path: String) throws(StoreError) -> ManagedObjectModel? {
        guard StoreFiles.exists(path) else {
            throw StoreError(.missing, "\(path) does not exist")
        }
        let connection = try connect(path, mode: .readWrite)
        return try storedModel(connection)
    }

    // MARK: Connections

    private static func connect(
        _ path: String, mode: Connection.Mode
    ) throws(StoreError) -> Connection {
        do {
            let connection = try Connection(path: path, mode: mode)
            // The bulk preset: commits are whole after a crash of the process, and, with WAL,
            // consistent after one of the machine.
            try connection.execute(
                """
                PRAGMA synchronous = NORMAL; PRAGMA secure_delete = OFF;
                PRAGMA cache_size = -64000; PRAGMA temp_store = FILE; PRAGMA threads = 1;
                """)
            return connection
        } catch {
            guard !error.isCannotOpen else {
                let parent = StoreFiles.folder(of: path)
                guard StoreFiles.exists(parent) else {
                    throw StoreError(.missing, "The folder \(parent) does not exist")
                }
                throw StoreError(.permission, "\(path) cannot be opened: \(error.message)")
            }
            guard !error.isCorrupt else {
                throw StoreError(.corrupt, "\(path) is not an SQLite file, or is damaged")
            }
            throw StoreError(error)
        }
    }

    private static func isEmpty(_ connection: Connection) throws(StoreError) -> Bool {
        do {
            return try connection.integer("SELECT count(*) FROM sqlite_master") == 0
        } catch {
            guard !error.isCorrupt else {
                throw StoreError(
                    .corrupt, "\(connection.path) is not an SQLite file, or is damaged")
            }
            throw StoreError(error)
        }
    }

    // MARK: Making

    private static func create(
        at path: String, model: ManagedObjectModel
    ) throws(StoreError) -> PersistentStore {
        try fill(connect(path, mode: .create), model: model)
    }

    private static func fill(
        _ connection: Connection, model: ManagedObjectModel
    ) throws(StoreError) -> PersistentStore {
        let schema = StoreSchema(model)
        let metadata = StoreMetadata(newStoreFor: model)
        try storing { () throws(SQLiteError) in
            // Both must come before the first table.
            try connection.execute("PRAGMA auto_vacuum = 2; PRAGMA journal_mode = WAL")
            try connection.execute("BEGIN IMMEDIATE")
            try connection.execute(SchemaSQL.bookkeeping)
            for table in schema.tables {
                try connection.execute(SchemaSQL.createTable(table))
                for index in table.indexes { try connection.execute(SchemaSQL.create(index)) }
            }
            for table in schema.joinTables {
                try connection.execute(SchemaSQL.createTable(table))
                try connection.execute(SchemaSQL.create(table.reverseIndex))
            }
            let row = try connection.prepare("INSERT INTO Z_PRIMARYKEY VALUES (?, ?, ?, 0)")
            for entity in schema.entities {
                row.bind(entity.number, at: 1)
                row.bind(entity.name, at: 2)
                row.bind(entity.superNumber, at: 3)
                try row.run()
            }
        }
        try metadata.write(to: connection)
        try write(model, to: connection)
        try storing { () throws(SQLiteError) in try connection.execute("COMMIT") }
        return PersistentStore(
            path: connection.path, schema: schema, uuid: metadata.uuid, connection: connection)
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
        try storing { () throws(SQLiteError) in
            let statement = try connection.prepare("INSERT INTO ETL_MODEL VALUES (1, ?)")
            statement.bind(text, at: 1)
            try statement.run()
        }
    }

    private static func storedModel(
        _ connection: Connection
    ) throws(StoreError) -> ManagedObjectModel? {
        let text = try storing { () throws(SQLiteError) -> String? in
            guard
                try connection.integer(
                    "SELECT count(*) FROM sqlite_master WHERE name = 'ETL_MODEL'") == 1
            else { return nil }
            return try connection.text("SELECT MODEL FROM ETL_MODEL")
        }
        guard let text else { return nil }
        do {
            return try JSONDecoder().decode(ManagedObjectModel.self, from: Data(text.utf8))
        } catch {
            throw StoreError(.corrupt, "\(connection.path): its model cannot be read: \(error)")
        }
    }
}
