import SQLite

/// What runs know of the inputs of an app's store, which itself takes no table of ours: it stands
/// beside the store, in `<store>.etl`, and in the copy that a run works on.
///
/// What a run has added waits in `<store>.etl-next` until its copy has taken the store's place.
enum InputMemory {
    static func path(of storePath: String) -> String { storePath + ".etl" }

    static func nextPath(of storePath: String) -> String { storePath + ".etl-next" }

    /// Copies the notes of one file into another, in place of what it has.
    fileprivate static func copy(
        from source: String, to target: String
    ) throws(StoreError) {
        try storing { () throws(SQLiteError) in
            let connection = try Connection(path: target, mode: .create)
            let attach = try connection.prepare("ATTACH ? AS other")
            attach.bind(source, at: 1)
            try attach.run()
            let isThere = try connection.integer(
                "SELECT count(*) FROM other.sqlite_master WHERE name = '\(KnownInputs.table)'")
            guard isThere == 1 else { return }
            try connection.execute(
                """
                BEGIN IMMEDIATE; \(KnownInputs.creation); \
                INSERT OR REPLACE INTO main.\(KnownInputs.table) \
                SELECT * FROM other.\(KnownInputs.table); COMMIT
                """)
        }
    }
}

extension PersistentContainer {
    /// Brings what earlier runs know of their inputs into the copy of an app's store.
    package static func recallInputs(
        ofStoreAt path: String, into workPath: String
    ) throws(StoreError) {
        let memory = InputMemory.path(of: path)
        guard StoreFiles.exists(memory) else { return }
        try InputMemory.copy(from: memory, to: workPath)
    }

    /// Keeps what the runs know by now, before the copy loses it.
    package static func keepInputs(
        of workPath: String, besideStoreAt path: String
    ) throws(StoreError) {
        let next = InputMemory.nextPath(of: path)
        try StoreFiles.remove(next)
        try InputMemory.copy(from: workPath, to: next)
    }

    /// What was kept counts from now on: the copy is the store.
    package static func confirmInputs(ofStoreAt path: String) throws(StoreError) {
        let next = InputMemory.nextPath(of: path)
        guard StoreFiles.size(next) > 0 else { return try StoreFiles.remove(next) }
        try StoreFiles.move(next, to: InputMemory.path(of: path))
        StoreFiles.synchronizeFolder(of: path)
    }

    /// What was kept came to nothing.
    package static func forgetInputs(ofStoreAt path: String) throws(StoreError) {
        try StoreFiles.remove(InputMemory.nextPath(of: path))
    }
}
