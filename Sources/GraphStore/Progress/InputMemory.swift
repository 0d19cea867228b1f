import Files
import SQLite

/// What runs know of the inputs of an app's store, which itself takes no table of ours: it stands
/// beside the store, in `<store>.etl`, and in the copy that a run works on.
///
/// It says of which store it is, by the UUID, so that another one of that name begins anew.
///
/// What a run has added waits in `<store>.etl-next` until its copy has taken the store's place.
enum InputMemory {
    static func path(of storePath: String) -> String { storePath + ".etl" }

    static func nextPath(of storePath: String) -> String {
        CompanionFile.inputs.path(of: storePath)
    }

    /// Says of which store the notes are.
    private static let owner = "ETL_STORE"

    /// A connection to a file, with another one attached as `other`.
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

    /// Copies the notes beside a store into a copy of it.
    fileprivate static func read(
        _ memory: String, into workPath: String
    ) throws(StoreError) {
        let connection = try connection(to: workPath, with: memory)
        let isOfStore = try connection.integer(
            "SELECT (SELECT UUID FROM other.\(owner)) IS (SELECT Z_UUID FROM main.Z_METADATA)")
        guard isOfStore == 1 else { return }
        try connection.execute("BEGIN IMMEDIATE; \(copying) COMMIT")
    }

    /// Copies the notes in a copy of a store into a file that is to stand beside it.
    fileprivate static func write(
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

    /// A connection to the notes beside a store; nil where there are none of it.
    static func connection(
        besideStoreAt path: String, uuid: String
    ) throws(StoreError) -> Connection? {
        let memory = self.path(of: path)
        guard FileSystem.exists(memory) else { return nil }
        let connection = try Connection(path: memory, mode: .readOnly)
        return try connection.text("SELECT UUID FROM \(owner)") == uuid ? connection : nil
    }
}

extension PersistentContainer {
    /// Brings what earlier runs know of their inputs into the copy of an app's store.
    package static func recallInputs(
        ofStoreAt path: String, into workPath: String
    ) throws(StoreError) {
        let memory = InputMemory.path(of: path)
        guard FileSystem.exists(memory) else { return }
        try InputMemory.read(memory, into: workPath)
    }

    /// Keeps what the runs know by now, before the copy loses it.
    package static func keepInputs(
        of workPath: String, besideStoreAt path: String
    ) throws(StoreError) {
        let next = InputMemory.nextPath(of: path)
        try StoreFiles.remove(next)
        try InputMemory.write(next, from: workPath)
    }

    /// What was kept counts from now on: the copy is the store.
    package static func confirmInputs(ofStoreAt path: String) throws(StoreError) {
        let next = InputMemory.nextPath(of: path)
        guard FileSystem.exists(next) else { return }
        if StoreFiles.size(next) > 0 {
            try StoreFiles.move(next, to: InputMemory.path(of: path))
        } else {
            // Nothing is known of any input; what stands there is of a store before this one.
            try StoreFiles.remove(InputMemory.path(of: path))
            try StoreFiles.remove(next)
        }
        try StoreFiles.synchronizeFolder(of: path)
    }

    /// What was kept came to nothing.
    package static func forgetInputs(ofStoreAt path: String) throws(StoreError) {
        try StoreFiles.remove(InputMemory.nextPath(of: path))
    }
}
