import Diagnostics
import Files
package import SQLite

/// The connections to a store's file, and the checks of its content.
extension PersistentStore {
    static func connect(
        _ description: StoreDescription, _ address: StoreAddress, mode: Connection.Mode,
        attachesOthers: Bool = false
    ) throws(StoreError) -> Connection {
        let path = description.path
        if !address.isMemory { try StoreFiles.rejectOtherKinds(path) }
        let pragmas = try description.options.writerPragmas()
        do {
            let connection = try address.connect(mode, attachesOthers: attachesOthers)
            connection.waitForLocks(description.options)
            try connection.execute(pragmas)
            if address.isTemporary { try connection.execute("PRAGMA synchronous = OFF") }
            return connection
        } catch {
            guard error.code != .resources else {
                throw StoreError(.resources, "\(path) cannot be opened: \(error.message)")
            }
            guard !error.isCannotOpen else {
                if let tooLong = StoreFiles.tooLong(path) { throw tooLong }
                let parent = PathText.folder(of: path)
                guard FileSystem.exists(parent) else {
                    throw StoreError(.missing, "The folder \(parent) does not exist")
                }
                // SQLite retries with a read-only open, and then reports that the file does not
                // exist.
                let isHidden =
                    error.systemKind == .missing && mode == .create && !FileSystem.exists(path)
                    && FileSystem.allows(parent, .write)
                let code: StoreError.Code =
                    isHidden || error.systemKind == .inputOutput ? .inputOutput : .permission
                throw StoreError(code, "\(path) cannot be opened: \(error.message)")
            }
            guard !error.isDamage else { throw StoreError(damaged: path) }
            throw error
        }
    }

    /// Opens a connection that sees the committed state.
    package func newReader() throws(StoreError) -> Connection {
        let connection = try address.connect(.readOnly, attachesOthers: !parts.isEmpty)
        connection.waitForLocks(options)
        try connection.execute(options.readerPragmas)
        try attachParts(to: connection)
        return connection
    }

    /// Returns whether a file has no tables.
    ///
    /// - Throws: `StoreError` if the file cannot be read, with `.encoding` if its strings are not
    ///   UTF-8.
    static func isEmpty(
        _ connection: Connection, _ path: String
    ) throws(StoreError) -> Bool {
        let isEmpty: Bool
        do {
            isEmpty = try connection.integer("SELECT count(*) FROM sqlite_master") == 0
        } catch {
            guard !error.isDamage else { throw StoreError(damaged: path) }
            guard
                !error.isCannotOpen || error.code == .resources || error.systemKind == .inputOutput
            else {
                throw StoreError(
                    .permission,
                    "\(path) has a log, which cannot be read in a folder that may not be written;"
                        + " copy both, or fold the log in where it may")
            }
            throw error
        }
        try rejectOtherEncoding(connection, path)
        return isEmpty
    }

    /// Throws if a file's strings are not in UTF-8, as Core Data's are.
    ///
    /// Code that sorts, packs, and compares strings by bytes would misread UTF-16
    /// (https://www.sqlite.org/pragma.html#pragma_encoding).
    static func rejectOtherEncoding(
        _ connection: Connection, _ path: String
    ) throws(StoreError) {
        let encoding = try connection.text("PRAGMA encoding")
        guard let encoding, encoding != "UTF-8" else { return }
        // SQLite returns even the name of the encoding in that encoding.
        let name = encoding.filter { $0 != "\0" }
        throw StoreError(
            .encoding, "\(path) keeps its texts in \(name), and a store's are in UTF-8")
    }

    /// Throws if a file is neither a store of any origin nor empty.
    package static func checkIsStore(at path: String) throws(StoreError) {
        let connection = try StoreSnapshot(of: path, copiesOurs: false).connection
        guard try !isEmpty(connection, path) else { return }
        _ = try StoreMetadata(ofStoreAt: path, on: connection)
    }
}

/// The cause of an error: a load or a deletion was stopped or killed before it
/// created its indexes and links.
struct UnfinishedLoad: Error {}

extension StoreError {
    /// Whether the store needs to be completed, and no process is doing this.
    package var isUnfinishedLoad: Bool { cause is UnfinishedLoad }

    /// The error for a store whose load was stopped or killed.
    static func unfinishedLoad(_ path: String) -> StoreError {
        StoreError(
            .busy,
            "\(path) was left by a first load or a large deletion that did not finish, so indexes"
                + " and links are missing", cause: UnfinishedLoad())
    }
}

extension StoreError {
    /// The error for an SQLite file without the tables of a store.
    static func notAStore(_ path: String) -> StoreError {
        StoreError(.notAStore, "\(path) is an SQLite file, but not a store")
    }

    /// The error for a file that is not a store without its write-ahead log, which is not read if
    /// the store is opened as immutable.
    init(unreadLogOf path: String) {
        self.init(
            .notAStore,
            "\(path) is not complete without its log \(path)-wal, which `isImmutable` does not read;"
                + " open it for writing and call `checkpoint()`, or open it with `isReadOnly`")
    }
}
