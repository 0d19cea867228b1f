import Diagnostics
import Files
import FoundationEssentials
import SQLite

/// A folder for temporary files that no other user can read; it is deleted with the object.
///
/// While its process runs, it holds the lock of a file in the folder. If the lock is free, the
/// process was killed; the next process that creates a folder then removes this one. A process ID
/// alone is not sufficient, because another process may have reused it.
final class SnapshotFolder: Sendable {
    private static let prefix = "etl-look-"
    /// The name of the locked file.
    static let lockName = ".etl-lock"
    private static let attemptsMax = 5
    /// A time in milliseconds in which the clock of files advances.
    private static let timeStep: Int32 = 20

    /// The path of the folder.
    let path: String
    /// The locked file; `nil` if the file system does not support locks.
    private let lock: Int32?

    private init(_ path: String) throws {
        self.path = path
        try FileSystem.makeFolder(path, mode: 0o700)
        // The file is renamed after it is locked, so that no process finds it unlocked.
        let making = "\(path)/\(Self.lockName)-new"
        let descriptor = try FileSystem.open(making, [.writing, .creating], mode: 0o600)
        guard FileSystem.lock(descriptor) else {
            FileSystem.close(descriptor)
            lock = nil
            try FileSystem.remove(making)
            return
        }
        lock = descriptor
        try FileSystem.rename(making, to: "\(path)/\(Self.lockName)")
    }

    deinit {
        // If this fails, the next process that creates a folder removes it.
        try? StoreFiles.removeFolder(path)
        if let lock { FileSystem.close(lock) }
    }

    /// Creates a folder, and removes leftover ones.
    static func make() throws(StoreError) -> SnapshotFolder {
        let temporary = FileManager.default.temporaryDirectory.path
        removeLeftovers(in: temporary)
        let process = ProcessInfo.processInfo.processIdentifier
        let folder = "\(temporary)/\(prefix)\(process)-\(UUID().uuidString)"
        do {
            return try SnapshotFolder(folder)
        } catch {
            // Throw the original error; the next process that creates a folder removes the rest.
            try? StoreFiles.removeFolder(folder)
            throw StoreError(
                .inputOutput, "The folder \(folder) cannot be created: \(error)", cause: error)
        }
    }

    /// Copies a store's file and its logs as they are at one moment; `nil` if another process keeps
    /// writing, which merges the log anyway.
    static func copy(
        _ path: String
    ) throws(StoreError) -> (folder: SnapshotFolder, path: String)? {
        let folder = try make()
        let target = "\(folder.path)/\(PathText.lastComponent(path))"
        for _ in 0..<attemptsMax {
            let before = StoreFiles.stamps(ofStoreAt: path)
            // The clock of files advances every 10 ms or more often. A write during the copy then
            // has another time than a write just before it.
            Connection.sleep(milliseconds: timeStep)
            do throws(StoreError) {
                try copy(path, to: target)
            } catch {
                // A log that was removed meanwhile cannot be copied, for example.
                guard before == StoreFiles.stamps(ofStoreAt: path) else { continue }
                throw StoreError(
                    .inputOutput,
                    "\(path) and its log cannot be copied to \(folder.path): \(error)",
                    cause: error)
            }
            if before == StoreFiles.stamps(ofStoreAt: path) { return (folder, target) }
        }
        return nil
    }

    /// Copies a store's file and the logs that it has now, and replaces an earlier copy.
    private static func copy(_ path: String, to target: String) throws(StoreError) {
        let logs = StoreFiles.filledLogs(of: path)
        try StoreFiles.removeStore(target)
        for suffix in [""] + logs {
            try StoreFiles.copyLarge(path + suffix, to: target + suffix)
            // SQLite writes the copy of a read-only file, too.
            FilePermissions(of: target + suffix)?.adding(0o600).give(toFile: target + suffix)
        }
    }

    /// Removes the folders of processes that were killed.
    private static func removeLeftovers(in temporary: String) {
        // Leftovers that cannot be listed or removed must not prevent a snapshot.
        for name in (try? StoreFiles.names(in: temporary)) ?? [] where name.hasPrefix(prefix) {
            let folder = "\(temporary)/\(name)"
            let file = "\(folder)/\(lockName)"
            if let descriptor = try? FileSystem.open(file, .writing) {
                defer { FileSystem.close(descriptor) }
                guard FileSystem.lock(descriptor) else { continue }
                try? StoreFiles.removeFolder(folder)
            } else {
                // Without a lock, for example during creation, the process ID is checked.
                let digits = name.dropFirst(prefix.count).prefix { $0.isNumber }
                guard !FileSystem.exists(file), let process = Int32(digits),
                    !SystemProcess.isRunning(process)
                else { continue }
                // A folder of another user cannot be removed and stays.
                try? StoreFiles.removeFolder(folder)
            }
        }
    }
}
