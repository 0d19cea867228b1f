import Diagnostics
import FoundationEssentials
package import SQLite

/// A read-only view of the current state of a store, which changes nothing in its folder.
///
/// SQLite checkpoints an unused WAL and rolls back a journal even for a read-only connection. A
/// store with one of these files is therefore copied first, and so is a store next to which SQLite
/// would leave a WAL. A truncated store is also copied: with empty pages at the end of the copy,
/// SQLite can read the rest.
package final class StoreSnapshot {
    /// The read-only connection to the store or its copy.
    package let connection: Connection
    /// The address at which further connections find the same data.
    let address: StoreAddress
    /// Whether an app created the store.
    let isOfApp: Bool
    /// The missing part at the end of the file, if any.
    let truncated: TruncatedFile?
    /// The losses in the log, and in the schema table if a copy with a corrected one is read.
    let losses: [StoreFinding]
    /// The damage because of which SQLite ignores saved changes in the log, if any.
    let damagedLog: DamagedLog?
    /// The folder of the copy, deleted with this object.
    private let folder: SnapshotFolder?
    /// The path of the copy, if its log is not merged yet.
    private var unfoldedCopy: String?

    /// What to do if an app's store, or a copied store, has a damaged log.
    enum DamagedLogUse {
        /// An app's store is not read.
        case refuse
        /// The state before the damage is read.
        case ignore
        /// All frames that are in place are read.
        case mend
    }

    /// Opens a view of a store, or of a temporary copy of it.
    ///
    /// - Parameters:
    ///   - copiesOurs: whether an etl store is also copied instead of read in its location.
    ///   - patience: how long to wait for a lock, if the store is read in its location.
    /// - Throws: `StoreError` if the file cannot be read.
    package convenience init(
        of path: String, copiesOurs: Bool = true, waiting patience: LockPatience? = nil
    ) throws(StoreError) {
        try self.init(of: path, .refuse, copiesOurs: copiesOurs, waiting: patience)
    }

    /// Opens a view like `init(of:copiesOurs:waiting:)`.
    ///
    /// - Parameter use: what to do if the log is damaged.
    convenience init(
        of path: String, _ use: DamagedLogUse, copiesOurs: Bool = true,
        waiting patience: LockPatience? = nil
    ) throws(StoreError) {
        try StoreFiles.checkExists(path)
        try StoreFiles.rejectOtherKinds(path)
        // A truncated file may lack the table that identifies an etl store.
        if try TruncatedFile(path) == nil, AppStore.isOne(path) {
            try self.init(ofApp: path, use)
        } else {
            try self.init(ofOurs: path, use, copies: copiesOurs, patience)
        }
    }

    /// Creates a snapshot from a copy with a corrected schema table.
    init(
        repaired connection: Connection, _ copy: String, _ folder: SnapshotFolder, isOfApp: Bool,
        losses: [StoreFinding]
    ) {
        self.connection = connection
        self.folder = folder
        self.isOfApp = isOfApp
        self.losses = losses
        address = StoreAddress(file: copy, isImmutable: false)
        truncated = nil
        damagedLog = nil
    }

    private init(
        ofOurs path: String, _ use: DamagedLogUse, copies: Bool, _ patience: LockPatience?
    ) throws(StoreError) {
        isOfApp = false
        // The log is in the folder of the file, not in that of a link to it.
        let file = StoreFiles.resolved(path)
        guard copies, try Self.mustCopy(file), let copy = try SnapshotFolder.copy(file) else {
            truncated = try TruncatedFile(path)
            folder = nil
            damagedLog = nil
            losses = []
            address = StoreAddress(file: path, isImmutable: false)
            connection = try PersistentStore.readerOfStore(at: path, waiting: patience)
            return
        }
        // Another process may have changed the store since the checks, so the copy counts.
        truncated = try TruncatedFile(copy.path)
        damagedLog = DamagedLog(ofStoreAt: copy.path)
        losses = try Self.mend(damagedLog, copy.path, use)
        folder = copy.folder
        unfoldedCopy = copy.path
        address = StoreAddress(file: copy.path, isImmutable: false)
        do throws(StoreError) {
            try truncated?.makeReadable(copy.path)
            connection = try PersistentStore.readerOfStore(at: copy.path)
        } catch {
            // The user knows the store, not its copy.
            throw error.naming(path, insteadOf: copy.path)
        }
    }

    /// Whether to read a copy of an etl store, because its logs would change, because it is
    /// truncated, or because this process would leave a log next to it.
    private static func mustCopy(_ file: String) throws(StoreError) -> Bool {
        guard StoreFiles.filledLogs(of: file).isEmpty else { return true }
        return try TruncatedFile(file) != nil || StoreFiles.readerLeavesLog(of: file)
    }

    /// Opens a store that an app created; its folder belongs to the app.
    ///
    /// If it has no log, its file is read as immutable, which takes no lock and creates no files in
    /// the folder.
    ///
    /// - Throws: `.busy` if another process keeps writing, and `.corrupt` if the log is damaged.
    package convenience init(ofApp path: String) throws(StoreError) {
        try self.init(ofApp: path, .refuse)
    }

    init(ofApp path: String, _ use: DamagedLogUse) throws(StoreError) {
        isOfApp = true
        // Truncation is not checked here; SQLite reports unreadable data.
        truncated = nil
        let file = StoreFiles.resolved(path)
        if StoreFiles.filledLogs(of: file).isEmpty {
            folder = nil
            damagedLog = nil
            losses = []
            address = StoreAddress(file: path, isImmutable: true)
        } else {
            guard let copy = try SnapshotFolder.copy(file) else {
                throw StoreError(
                    .busy, "\(path) is being written by its app; close that first")
            }
            damagedLog = DamagedLog(ofStoreAt: copy.path)
            if let damagedLog, use == .refuse { throw StoreError(damagedLog, ofStoreAt: file) }
            losses = try Self.mend(damagedLog, copy.path, use)
            folder = copy.folder
            do throws(StoreError) {
                try Self.fold(copy.path)
            } catch {
                throw error.naming(path, insteadOf: copy.path)
            }
            address = StoreAddress(file: copy.path, isImmutable: true)
        }
        connection = try PersistentStore.connect(.sqlite(at: path), address, mode: .readOnly)
        try PersistentStore.rejectOtherEncoding(connection, path)
    }

    /// Makes all frames of a copy's damaged log readable, if this is wanted, and returns the losses.
    static func mend(
        _ damage: DamagedLog?, _ copy: String, _ use: DamagedLogUse = .mend
    ) throws(StoreError) -> [StoreFinding] {
        guard let damage, use == .mend else { return [] }
        return [StoreFinding(.file, try damage.mend(copyOfStoreAt: copy))]
    }

    /// Merges the log of a copy into its file, if SQLite can read both.
    func foldLog() {
        guard let unfoldedCopy else { return }
        // If this fails, SQLite still reads the rows from the log.
        try? Connection(path: unfoldedCopy, mode: .readWrite).checkpoint()
    }

    /// Merges the log of a copy into its file, so that the file alone is complete.
    private static func fold(_ path: String) throws(StoreError) {
        do throws(StoreError) {
            let copy = try Connection(path: path, mode: .readWrite)
            try copy.execute("PRAGMA journal_mode = DELETE")
        } catch {
            throw error.isDamage
                ? StoreError(.corrupt, "\(path) is not an SQLite file, or is damaged")
                : error
        }
    }
}
