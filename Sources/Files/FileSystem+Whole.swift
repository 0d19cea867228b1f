/// Calls on complete files and folders.
extension FileSystem {
    /// The sizes in bytes of the first read, which holds most files, and of each later read.
    private static let firstPartBytes = 1 << 14
    private static let partBytes = 1 << 18

    /// Returns the bytes of a file, at most the first `limit`.
    package static func contents(
        _ path: some FilePath, first limit: Int = .max
    ) throws(SystemFault) -> [UInt8] {
        let descriptor = try open(path, .reading)
        defer { close(descriptor) }
        return try contents(of: descriptor, first: limit)
    }

    /// Returns at most `limit` bytes of an open file from its current position.
    package static func contents(
        of descriptor: Int32, first limit: Int = .max
    ) throws(SystemFault) -> [UInt8] {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: min(limit, firstPartBytes))
        while bytes.count < limit {
            let wanted = min(part.count, limit - bytes.count)
            let count = try read(descriptor, into: &part, atMost: wanted)
            guard count > 0 else { break }
            bytes.append(contentsOf: part[..<count])
            if count == firstPartBytes { part = [UInt8](repeating: 0, count: partBytes) }
        }
        return bytes
    }

    /// Reads bytes from the descriptor's current position into the beginning of an array.
    ///
    /// - Returns: the number of bytes read; 0 at the end of the file.
    package static func read(
        _ descriptor: Int32, into part: inout [UInt8], atMost wanted: Int = .max
    ) throws(SystemFault) -> Int {
        let result = part.withUnsafeMutableBytes { room -> Result<Int, SystemFault> in
            Result { () throws(SystemFault) in
                try read(
                    descriptor, into: UnsafeMutableRawBufferPointer(rebasing: room.prefix(wanted)))
            }
        }
        return try result.get()
    }

    /// Fills a buffer with the bytes at an offset.
    ///
    /// - Returns: the number of bytes read; fewer than the buffer holds if the file ends before.
    package static func fill(
        _ room: UnsafeMutableRawBufferPointer, from descriptor: Int32, at place: Int64
    ) throws(SystemFault) -> Int {
        var filled = 0
        while filled < room.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: room[filled...])
            let count = try read(descriptor, into: rest, at: place + Int64(filled))
            guard count > 0 else { break }
            filled += count
        }
        return filled
    }

    /// Writes all bytes at the descriptor's current position, or at an offset.
    package static func write(
        _ bytes: [UInt8], to descriptor: Int32, at place: Int64? = nil
    ) throws(SystemFault) {
        let result = bytes.withUnsafeBytes { all -> Result<Void, SystemFault> in
            Result { () throws(SystemFault) in try write(all, to: descriptor, at: place) }
        }
        try result.get()
    }

    /// Copies the rest of an open file to another, 1 MiB at a time.
    package static func copy(_ source: Int32, to target: Int32) throws(FileCopyFailure) {
        var part = [UInt8](repeating: 0, count: partBytes * 4)
        while true {
            let count: Int
            do throws(SystemFault) {
                count = try read(source, into: &part)
            } catch {
                throw .reading(error)
            }
            guard count > 0 else { return }
            let written = part.withUnsafeBytes { all -> Result<Void, SystemFault> in
                Result { () throws(SystemFault) in
                    try write(UnsafeRawBufferPointer(rebasing: all[..<count]), to: target)
                }
            }
            if case .failure(let failure) = written { throw .writing(failure) }
        }
    }

    /// Replaces a file atomically: writes a temporary file next to it and renames it.
    ///
    /// Keeps the file's mode. If the path is a symbolic link, replaces the file that it leads to.
    /// Does not wait until the data is on the disk.
    package static func replace(
        _ path: some FilePath, with bytes: [UInt8]
    ) throws(SystemFault) {
        let target = resolved(path) ?? path.fileName
        // A new file has no mode yet.
        let mode = (try? FileStatus(of: target))?.mode
        let temporary = target.adding(".new-\(SystemProcess.number)")
        let descriptor = try open(
            temporary, [.writing, .creating, .emptying], mode: mode == nil ? 0o666 : 0o600)
        do throws(SystemFault) {
            do throws(SystemFault) {
                if let mode { try setMode(mode, of: descriptor) }
                try write(bytes, to: descriptor)
            } catch {
                close(descriptor)
                throw error
            }
            try closeWritten(descriptor)
            try rename(temporary, to: target)
        } catch {
            // If the temporary file cannot be deleted, the next one of this name overwrites it.
            try? remove(temporary)
            throw error
        }
    }

    /// Flushes the names in a folder to the disk, if the file system and the permissions allow it.
    package static func synchronizeFolder(_ path: some FilePath) throws(SystemFault) {
        do throws(SystemFault) {
            let descriptor = try open(path, .reading)
            defer { close(descriptor) }
            try synchronize(descriptor)
        } catch {
            if !error.isUnsupported, !error.isPermission { throw error }
        }
    }

    /// Creates a folder and its missing parents.
    ///
    /// - Parameter isDurable: whether to flush each new folder's name to the disk, so that durable
    ///   files in it are found after a power loss.
    package static func makeFolders(
        _ path: some FilePath, isDurable: Bool = false
    ) throws(SystemFault) {
        let path = path.fileName.withoutSlashes
        guard !isFolder(path) else { return }
        do throws(SystemFault) {
            try makeFolder(path)
        } catch {
            // A file system such as /proc reports ENOENT for a new name in an existing folder.
            if error.isNoEntry, path.folder != "/", path.folder != ".", !isFolder(path.folder) {
                try makeFolders(path.folder, isDurable: isDurable)
                return try makeFolders(path, isDurable: isDurable)
            }
            // Another process may have created it at the same time.
            if !isFolder(path) { throw error }
        }
        if isDurable { try synchronizeFolder(path.folder) }
    }

    /// Deletes a file, or a folder with its contents.
    package static func removeAll(_ path: some FilePath) throws(SystemFault) {
        guard try FileStatus(of: path, followingLinks: false).kind == .folder else {
            return try remove(path)
        }
        for name in try names(in: path) { try removeAll(path.fileName.joining(name)) }
        try removeFolder(path)
    }

    /// Whether the path's last part is a symbolic link.
    package static func isLink(_ path: some FilePath) -> Bool {
        // A path that cannot be read is not known to be a link; the caller's next call on it fails.
        (try? FileStatus(of: path, followingLinks: false))?.kind == .link
    }

    /// Whether a path leads to a folder.
    package static func isFolder(_ path: some FilePath) -> Bool {
        // A path that cannot be read is not known to be a folder; the caller's next call on it
        // fails.
        (try? FileStatus(of: path))?.kind == .folder
    }
}

/// The side of a copy that failed.
package enum FileCopyFailure: Error {
    case reading(SystemFault)
    case writing(SystemFault)
}
