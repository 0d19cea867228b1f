import Diagnostics
import Files
import FoundationEssentials
import GraphStore

/// The files of a dry run: a copy of the store beside it, named after the process, gone at the end.
///
/// They stand where there is room for the store itself; in the folder for temporary files if the
/// store's own folder is not there yet.
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
        // Without rejects there is none.
        try? FileSystem.removeAll(folder)
    }

    /// Removes what killed dry runs have left.
    static func removeLeftovers(of path: String) {
        let folder = PathText.folder(of: path)
        let prefix = PathText.lastComponent(path) + suffix
        // No folder, no leftovers.
        guard let names = try? FileSystem.textNames(in: folder) else {
            return
        }
        for name in names {
            let number = PathText.rest(of: name, after: prefix)?
                .prefix { $0.isASCII && $0.isNumber }
            guard let number, let process = Int32(number), !SystemProcess.isRunning(process) else {
                continue
            }
            // Whatever stays is removed by the next one.
            try? FileSystem.removeAll(PathText.join(folder, name))
        }
    }
}

extension StoreTarget {
    /// What a dry run's store holds that the store itself does not.
    func difference(of container: PersistentContainer) throws -> StoreDifference {
        try container.difference(
            from: isThere ? path : nil, by: way.real == .replacement ? .uniqueness : .primaryKey)
    }
}
