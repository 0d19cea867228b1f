import Diagnostics
import Files
import FoundationEssentials

/// A copy of a store, in a folder for temporary files, that a migration can be tried on.
///
/// Its large values are links to the store's own files. The copy goes with the object.
package final class StoreRehearsal {
    /// The copy's file.
    package let path: String
    /// It goes with this object.
    private let folder: SnapshotFolder

    /// Copies a store and its log.
    ///
    /// - Throws: `.busy` if somebody keeps writing.
    package init(of store: String) throws(StoreError) {
        // The log and the large values are beside the file, not beside a link to it.
        let file = StoreFiles.resolved(store)
        let logs = ["-wal", "-journal"].filter { StoreFiles.size(file + $0) > 0 }
        guard let copy = try SnapshotFolder.copy(file, logs) else {
            throw StoreError(.busy, "\(store) is being written; try again later")
        }
        folder = copy.folder
        path = StoreFiles.resolved(copy.path)
        let values = "/_EXTERNAL_DATA"
        let (from, to) = (
            StoreFiles.supportFolder(of: store) + values,
            StoreFiles.supportFolder(of: path) + values
        )
        do {
            for suffix in [""] + logs {
                try FileSystem.setMode(0o600, ofFile: path + suffix)
            }
            let names = try StoreFiles.names(in: from)
            guard !names.isEmpty else { return }
            try FileSystem.makeFolders(to)
            let absolute =
                PathText.isAbsolute(from)
                ? from : "\(FileManager.default.currentDirectoryPath)/\(from)"
            for name in names {
                try FileSystem.makeLink("\(to)/\(name)", to: "\(absolute)/\(name)")
            }
        } catch {
            throw StoreError(
                .inputOutput, "\(store) cannot be copied to \(folder.path): \(error)",
                cause: error)
        }
    }

    /// An error of the copy, told of the store.
    package func telling(_ error: StoreError, of store: String) -> StoreError {
        StoreError(error.code, error.message.replacing(path, with: store), cause: error.cause)
    }
}
