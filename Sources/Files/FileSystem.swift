#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The system calls on files, each wrapped once, which return a result or throw a `SystemFault`.
///
/// Interrupted calls are repeated. A path is a `FileName` or a string, which means its UTF-8 bytes.
/// A `FileHook` sees each call before it runs.
package enum FileSystem {}

// MARK: Open files

extension FileSystem {
    /// Opens a file.
    ///
    /// - Parameter mode: the permissions of a new file, restricted by the process's umask.
    package static func open(
        _ path: some FilePath, _ flags: OpenFlags, mode: UInt32 = 0o666
    ) throws(SystemFault) -> Int32 {
        let name = path.fileName
        try FileHooks.ask(
            name,
            .open(creates: flags.contains(.creating), empties: flags.contains(.emptying)))
        let descriptor = systemOpen(name.cString, flags.rawValue | O_CLOEXEC, mode_t(mode))
        guard descriptor >= 0 else { throw .last }
        FileHooks.opened(descriptor, name)
        return descriptor
    }

    /// Creates a file without a name for reading and writing; the system deletes it when it is
    /// closed.
    ///
    /// - Parameter prefix: the prefix of the temporary name, which identifies the file if the
    ///   process is killed before the name is deleted.
    package static func openUnnamed(
        in folder: some FilePath, prefix: String
    ) throws(SystemFault) -> Int32 {
        let template = folder.fileName.adding("/" + prefix + "XXXXXX")
        try FileHooks.ask(template, .open(creates: true, empties: false))
        var bytes = template.cString
        let descriptor = mkstemp(&bytes)
        guard descriptor >= 0 else { throw .last }
        let name = FileName(cString: bytes)
        FileHooks.opened(descriptor, name)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        do throws(SystemFault) {
            try remove(name)
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }

    /// Opens a file as the standard input of this process.
    package static func replaceStandardInput(by path: some FilePath) throws(SystemFault) {
        let descriptor = try open(path, .reading)
        defer { close(descriptor) }
        guard dup2(descriptor, 0) == 0 else { throw .last }
    }

    /// Closes a file and ignores errors, for a file that was only read or is no longer needed.
    package static func close(_ descriptor: Int32) {
        FileHooks.closing(descriptor)
        _ = systemClose(descriptor)
    }

    /// Closes a file that was written, and throws if a delayed write failed.
    package static func closeWritten(_ descriptor: Int32) throws(SystemFault) {
        FileHooks.closing(descriptor)
        guard systemClose(descriptor) == 0 || errno == EINTR else { throw .last }
    }

    /// Reads bytes from the descriptor's current position, or from an offset.
    ///
    /// - Returns: the number of bytes read; 0 at the end of the file.
    package static func read(
        _ descriptor: Int32, into room: UnsafeMutableRawBufferPointer, at place: Int64? = nil
    ) throws(SystemFault) -> Int {
        let count = try FileHooks.ask(descriptor, .read(count: room.count)) ?? room.count
        while true {
            let done =
                if let place {
                    pread(descriptor, room.baseAddress, count, off_t(place))
                } else {
                    systemRead(descriptor, room.baseAddress, count)
                }
            if done >= 0 { return done }
            switch errno {
            case EINTR: break
            // The pipe is non-blocking, and another reader has already emptied it.
            case EAGAIN: _ = mustWait(descriptor, milliseconds: 1_000)
            default: throw .last
            }
        }
    }

    /// Writes all bytes at the descriptor's current position, or at an offset.
    package static func write(
        _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at place: Int64? = nil
    ) throws(SystemFault) {
        var rest = bytes
        var place = place
        while !rest.isEmpty {
            let count = try writeSome(rest, to: descriptor, at: place)
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            place = place.map { $0 + Int64(count) }
        }
    }

    private static func writeSome(
        _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at place: Int64?
    ) throws(SystemFault) -> Int {
        let count =
            try FileHooks.ask(descriptor, .write(count: bytes.count, at: place)) ?? bytes.count
        while true {
            let done =
                if let place {
                    pwrite(descriptor, bytes.baseAddress, count, off_t(place))
                } else {
                    systemWrite(descriptor, bytes.baseAddress, count)
                }
            if done > 0 { return done }
            guard done < 0 else { throw .isStuck }
            switch errno {
            case EINTR: break
            // Another process that shares the pipe or terminal made it non-blocking, and it is
            // full.
            case EAGAIN: waitForSpace(descriptor)
            default: throw .last
            }
        }
    }

    /// Waits until the written data is on the disk.
    package static func synchronize(_ descriptor: Int32) throws(SystemFault) {
        _ = try FileHooks.ask(descriptor, .synchronize)
        guard fsync(descriptor) == 0 else { throw .last }
    }

    /// Truncates a file to a length, or extends it with zeros.
    package static func truncate(_ descriptor: Int32, to length: Int64) throws(SystemFault) {
        _ = try FileHooks.ask(descriptor, .truncate(to: length))
        guard ftruncate(descriptor, off_t(length)) == 0 else { throw .last }
    }

    /// Sets the mode of an open file, regardless of the process's umask.
    package static func setMode(_ mode: UInt32, of descriptor: Int32) throws(SystemFault) {
        _ = try FileHooks.ask(descriptor, .setPermissions)
        guard fchmod(descriptor, mode_t(mode)) == 0 else { throw .last }
    }

    /// Sets the owner and the group of an open file; `nil` leaves them unchanged.
    package static func setOwner(
        _ owner: UInt32?, group: UInt32?, of descriptor: Int32
    ) throws(SystemFault) {
        _ = try FileHooks.ask(descriptor, .setPermissions)
        guard fchown(descriptor, owner ?? uid_t.max, group ?? gid_t.max) == 0 else { throw .last }
    }

    /// Opens a file for locking, and creates it if it is missing.
    package static func createForLocking(_ path: some FilePath) throws(SystemFault) -> Int32 {
        // Follows no symbolic link and does not block on a pipe.
        try open(path, [.updating, .creating, .withoutLink, .withoutWaiting], mode: 0o644)
    }

    /// Tries to acquire the exclusive lock of an open file, which ends with the process.
    ///
    /// - Returns: whether it acquired the lock.
    package static func lock(_ descriptor: Int32) -> Bool {
        do throws(SystemFault) {
            _ = try FileHooks.ask(descriptor, .lock)
        } catch {
            return false
        }
        return flock(descriptor, LOCK_EX | LOCK_NB) == 0
    }

    /// Releases the lock of an open file, even if another process shares the descriptor.
    package static func unlock(_ descriptor: Int32) {
        _ = flock(descriptor, LOCK_UN)
    }

    /// Returns whether a read would still block after a wait of at most `milliseconds`.
    package static func mustWait(_ descriptor: Int32, milliseconds: Int32 = 0) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let count = poll(&request, 1, milliseconds)
        return count == 0 || (count < 0 && errno == EINTR)
    }

    /// Waits at most 1 s until the descriptor accepts data or its reader has closed it.
    private static func waitForSpace(_ descriptor: Int32) {
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&request, 1, 1_000)
    }
}

// MARK: The system calls whose names the functions above use

private func systemOpen(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 {
    open(path, flags, mode)
}

private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }

private func systemRead(
    _ descriptor: Int32, _ start: UnsafeMutableRawPointer?, _ count: Int
) -> Int {
    read(descriptor, start, count)
}

func systemWrite(_ descriptor: Int32, _ start: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, start, count)
}
