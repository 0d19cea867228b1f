import FoundationEssentials
import SQLite

/// A store as it stands, to be read without a change in its folder.
///
/// SQLite folds a log that nobody uses into the file, and plays a journal back, even for one who
/// only reads; so a store that has one of them is copied first.
final class StoreSnapshot {
    let connection: Connection
    private let folder: String?

    private static let attemptsMax = 5

    /// - Throws: where the file cannot be read.
    init(of path: String) throws(StoreError) {
        let logs = ["-wal", "-journal"].filter { StoreFiles.size(path + $0) > 0 }
        guard !logs.isEmpty, let copy = try Self.copy(path, logs) else {
            folder = nil
            connection = try PersistentStore.readerOfStore(at: path)
            return
        }
        folder = copy.folder
        do {
            connection = try PersistentStore.readerOfStore(at: copy.path)
        } catch {
            try StoreFiles.removeFolder(copy.folder)
            throw error
        }
    }

    deinit {
        // What stays in a folder for temporary files is the system's to remove.
        if let folder { try? FileManager.default.removeItem(atPath: folder) }
    }

    /// Copies the file and its log; nil where somebody keeps writing, who folds the log in anyway.
    private static func copy(
        _ path: String, _ logs: [String]
    ) throws(StoreError) -> (folder: String, path: String)? {
        let folder = FileManager.default.temporaryDirectory.path + "/etl-look-\(UUID().uuidString)"
        let name = path.split(separator: "/").last.map(String.init) ?? "store"
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
            for _ in 0..<attemptsMax {
                let before = ([""] + logs).map { StoreFiles.stamp(path + $0) }
                for suffix in [""] + logs {
                    let target = "\(folder)/\(name)\(suffix)"
                    try StoreFiles.remove(target)
                    try FileManager.default.copyItem(atPath: path + suffix, toPath: target)
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
}
