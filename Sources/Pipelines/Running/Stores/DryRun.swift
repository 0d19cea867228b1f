import Diagnostics
import Files
import FoundationEssentials
import GraphStore

/// The files of a dry run: a copy of the store next to it, named after the process and deleted at
/// the end.
///
/// They are in the folder for temporary files if the store's folder does not exist or is not
/// writable.
enum DryRun {
    private static let suffix = ".etl-plan-"

    static func storePath(for path: String) -> String {
        let folder = PathText.folder(of: path)
        let home =
            FileSystem.allows(folder, [.write, .search])
            ? path
            : PathText.join(
                FileManager.default.temporaryDirectory.path, PathText.lastComponent(path))
        return home + suffix + "\(SystemProcess.number)"
    }

    static func rejectsFolder(for storePath: String) -> String { storePath + "-rejects" }

    static func removeRejects(of storePath: String) {
        let folder = rejectsFolder(for: storePath)
        // Without rejects, the folder does not exist.
        try? FileSystem.removeAll(folder)
    }

    /// Removes the files that killed dry runs have left.
    static func removeLeftovers(of path: String) {
        let folder = PathText.folder(of: path)
        let prefix = PathText.lastComponent(path) + suffix
        // Without the folder, there is nothing to remove.
        guard let names = try? FileSystem.textNames(in: folder) else {
            return
        }
        for name in names {
            let number = PathText.rest(of: name, after: prefix)?
                .prefix { $0.isASCII && $0.isNumber }
            guard let number, let process = Int32(number), !SystemProcess.isRunning(process) else {
                continue
            }
            // The next dry run removes what cannot be removed now.
            try? FileSystem.removeAll(PathText.join(folder, name))
        }
    }
}

extension StoreTarget {
    /// Returns the changes that the dry run has made in its copy of the store.
    func difference(of container: PersistentContainer) throws -> StoreDifference {
        try container.difference(
            from: isThere ? path : nil, by: way.real == .replacement ? .uniqueness : .primaryKey)
    }
}
