#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Names in folders.
extension FileSystem {
    /// Gives a file or a folder another name, in place of a file that has it.
    package static func rename(
        _ path: UnsafePointer<CChar>, to target: UnsafePointer<CChar>
    ) throws(FileFailure) {
        try FileHooks.ask(path, .rename(to: String(cString: target)))
        guard systemRename(path, target) == 0 else { throw .last }
    }

    /// Gives a file a second name; some file systems know no such thing.
    package static func link(
        _ path: UnsafePointer<CChar>, as name: UnsafePointer<CChar>
    ) throws(FileFailure) {
        try FileHooks.ask(path, .link(as: String(cString: name)))
        guard systemLink(path, name) == 0 else { throw .last }
    }

    /// Makes a symbolic link.
    package static func makeLink(
        _ path: UnsafePointer<CChar>, to destination: UnsafePointer<CChar>
    ) throws(FileFailure) {
        try FileHooks.ask(path, .makeLink(to: String(cString: destination)))
        guard symlink(destination, path) == 0 else { throw .last }
    }

    /// Removes a name of a file.
    package static func remove(_ path: UnsafePointer<CChar>) throws(FileFailure) {
        try FileHooks.ask(path, .remove)
        guard unlink(path) == 0 else { throw .last }
    }

    /// Makes a folder.
    ///
    /// - Parameter mode: within the process's mask.
    package static func makeFolder(
        _ path: UnsafePointer<CChar>, mode: UInt32 = 0o777
    ) throws(FileFailure) {
        try FileHooks.ask(path, .makeFolder)
        guard mkdir(path, mode_t(mode)) == 0 else { throw .last }
    }

    /// Removes an empty folder.
    package static func removeFolder(_ path: UnsafePointer<CChar>) throws(FileFailure) {
        try FileHooks.ask(path, .removeFolder)
        guard rmdir(path) == 0 else { throw .last }
    }

    /// Cuts the file at a path to a length, or fills it up with zeros.
    package static func cut(
        file path: UnsafePointer<CChar>, to length: Int64
    ) throws(FileFailure) {
        try FileHooks.ask(path, .cut(to: length))
        guard truncate(path, off_t(length)) == 0 else { throw .last }
    }

    /// Gives the file at a path a mode, whatever the process's mask.
    package static func setMode(
        _ mode: UInt32, ofFile path: UnsafePointer<CChar>
    ) throws(FileFailure) {
        try FileHooks.ask(path, .setRights)
        guard chmod(path, mode_t(mode)) == 0 else { throw .last }
    }

    /// Reads the names in a folder, in no order, without `.` and `..`.
    ///
    /// - Parameter visit: gets each name with a NUL at its end, which is gone after the call.
    package static func list(
        _ folder: UnsafePointer<CChar>, _ visit: (UnsafePointer<CChar>) -> Void
    ) throws(FileFailure) {
        try FileHooks.ask(folder, .list)
        guard let handle = opendir(folder) else { throw .last }
        defer { closedir(handle) }
        while let entry = readdir(handle) {
            withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(
                    to: CChar.self, capacity: MemoryLayout.size(ofValue: name.pointee)
                ) { name in
                    if strcmp(name, ".") != 0, strcmp(name, "..") != 0 { visit(name) }
                }
            }
        }
    }

    /// Whether this process may do something with what a path leads to: access(2).
    package static func allows(_ path: UnsafePointer<CChar>, _ access: Access) -> Bool {
        do throws(FileFailure) {
            try FileHooks.ask(path, .status)
        } catch {
            return false
        }
        return systemAccess(path, access.rawValue) == 0
    }

    /// What may be done with a file.
    package struct Access: OptionSet, Sendable {
        /// The flags of the system.
        package let rawValue: Int32

        /// Those flags.
        package init(rawValue: Int32) {
            self.rawValue = rawValue
        }

        /// Its bytes are changed, or names are made in the folder.
        package static let write = Access(rawValue: W_OK)
        /// The folder's names are followed.
        package static let search = Access(rawValue: X_OK)
    }

    /// Whether a path leads to something.
    package static func exists(_ path: UnsafePointer<CChar>) -> Bool {
        allows(path, Access(rawValue: F_OK))
    }

    /// The whole path without links, with a NUL at its end; nil where it leads to nothing.
    package static func resolve(_ path: UnsafePointer<CChar>) -> [CChar]? {
        guard let found = realpath(path, nil) else { return nil }
        defer { free(found) }
        return Array(UnsafeBufferPointer(start: found, count: strlen(found) + 1))
    }

    /// Where a symbolic link leads, with a NUL at its end; nil where it is none, or longer than most.
    package static func destination(ofLink path: UnsafePointer<CChar>) -> [CChar]? {
        let bytesMax = 4_096
        var bytes = [CChar](repeating: 0, count: bytesMax)
        let count = readlink(path, &bytes, bytesMax)
        guard count > 0, count < bytesMax else { return nil }
        return Array(bytes[..<count]) + [0]
    }

    /// What is free on the disk of a folder for this user, in bytes.
    package static func freeBytes(in folder: UnsafePointer<CChar>) -> Int64? {
        var info = statvfs()
        guard statvfs(folder, &info) == 0 else { return nil }
        return Int64(clamping: UInt64(info.f_bavail)) &* Int64(clamping: UInt64(info.f_frsize))
    }
}

// MARK: The system's calls, whose names the ones above have taken

private func systemRename(
    _ path: UnsafePointer<CChar>, _ target: UnsafePointer<CChar>
) -> Int32 {
    rename(path, target)
}

private func systemLink(_ path: UnsafePointer<CChar>, _ name: UnsafePointer<CChar>) -> Int32 {
    link(path, name)
}

private func systemAccess(_ path: UnsafePointer<CChar>, _ mode: Int32) -> Int32 {
    access(path, mode)
}
