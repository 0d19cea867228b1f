import Files

/// What this module asks of open files and their names.
enum FileDescriptor {
    /// Opens a file to write at its end, and makes it where it is missing.
    static func createForAppending(_ path: String) throws(FileFailure) -> Int32 {
        try FileSystem.open(path, [.writing, .creating, .appending], mode: 0o644)
    }

    /// Opens a file to lock it, and makes it where it is missing.
    static func createForLocking(_ path: String) throws(FileFailure) -> Int32 {
        // No link is followed, and a pipe is not waited for.
        try FileSystem.open(
            path, [.updating, .creating, .withoutLink, .withoutWaiting], mode: 0o644)
    }

    /// Opens a file to see whether it is locked, as far as this user may.
    ///
    /// - Returns: the descriptor, or -1.
    static func openForLocking(_ path: String) -> Int32 {
        let flags: OpenFlags = [.withoutLink, .withoutWaiting]
        return (try? FileSystem.open(path, [.updating, flags]))
            ?? (try? FileSystem.open(path, [.reading, flags])) ?? -1
    }

    static func close(_ descriptor: Int32) { FileSystem.close(descriptor) }

    /// Writes all bytes.
    ///
    /// - Returns: whether that succeeded.
    static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        (try? FileSystem.write(bytes, to: descriptor)) != nil
    }

    /// Writes all bytes at a place.
    ///
    /// - Returns: whether that succeeded.
    static func writeAll(
        _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at position: Int64
    ) -> Bool {
        (try? FileSystem.write(bytes, to: descriptor, at: position)) != nil
    }

    /// Reads bytes from a place on.
    ///
    /// - Returns: how many; 0 at the end.
    static func read(
        _ descriptor: Int32, into room: UnsafeMutableRawBufferPointer, at position: Int64
    ) throws(FileFailure) -> Int {
        try FileSystem.read(descriptor, into: room, at: position)
    }

    /// Makes a file to write and read that no name leads to, so that it is gone with this process.
    ///
    /// - Returns: the descriptor, or -1.
    static func createUnnamed(in folder: String, prefix: String) -> Int32 {
        (try? FileSystem.openUnnamed(in: folder, prefix: prefix)) ?? -1
    }

    /// The size of an open file, in bytes.
    static func size(_ descriptor: Int32) -> Int64 {
        (try? FileStatus(of: descriptor)).map { Int64($0.size) } ?? 0
    }

    /// What is free on the disk of a folder for this user, in bytes.
    static func freeBytes(in folder: String) -> Int64? {
        FileSystem.freeBytes(in: folder)
    }

    /// Waits until what was written is on the disk.
    ///
    /// - Returns: whether that succeeded.
    static func synchronize(_ descriptor: Int32) -> Bool {
        (try? FileSystem.synchronize(descriptor)) != nil
    }

    /// Cuts an open file to a length.
    ///
    /// - Returns: whether that succeeded.
    static func cut(_ descriptor: Int32, to length: Int) -> Bool {
        (try? FileSystem.cut(descriptor, to: Int64(length))) != nil
    }

    /// The size of the file at a path; nil where there is none.
    static func size(_ path: String) -> Int? {
        (try? FileStatus(of: path))?.size
    }

    /// What changes when a file is written: which file it is, its size, and when it was changed;
    /// empty where there is none.
    static func state(_ path: String) -> String {
        guard let status = try? FileStatus(of: path), status.size > 0 else { return "" }
        return "\(status.inode):\(status.size):\(status.timeWritten)"
    }

    /// When the file at a path was last written, in nanoseconds since 1970; 0 where there is none.
    static func timeWritten(_ path: String) -> Int64 {
        (try? FileStatus(of: path))?.timeWritten ?? 0
    }

    /// Gives a file another name, in place of a file that has it.
    ///
    /// - Returns: whether that succeeded.
    static func rename(_ path: String, to target: String) -> Bool {
        (try? FileSystem.rename(path, to: target)) != nil
    }

    /// Removes a file; nothing happens where there is none.
    static func remove(_ path: String) { try? FileSystem.remove(path) }

    /// Makes the names in a folder of rejects durable, where its file system can.
    static func synchronizeFolder(_ path: String) throws(RunFailure) {
        do throws(FileFailure) {
            try FileSystem.synchronizeFolder(path)
        } catch {
            throw RunFailure(
                error.isExhausted ? .osError : .cannotCreate, code: "rejects.file",
                "The names in \(path) cannot be made durable: \(error.text)",
                fix: "look after that disk, and run it again")
        }
    }

    /// Takes the lock of an open file, which dies with the process.
    ///
    /// - Returns: whether it was free.
    static func lock(_ descriptor: Int32) -> Bool {
        FileSystem.lock(descriptor)
    }

    /// Gives the lock of an open file back, whoever else has the file open by the same descriptor.
    static func unlock(_ descriptor: Int32) { FileSystem.unlock(descriptor) }

    /// Replaces a file's content with a short text.
    static func rewrite(_ descriptor: Int32, _ text: String) {
        _ = cut(descriptor, to: 0)
        try? FileSystem.write(Array(text.utf8), to: descriptor, at: 0)
    }

    /// The first bytes of a file as text.
    static func head(_ descriptor: Int32) -> String {
        let bytes = withUnsafeTemporaryAllocation(byteCount: 400, alignment: 1) { room in
            // What cannot be read says nothing.
            room[..<((try? FileSystem.read(descriptor, into: room, at: 0)) ?? 0)].map { $0 }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The first bytes of the file at a path as text; nil where it cannot be read.
    static func head(ofFile path: String) -> String? {
        // A pipe is not waited for.
        guard let descriptor = try? FileSystem.open(path, [.reading, .withoutWaiting]) else {
            return nil
        }
        defer { close(descriptor) }
        return head(descriptor)
    }

    /// Which file a path leads to, whatever its name; nil where there is none.
    static func identity(_ path: String) -> [UInt64]? {
        (try? FileStatus(of: path)).map { [$0.device, $0.inode] }
    }

    /// The size of what is a regular file now, in bytes.
    static func fileSize(_ path: String) -> Int? {
        guard let status = try? FileStatus(of: path), status.kind == .file else { return nil }
        return status.size
    }

    /// Whether the path's last part is a symbolic link.
    static func isLink(_ path: String) -> Bool {
        (try? FileStatus(of: path, followingLinks: false))?.kind == .link
    }

    /// The path without links, where it leads to something.
    static func resolved(_ path: String) -> String? {
        FileSystem.resolved(path)
    }

    static var processID: Int32 { SystemProcess.number }

    /// Whether a process is there, whoever owns it.
    static func isRunning(_ process: Int32) -> Bool { SystemProcess.isRunning(process) }

    /// Whether files can be made in a folder.
    static func isWritableFolder(_ path: String) -> Bool {
        FileSystem.allows(path, [.write, .search])
    }
}

extension FileFailure {
    /// The status of a run that it ends: 77, 71, or else the given one.
    func status(else status: ExitStatus) -> ExitStatus {
        if isPermission { return .noPermission }
        return isExhausted ? .osError : status
    }
}
