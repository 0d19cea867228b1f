import Diagnostics
import Files

/// The copying and hard-linking of files.
extension StoreFiles {
    /// Copies a folder and its content; has no effect if the folder does not exist.
    ///
    /// - Parameter linking: Whether to create hard links if the file system supports them, and to
    ///   keep existing files. Otherwise, existing files are replaced by copies.
    package static func copyFolder(
        _ folder: String, to target: String, linking: Bool = false
    ) throws(StoreError) {
        guard FileSystem.exists(folder) else { return }
        do throws(SystemFault) {
            try FileSystem.makeFolder(target, mode: 0o700)
            FilePermissions(of: folder)?.adding(0o700).give(toFile: target)
        } catch {
            guard error.isExisting else { throw failure(target, "cannot be created", error) }
        }
        for name in try names(in: folder) {
            let (from, to) = ("\(folder)/\(name)", "\(target)/\(name)")
            // If the kind is unknown, copying the file fails and reports the reason.
            if (try? FileStatus(of: from, followingLinks: false))?.kind == .folder {
                try copyFolder(from, to: to, linking: linking)
            } else if !linking {
                // The target may be a hard link to another store's file, which must not change.
                try remove(to)
                try copyLarge(from, to: to)
            } else if !FileSystem.exists(to), !link(from, as: to) {
                try copyLarge(from, to: to)
            }
        }
        try synchronizeFolder(of: "\(target)/.")
    }

    /// Copies a file of any size in chunks, and flushes the copy to the disk.
    static func copyLarge(_ path: String, to target: String) throws(StoreError) {
        do throws(FileCopyFailure) {
            try copyContents(of: path, to: target)
        } catch {
            switch error {
            case .reading(let failure): throw Self.failure(path, "cannot be read", failure)
            case .writing(let failure): throw Self.failure(target, "cannot be written", failure)
            }
        }
    }

    /// Copies a file like `copyLarge`.
    ///
    /// - Throws: `FileCopyFailure`, which names the file that failed.
    static func copyContents(of path: String, to target: String) throws(FileCopyFailure) {
        let (source, copy): (Int32, Int32)
        do { source = try FileSystem.open(path, .reading) } catch { throw .reading(error) }
        defer { FileSystem.close(source) }
        do {
            copy = try FileSystem.open(target, [.writing, .creating, .emptying], mode: 0o600)
        } catch { throw .writing(error) }
        defer { FileSystem.close(copy) }
        FilePermissions(of: path)?.give(to: copy)
        try FileSystem.copy(source, to: copy)
        do { try FileSystem.synchronize(copy) } catch { throw .writing(error) }
    }
}
