import Files
package import SQLite

/// A file with the inputs that runs have imported into an app's store, which takes none of etl's
/// tables.
///
/// The table is stored in `<store>.etl` next to the store, and in the working copy during a run.
/// The file contains the store's UUID, so a different store of the same name starts without it.
///
/// The inputs that a run adds are in `<store>.etl-next` until its working copy has replaced the
/// store.
package enum InputMemory {
    static func path(of storePath: String) -> String { storePath + ".etl" }

    static func nextPath(of storePath: String) -> String {
        CompanionFile.inputs.path(of: storePath)
    }

    /// The table with the UUID of the store that the inputs were imported into.
    private static let owner = "ETL_STORE"

    /// Opens a connection to a file, with another file attached as `other`.
    private static func connection(
        to target: String, with source: String
    ) throws(StoreError) -> Connection {
        let connection = try Connection(path: target, mode: .create)
        try connection.attach(source, as: "other")
        return connection
    }

    private static let copying = """
        \(KnownInputs.creation); INSERT OR REPLACE INTO main.\(KnownInputs.table) \
        SELECT * FROM other.\(KnownInputs.table);
        """

    /// Copies the inputs next to a store into a copy of the store.
    private static func read(
        _ memory: String, into workPath: String
    ) throws(StoreError) {
        let connection = try connection(to: workPath, with: memory)
        let isOfStore = try connection.integer(
            "SELECT (SELECT UUID FROM other.\(owner)) IS (SELECT Z_UUID FROM main.Z_METADATA)")
        guard isOfStore == 1 else { return }
        try connection.execute("BEGIN IMMEDIATE; \(copying) COMMIT")
    }

    /// Copies the inputs from a copy of a store into a file next to the store.
    private static func write(
        _ memory: String, from workPath: String
    ) throws(StoreError) {
        let connection = try connection(to: memory, with: workPath)
        guard try connection.hasTable(KnownInputs.table, in: "other") else { return }
        try connection.execute(
            """
            BEGIN IMMEDIATE; CREATE TABLE main.\(owner) (UUID TEXT); \
            INSERT INTO main.\(owner) SELECT Z_UUID FROM other.Z_METADATA; \(copying) COMMIT
            """)
    }

    /// Opens a connection to the inputs next to a store; `nil` if the file is missing or has
    /// another UUID.
    package static func connection(
        nextToStoreAt path: String, uuid: String
    ) throws(StoreError) -> Connection? {
        let memory = self.path(of: path)
        guard FileSystem.exists(memory) else { return nil }
        let connection = try Connection(path: memory, mode: .readOnly)
        return try connection.text("SELECT UUID FROM \(owner)") == uuid ? connection : nil
    }
}

/// The inputs of one run, until its working copy has replaced the store.
extension InputMemory {
    /// Copies the inputs of earlier runs into the working copy of an app's store.
    package static func recall(
        ofStoreAt path: String, into workPath: String
    ) throws(StoreError) {
        let memory = self.path(of: path)
        guard FileSystem.exists(memory) else { return }
        try read(memory, into: workPath)
    }

    /// Saves the inputs of all runs next to the store, before the working copy loses them.
    package static func keep(
        of workPath: String, nextToStoreAt path: String
    ) throws(StoreError) {
        let next = nextPath(of: path)
        try StoreFiles.remove(next)
        try write(next, from: workPath)
    }

    /// Makes the saved inputs current after the working copy has replaced the store.
    package static func confirm(ofStoreAt path: String) throws(StoreError) {
        let next = nextPath(of: path)
        guard FileSystem.exists(next) else { return }
        if StoreFiles.size(next) > 0 {
            try StoreFiles.move(next, to: self.path(of: path))
        } else {
            // The store has no inputs; the existing file describes an earlier store.
            try StoreFiles.remove(self.path(of: path))
            try StoreFiles.remove(next)
        }
        try StoreFiles.synchronizeFolder(of: path)
    }

    /// Removes the saved inputs of a run that failed.
    package static func forget(ofStoreAt path: String) throws(StoreError) {
        try StoreFiles.remove(nextPath(of: path))
    }
}
