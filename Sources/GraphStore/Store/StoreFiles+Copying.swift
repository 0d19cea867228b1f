import Diagnostics
import Files

/// Copies of files, and second names where a file system knows them.
extension StoreFiles {
    /// Copies a folder with what is in it; nothing happens where there is none.
    ///
    /// - Parameter linking: gives the files a second name where the file system knows such; what is
    ///   there already stays. A file of that name is copied anew otherwise.
    static func copyFolder(
        _ folder: String, to target: String, linking: Bool = false
    ) throws(StoreError) {
        guard FileSystem.exists(folder) else { return }
        do throws(SystemFault) {
            try FileSystem.makeFolder(target, mode: 0o700)
            FileRights(of: folder)?.adding(0o700).give(toFile: target)
        } catch {
            guard error.isExisting else { throw failure(target, "cannot be made", error) }
        }
        for name in try names(in: folder) {
            let (from, to) = ("\(folder)/\(name)", "\(target)/\(name)")
            if (try? FileStatus(of: from, followingLinks: false))?.kind == .folder {
                try copyFolder(from, to: to, linking: linking)
            } else if !linking {
                // It may be the second name of another store's file, which must stay as it is.
                try remove(to)
                try copyLarge(from, to: to)
            } else if !FileSystem.exists(to), !link(from, as: to) {
                try copyLarge(from, to: to)
            }
        }
        try synchronizeFolder(of: "\(target)/.")
    }

    /// Copies a file of any size, a part at a time, and waits for the disk.
    static func copyLarge(_ path: String, to target: String) throws(StoreError) {
        let source = try calling(path, "cannot be opened") { () throws(SystemFault) in
            try FileSystem.open(path, .reading)
        }
        defer { FileSystem.close(source) }
        let copy = try calling(target, "cannot be made") { () throws(SystemFault) in
            try FileSystem.open(target, [.writing, .creating, .emptying], mode: 0o600)
        }
        defer { FileSystem.close(copy) }
        FileRights(of: path)?.give(to: copy)
        do throws(FileCopyFailure) {
            try FileSystem.copy(source, to: copy)
        } catch {
            switch error {
            case .reading(let failure): throw Self.failure(path, "cannot be read", failure)
            case .writing(let failure): throw Self.failure(target, "cannot be written", failure)
            }
        }
        try calling(target, "cannot be written") { () throws(SystemFault) in
            try FileSystem.synchronize(copy)
        }
    }
}
