package import GraphModel
import SQLite

/// The turn to work on an app's store: a copy is written, while the store itself stays as it is and
/// nobody else writes to it, until the copy takes its place as a whole.
///
/// Whoever is killed meanwhile leaves the store as it was, or the new one whole.
package final class AppStoreTurn {
    private let swap: StoreSwap
    private let guarded: StoreSwap.Guard
    private let stamps: [[Int64]]

    /// Takes the turn, until it is completed or gone.
    ///
    /// - Parameters:
    ///   - workPath: where the copy will be.
    ///   - patience: how long others may take to let go of the store.
    /// - Throws: `.busy` where another process has the store open.
    package init(
        at path: String, workPath: String, waiting patience: LockPatience? = nil
    ) throws(StoreError) {
        try StoreFiles.checkIsWritable(path)
        swap = StoreSwap(path: path, newPath: workPath, patience: patience)
        guarded = try swap.begin()
        stamps = Self.stamps(of: path)
    }

    /// What changes when somebody writes to the store or its log.
    ///
    /// Locks of a process go where any of its readers closes the file
    /// (https://www.sqlite.org/howtocorrupt.html, section 2.2), so that they alone do not tell.
    private static func stamps(of path: String) -> [[Int64]] {
        ["", "-wal"].map { StoreFiles.stamp(path + $0) }
    }

    /// Puts the copy, which nobody has open any more, into the store's place.
    ///
    /// - Parameter model: the model to open the store by; nil takes the one that it carries.
    /// - Returns: where the store is now that it has replaced.
    package func complete(_ model: ManagedObjectModel?) throws(StoreError) -> String {
        let (path, newPath) = (swap.path, swap.newPath)
        guard Self.stamps(of: path) == stamps else {
            throw StoreError(
                .busy, "\(path) was opened by another process meanwhile, and is as that left it")
        }
        let (from, to) = (StoreFiles.supportFolder(of: newPath), StoreFiles.supportFolder(of: path))
        // Before the swap, so that neither store lacks a file at any moment.
        try StoreFiles.copyFolder(from, to: to, linking: true)
        let backup = try swap.run(guarded)
        do {
            let snapshot = try StoreSnapshot(ofApp: path)
            _ = try AppStoreModel(given: model, on: snapshot.connection, path: path)
        } catch {
            try StoreFiles.move(backup, to: path)
            throw error
        }
        // The copy is the store now; what is not removed is no reason to do its work once more.
        try? ExternalFiles.removeAll(in: to, butThoseIn: from)
        try? StoreFiles.removeFolder(from)
        return backup
    }
}

extension PersistentContainer {
    /// The file that a path leads to over symbolic links, which may be still to be made, and whose
    /// place another file can take.
    package static func file(behind path: String) -> String { StoreFiles.resolved(path) }

    /// Takes our notes out of a copy of an app's store, and folds its log into the file.
    package static func removeNotes(at path: String) throws(StoreError) {
        let connection = try exclusive(path)
        for table in [ProgressNotes.table, KnownInputs.table] {
            try connection.execute("DROP TABLE IF EXISTS \(table)")
        }
        // Pages that the notes had are nobody's.
        try connection.execute("PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)")
    }
}

extension ExternalFiles {
    /// Removes the files of a store's large values that another store's folder does not have.
    static func removeAll(
        in folder: String, butThoseIn other: String
    ) throws(StoreError) {
        let values = "_EXTERNAL_DATA"
        let kept = Set(try StoreFiles.names(in: "\(other)/\(values)"))
        for name in try StoreFiles.names(in: "\(folder)/\(values)") where !kept.contains(name) {
            try StoreFiles.remove("\(folder)/\(values)/\(name)")
        }
    }
}
