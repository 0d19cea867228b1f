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
    private let folder: String?
    /// The copy, whose log is not in it yet.
    private var unfoldedCopy: String?

    /// - Parameters:
    ///   - copiesOurs: a store of ours is copied, too, and not read where it stands.
    ///   - patience: how long others may keep it locked, where it is read where it stands.
    /// - Throws: where the file cannot be read.
    convenience init(
        of path: String, copiesOurs: Bool = true, waiting patience: LockPatience? = nil
    ) throws(StoreError) {
        guard StoreFiles.exists(path) else {
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

    private init(
        ofOurs path: String, copies: Bool, _ patience: LockPatience?
    ) throws(StoreError) {
        isOfApp = false
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
            try truncated?.distrustPageCount(of: copy.path)
            connection = try PersistentStore.readerOfStore(at: copy.path)
        } catch {
            try StoreFiles.removeFolder(copy.folder)
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
                try StoreFiles.removeFolder(copy.folder)
                throw error.naming(path, insteadOf: copy.path)
            }
            address = StoreAddress(file: copy.path, isImmutable: true)
        }
        do throws(StoreError) {
            connection = try PersistentStore.connect(
                .sqlite(at: path), address, mode: .readOnly)
            try PersistentStore.refuseOtherEncoding(connection, path)
        } catch {
            if let folder { try StoreFiles.removeFolder(folder) }
            throw error
        }
    }

    deinit {
        // What stays in a folder for temporary files is the next snapshot's to remove.
        if let folder { try? FileSystem.removeAll(folder) }
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

/// Copies of stores in folders of their own, which go with whoever made them.
enum SnapshotFolder {
    private static let prefix = "etl-look-"
    private static let attemptsMax = 5

    /// A new folder for temporary files that no other user may read.
    static func make() throws(StoreError) -> String {
        let temporary = FileManager.default.temporaryDirectory.path
        removeLeftovers(in: temporary)
        let process = ProcessInfo.processInfo.processIdentifier
        let folder = "\(temporary)/\(prefix)\(process)-\(UUID().uuidString)"
        do {
            try FileSystem.makeFolder(folder, mode: 0o700)
        } catch {
            throw StoreError(
                .inputOutput, "The folder \(folder) cannot be made: \(error)", cause: error)
        }
        return folder
    }

    /// Copies the file and its log; nil where somebody keeps writing, who folds the log in anyway.
    static func copy(
        _ path: String, _ logs: [String]
    ) throws(StoreError) -> (folder: String, path: String)? {
        let folder = try make()
        let name = PathText.components(of: path).last ?? "store"
        do {
            for _ in 0..<attemptsMax {
                let before = ([""] + logs).map { StoreFiles.stamp(path + $0) }
                for suffix in [""] + logs {
                    let target = "\(folder)/\(name)\(suffix)"
                    try StoreFiles.remove(target)
                    try StoreFiles.copyLarge(path + suffix, to: target)
                }
                if before == ([""] + logs).map({ StoreFiles.stamp(path + $0) }) {
                    return (folder, "\(folder)/\(name)")
                }
            }
            try StoreFiles.removeFolder(folder)
            return nil
        } catch {
            try StoreFiles.removeFolder(folder)
            throw StoreError(
                .inputOutput, "\(path) and its log cannot be copied to \(folder): \(error)",
                cause: error)
        }
    }

    /// Takes away what processes have left that were killed.
    private static func removeLeftovers(in temporary: String) {
        // Another snapshot removes them.
        for name in (try? StoreFiles.names(in: temporary)) ?? [] where name.hasPrefix(prefix) {
            let digits = name.dropFirst(prefix.count).prefix { $0.isNumber }
            guard let process = Int32(digits), !StoreFiles.isRunning(process) else { continue }
            // Somebody else's stays.
            try? StoreFiles.removeFolder("\(temporary)/\(name)")
        }
    }
}
