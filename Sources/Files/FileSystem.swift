#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The system's calls on files, each in one place, which gives its result or its failure.
///
/// Interrupted calls are made again. A path is a `FileName`, or a text that stands for its
/// UTF-8 bytes. `FileHook` sees each call before it is made.
package enum FileSystem {}

// MARK: Open files

extension FileSystem {
    /// Opens a file.
    ///
    /// - Parameter mode: of a file that is made, within the process's mask.
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

    /// Makes a file to write and read that no name leads to, so that it is gone with this process.
    ///
    /// - Parameter prefix: what its name began with, for whom the process is killed in between.
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

    /// Makes a file the standard input of this process, from the file's beginning.
    package static func replaceStandardInput(by path: some FilePath) throws(SystemFault) {
        let descriptor = try open(path, .reading)
        defer { close(descriptor) }
        guard dup2(descriptor, 0) == 0 else { throw .last }
    }

    /// Closes a file that was read, or whose loss is no matter.
    package static func close(_ descriptor: Int32) {
        FileHooks.closing(descriptor)
        _ = systemClose(descriptor)
    }

    /// Closes a file that was written, where a late failure still counts.
    package static func closeWritten(_ descriptor: Int32) throws(SystemFault) {
        FileHooks.closing(descriptor)
        guard systemClose(descriptor) == 0 || errno == EINTR else { throw .last }
    }

    /// Reads some bytes from where the descriptor stands, or from a place on.
    ///
    /// - Returns: how many; 0 at the end.
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
            // Another reader of the same pipe was faster.
            case EAGAIN: _ = mustWait(descriptor, milliseconds: 1_000)
            default: throw .last
            }
        }
    }

    /// Writes all bytes where the descriptor stands, or from a place on.
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
            // Who shares the pipe or terminal has made it non-blocking, and it is full.
            case EAGAIN: waitForRoom(descriptor)
            default: throw .last
            }
        }
    }

    /// Waits until what was written is on the disk.
    package static func synchronize(_ descriptor: Int32) throws(SystemFault) {
        _ = try FileHooks.ask(descriptor, .synchronize)
        guard fsync(descriptor) == 0 else { throw .last }
    }

    /// Cuts a file to a length, or fills it up with zeros.
    package static func cut(_ descriptor: Int32, to length: Int64) throws(SystemFault) {
        _ = try FileHooks.ask(descriptor, .cut(to: length))
        guard ftruncate(descriptor, off_t(length)) == 0 else { throw .last }
    }

    /// Gives an open file a mode, whatever the process's mask.
    package static func setMode(_ mode: UInt32, of descriptor: Int32) throws(SystemFault) {
        _ = try FileHooks.ask(descriptor, .setRights)
        guard fchmod(descriptor, mode_t(mode)) == 0 else { throw .last }
    }

    /// Gives an open file to a user and a group; nil leaves what it has.
    package static func setOwner(
        _ owner: UInt32?, group: UInt32?, of descriptor: Int32
    ) throws(SystemFault) {
        _ = try FileHooks.ask(descriptor, .setRights)
        guard fchown(descriptor, owner ?? uid_t.max, group ?? gid_t.max) == 0 else { throw .last }
    }

    /// Opens a file to lock it, and makes it where it is missing.
    package static func createForLocking(_ path: some FilePath) throws(SystemFault) -> Int32 {
        // No link is followed, and a pipe is not waited for.
        try open(path, [.updating, .creating, .withoutLink, .withoutWaiting], mode: 0o644)
    }

    /// Takes the lock of an open file, which dies with the process.
    ///
    /// - Returns: whether it was free.
    package static func lock(_ descriptor: Int32) -> Bool {
        do throws(SystemFault) {
            _ = try FileHooks.ask(descriptor, .lock)
        } catch {
            return false
        }
        return flock(descriptor, LOCK_EX | LOCK_NB) == 0
    }

    /// Gives the lock of an open file back, whoever else has the file open by the same descriptor.
    package static func unlock(_ descriptor: Int32) {
        _ = flock(descriptor, LOCK_UN)
    }

    /// Whether a read would wait for somebody to write, also after so many milliseconds.
    package static func mustWait(_ descriptor: Int32, milliseconds: Int32 = 0) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let count = poll(&request, 1, milliseconds)
        return count == 0 || (count < 0 && errno == EINTR)
    }

    /// Waits until something can be written, or nobody reads any more; a second at most.
    private static func waitForRoom(_ descriptor: Int32) {
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&request, 1, 1_000)
    }
}

// MARK: The system's calls, whose names the ones above have taken

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
