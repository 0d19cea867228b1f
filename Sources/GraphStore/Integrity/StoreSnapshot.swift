import Diagnostics
import Files
import FoundationEssentials
import SQLite

/// A store as it stands, to be read without a change in its folder.
///
/// SQLite folds a log that nobody uses into the file, and plays a journal back, even for one who
/// only reads; so a store that has one of them is copied first. So is one that is cut off: with
/// empty pages at the end of the copy, SQLite reads what is there.
final class StoreSnapshot {
    let connection: Connection
    /// Where further connections find the same.
    let address: StoreAddress
    /// Whether an app made the store.
    let isOfApp: Bool
    /// How much is missing at the end.
    let truncated: TruncatedFile?
    /// What is lost of the list of tables, where a copy with a corrected one is read.
    let losses: [StoreFinding]
    /// It goes with this object.
    private let folder: SnapshotFolder?
    /// The copy, whose log is not in it yet.
    private var unfoldedCopy: String?

    /// - Parameters:
    ///   - copiesOurs: a store of ours is copied, too, and not read where it stands.
    ///   - patience: how long others may keep it locked, where it is read where it stands.
    /// - Throws: where the file cannot be read.
    convenience init(
        of path: String, copiesOurs: Bool = true, waiting patience: LockPatience? = nil
    ) throws(StoreError) {
        guard FileSystem.exists(path) else {
            throw StoreError(.missing, "\(path) does not exist")
        }
        try StoreFiles.refuseOtherKinds(path)
        // One that is cut off may lack the table that makes a store ours.
        if try TruncatedFile(path) == nil, AppStore.isOne(path) {
            try self.init(ofApp: path)
        } else {
            try self.init(ofOurs: path, copies: copiesOurs, patience)
        }
    }

    /// A copy whose list of tables is corrected.
    init(
        mended connection: Connection, _ copy: String, _ folder: SnapshotFolder, isOfApp: Bool,
        losses: [StoreFinding]
    ) {
        self.connection = connection
        self.folder = folder
        self.isOfApp = isOfApp
        self.losses = losses
        address = StoreAddress(file: copy, isImmutable: false)
        truncated = nil
    }

    private init(
        ofOurs path: String, copies: Bool, _ patience: LockPatience?
    ) throws(StoreError) {
        isOfApp = false
        losses = []
        // The log is beside the file, not beside a link to it.
        let file = StoreFiles.resolved(path)
        let logs = ["-wal", "-journal"].filter { StoreFiles.size(file + $0) > 0 }
        truncated = try TruncatedFile(path)
        guard copies, !logs.isEmpty || truncated != nil,
            let copy = try SnapshotFolder.copy(file, logs)
        else {
            folder = nil
            address = StoreAddress(file: path, isImmutable: false)
            connection = try PersistentStore.readerOfStore(at: path, waiting: patience)
            return
        }
        folder = copy.folder
        unfoldedCopy = copy.path
        address = StoreAddress(file: copy.path, isImmutable: false)
        do throws(StoreError) {
            try truncated?.makeReadable(copy.path)
            connection = try PersistentStore.readerOfStore(at: copy.path)
        } catch {
            // The user knows the store, and not its copy.
            throw error.naming(path, insteadOf: copy.path)
        }
    }

    /// A store that an app made, whose folder is the app's: without a log its file is read as one
    /// that nobody changes, which takes no lock and leaves nothing beside it.
    ///
    /// - Throws: `.busy` where somebody keeps writing.
    init(ofApp path: String) throws(StoreError) {
        isOfApp = true
        losses = []
        // An app's store is not saved by us; SQLite tells what cannot be read.
        truncated = nil
        let file = StoreFiles.resolved(path)
        let logs = ["-wal", "-journal"].filter { StoreFiles.size(file + $0) > 0 }
        if logs.isEmpty {
            folder = nil
            address = StoreAddress(file: path, isImmutable: true)
        } else {
            guard let copy = try SnapshotFolder.copy(file, logs) else {
                throw StoreError(
                    .busy, "\(path) is being written by its app; close that first")
            }
            folder = copy.folder
            do throws(StoreError) {
                try Self.fold(copy.path)
            } catch {
                throw error.naming(path, insteadOf: copy.path)
            }
            address = StoreAddress(file: copy.path, isImmutable: true)
        }
        connection = try PersistentStore.connect(.sqlite(at: path), address, mode: .readOnly)
        try PersistentStore.refuseOtherEncoding(connection, path)
    }

    /// Gets the log of a copy into its file, if SQLite can read both.
    func foldLog() {
        guard let unfoldedCopy else { return }
        // If it cannot, SQLite reads the rows, too.
        try? Connection(path: unfoldedCopy, mode: .readWrite).execute(
            "PRAGMA wal_checkpoint(TRUNCATE)")
    }

    /// Gets the log of a copy into its file, so that the file is all there is.
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
