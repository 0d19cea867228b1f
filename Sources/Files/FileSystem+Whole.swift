/// Whole files and folders, by the calls on their parts.
extension FileSystem {
    private static let partBytes = 1 << 18

    /// The bytes of a file, or no more than the first so many.
    package static func contents(
        _ path: some FilePath, first limit: Int = .max
    ) throws(SystemFault) -> [UInt8] {
        let descriptor = try open(path, .reading)
        defer { close(descriptor) }
        return try contents(of: descriptor, first: limit)
    }

    /// The bytes of an open file from where it stands, or no more than so many.
    package static func contents(
        of descriptor: Int32, first limit: Int = .max
    ) throws(SystemFault) -> [UInt8] {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: min(limit, partBytes))
        while bytes.count < limit {
            let wanted = min(part.count, limit - bytes.count)
            let count = try read(descriptor, into: &part, atMost: wanted)
            guard count > 0 else { break }
            bytes.append(contentsOf: part[..<count])
        }
        return bytes
    }

    /// Reads some bytes from where the descriptor stands into the beginning of an array.
    ///
    /// - Returns: how many; 0 at the end.
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

    /// Writes all bytes where the descriptor stands, or from a place on.
    package static func write(
        _ bytes: [UInt8], to descriptor: Int32, at place: Int64? = nil
    ) throws(SystemFault) {
        let result = bytes.withUnsafeBytes { all -> Result<Void, SystemFault> in
            Result { () throws(SystemFault) in try write(all, to: descriptor, at: place) }
        }
        try result.get()
    }

    /// Copies what is left of an open file to another, a part at a time.
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

    /// Writes a file anew as a whole: beside its place first, then moved there.
    ///
    /// Its mode stays; a link stays a link. Nothing is waited for.
    package static func replace(
        _ path: some FilePath, with bytes: [UInt8]
    ) throws(SystemFault) {
        let target = resolved(path) ?? path.fileName
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
            // What cannot be removed is written over by the next of this name.
            try? remove(temporary)
            throw error
        }
    }

    /// Makes the names in a folder durable, where its file system can, and this user may.
    package static func synchronizeFolder(_ path: some FilePath) throws(SystemFault) {
        do throws(SystemFault) {
            let descriptor = try open(path, .reading)
            defer { close(descriptor) }
            try synchronize(descriptor)
        } catch {
            if !error.isUnsupported, !error.isPermission { throw error }
        }
    }

    /// Makes a folder, and those above it, where they are missing.
    ///
    /// - Parameter isDurable: what is made durable in the folder is to be found after a loss of
    ///   power, and so is the folder itself.
    package static func makeFolders(
        _ path: some FilePath, isDurable: Bool = false
    ) throws(SystemFault) {
        let path = path.fileName.withoutSlashes
        guard !isFolder(path) else { return }
        do throws(SystemFault) {
            try makeFolder(path)
        } catch {
            if error.isNoEntry, path.folder != "/", path.folder != "." {
                try makeFolders(path.folder, isDurable: isDurable)
                return try makeFolders(path, isDurable: isDurable)
            }
            // Somebody else may be at it, too.
            if !isFolder(path) { throw error }
        }
        if isDurable { try synchronizeFolder(path.folder) }
    }

    /// Removes a file, or a folder with what is in it.
    package static func removeAll(_ path: some FilePath) throws(SystemFault) {
        guard try FileStatus(of: path, followingLinks: false).kind == .folder else {
            return try remove(path)
        }
        for name in try names(in: path) { try removeAll(path.fileName.joining(name)) }
        try removeFolder(path)
    }

    /// Whether the path's last part is a symbolic link.
    package static func isLink(_ path: some FilePath) -> Bool {
        (try? FileStatus(of: path, followingLinks: false))?.kind == .link
    }

    /// Whether a path leads to a folder.
    package static func isFolder(_ path: some FilePath) -> Bool {
        (try? FileStatus(of: path))?.kind == .folder
    }
}

/// Which side of a copy failed.
package enum FileCopyFailure: Error {
    case reading(SystemFault)
    case writing(SystemFault)
}
