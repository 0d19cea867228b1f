import Diagnostics
import Files
import FoundationEssentials

/// A folder for temporary files that no other user may read; it goes with the object.
///
/// As long as its process lives, it holds the lock of a file in the folder. A folder whose lock can be
/// taken is left from a process that was killed, and is removed by whoever makes the next one. A
/// process's number would not do: another process may have it by then.
final class SnapshotFolder: Sendable {
    private static let prefix = "etl-look-"
    /// The file whose lock is held.
    static let lockName = ".etl-lock"
    private static let attemptsMax = 5

    /// Where it is.
    let path: String
    /// The locked file; nil where the file system knows no locks.
    private let lock: Int32?

    private init(_ path: String) throws {
        self.path = path
        try FileSystem.makeFolder(path, mode: 0o700)
        // It gets its name when it is locked, so that nobody finds it free in between.
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
        // What stays is removed by whoever makes the next one.
        try? StoreFiles.removeFolder(path)
        if let lock { FileSystem.close(lock) }
    }

    /// Makes a new one, and removes those that were left.
    static func make() throws(StoreError) -> SnapshotFolder {
        let temporary = FileManager.default.temporaryDirectory.path
        removeLeftovers(in: temporary)
        let process = ProcessInfo.processInfo.processIdentifier
        let folder = "\(temporary)/\(prefix)\(process)-\(UUID().uuidString)"
        do {
            return try SnapshotFolder(folder)
        } catch {
            try? StoreFiles.removeFolder(folder)
            throw StoreError(
                .inputOutput, "The folder \(folder) cannot be made: \(error)", cause: error)
        }
    }

    /// Copies a store's file and its log; nil where somebody keeps writing, who folds the log in
    /// anyway.
    static func copy(
        _ path: String, _ logs: [String]
    ) throws(StoreError) -> (folder: SnapshotFolder, path: String)? {
        let folder = try make()
        let name = PathText.components(of: path).last ?? "store"
        do {
            for _ in 0..<attemptsMax {
                let before = ([""] + logs).map { StoreFiles.stamp(path + $0) }
                for suffix in [""] + logs {
                    let target = "\(folder.path)/\(name)\(suffix)"
                    try StoreFiles.remove(target)
                    try StoreFiles.copyLarge(path + suffix, to: target)
                }
                if before == ([""] + logs).map({ StoreFiles.stamp(path + $0) }) {
                    return (folder, "\(folder.path)/\(name)")
                }
            }
            return nil
        } catch {
            throw StoreError(
                .inputOutput, "\(path) and its log cannot be copied to \(folder.path): \(error)",
                cause: error)
        }
    }

    /// Takes away what processes have left that were killed.
    private static func removeLeftovers(in temporary: String) {
        for name in (try? StoreFiles.names(in: temporary)) ?? [] where name.hasPrefix(prefix) {
            let folder = "\(temporary)/\(name)"
            let file = "\(folder)/\(lockName)"
            if let descriptor = try? FileSystem.open(file, .writing) {
                defer { FileSystem.close(descriptor) }
                guard FileSystem.lock(descriptor) else { continue }
                try? StoreFiles.removeFolder(folder)
            } else {
                // Without a lock, as while it is being made, the number tells.
                let digits = name.dropFirst(prefix.count).prefix { $0.isNumber }
                guard !FileSystem.exists(file), let process = Int32(digits),
                    !SystemProcess.isRunning(process)
                else { continue }
                // Somebody else's stays.
                try? StoreFiles.removeFolder(folder)
            }
        }
    }
}
