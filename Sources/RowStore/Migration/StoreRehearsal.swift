import Diagnostics
import Files
import FoundationEssentials

/// A temporary copy of a store on which a migration can be tried.
///
/// Its large values are symbolic links to the store's own files. The copy is deleted with the
/// object.
package final class StoreRehearsal {
    /// The path of the copy's file.
    package let path: String
    /// The copy's folder, which is deleted with this object.
    private let folder: SnapshotFolder

    /// Copies a store and its journal.
    ///
    /// - Throws: `.busy` if another process keeps writing.
    package init(of store: String) throws(StoreError) {
        // The journal and the large values are next to the file, not next to a symbolic link to it.
        let file = StoreFiles.resolved(store)
        guard let copy = try SnapshotFolder.copy(file) else {
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
            for suffix in [""] + StoreFiles.filledLogs(of: path) {
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

    /// Returns an error of the copy, worded for the store.
    package func reporting(_ error: StoreError, of store: String) -> StoreError {
        StoreError(error.code, error.message.replacing(path, with: store), cause: error.cause)
    }
}
