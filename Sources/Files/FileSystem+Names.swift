#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Calls on the names in folders.
extension FileSystem {
    /// Renames a file or a folder, replacing any file that has the new name.
    package static func rename(
        _ path: some FilePath, to target: some FilePath
    ) throws(SystemFault) {
        try FileHooks.ask(path.fileName, .rename(to: target.fileName))
        guard systemRename(path.fileName.cString, target.fileName.cString) == 0 else { throw .last }
    }

    /// Creates a hard link to a file; some file systems do not support it.
    package static func link(
        _ path: some FilePath, as name: some FilePath
    ) throws(SystemFault) {
        try FileHooks.ask(path.fileName, .link(as: name.fileName))
        guard systemLink(path.fileName.cString, name.fileName.cString) == 0 else { throw .last }
    }

    /// Creates a symbolic link.
    package static func makeLink(
        _ path: some FilePath, to destination: some FilePath
    ) throws(SystemFault) {
        try FileHooks.ask(path.fileName, .makeLink(to: destination.fileName))
        guard symlink(destination.fileName.cString, path.fileName.cString) == 0 else { throw .last }
    }

    /// Deletes one name of a file.
    package static func remove(_ path: some FilePath) throws(SystemFault) {
        try FileHooks.ask(path.fileName, .remove)
        guard unlink(path.fileName.cString) == 0 else { throw .last }
    }

    /// Creates a folder.
    ///
    /// - Parameter mode: the permissions, restricted by the process's umask.
    package static func makeFolder(
        _ path: some FilePath, mode: UInt32 = 0o777
    ) throws(SystemFault) {
        try FileHooks.ask(path.fileName, .makeFolder)
        guard mkdir(path.fileName.cString, mode_t(mode)) == 0 else { throw .last }
    }

    /// Deletes an empty folder.
    package static func removeFolder(_ path: some FilePath) throws(SystemFault) {
        try FileHooks.ask(path.fileName, .removeFolder)
        guard rmdir(path.fileName.cString) == 0 else { throw .last }
    }

    /// Sets the mode of the file at a path, regardless of the process's umask.
    package static func setMode(
        _ mode: UInt32, ofFile path: some FilePath
    ) throws(SystemFault) {
        try FileHooks.ask(path.fileName, .setPermissions)
        guard chmod(path.fileName.cString, mode_t(mode)) == 0 else { throw .last }
    }

    /// Returns the names in a folder, in no order and without `.` and `..`.
    ///
    /// - Parameter isMeant: filters by the first byte of each name, before a `FileName` is created.
    package static func names(
        in folder: some FilePath, whereFirst isMeant: (UInt8) -> Bool = { _ in true }
    ) throws(SystemFault) -> [FileName] {
        try FileHooks.ask(folder.fileName, .list)
        guard let handle = opendir(folder.fileName.cString) else { throw .last }
        defer { closedir(handle) }
        var names: [FileName] = []
        while let entry = readdir(handle) {
            guard isMeant(UInt8(bitPattern: entry.pointee.d_name.0)) else { continue }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(
                    to: CChar.self, capacity: MemoryLayout.size(ofValue: name.pointee)
                ) { FileName(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Returns the names in a folder that are valid UTF-8, in no order.
    ///
    /// Other names cannot occur in a spec, a store, or a report.
    package static func textNames(in folder: some FilePath) throws(SystemFault) -> [String] {
        try names(in: folder).compactMap(\.exactText)
    }

    /// Returns whether this process may access the file at a path, by access(2).
    package static func allows(_ path: some FilePath, _ access: Access) -> Bool {
        do throws(SystemFault) {
            try FileHooks.ask(path.fileName, .status)
        } catch {
            return false
        }
        return systemAccess(path.fileName.cString, access.rawValue) == 0
    }

    /// The ways to access a file or a folder.
    package struct Access: OptionSet, Sendable {
        /// The system's flags.
        package let rawValue: Int32

        /// Creates a set from the system's flags.
        package init(rawValue: Int32) {
            self.rawValue = rawValue
        }

        /// Read the file, or list the folder.
        package static let read = Access(rawValue: R_OK)
        /// Change the file, or create names in the folder.
        package static let write = Access(rawValue: W_OK)
        /// Look up names in the folder.
        package static let search = Access(rawValue: X_OK)
    }

    /// Returns whether a path leads to an existing file or folder.
    package static func exists(_ path: some FilePath) -> Bool {
        allows(path, Access(rawValue: F_OK))
    }

    /// Returns the absolute path without symbolic links; `nil` if it leads to no file.
    package static func resolved(_ path: some FilePath) -> FileName? {
        guard let found = realpath(path.fileName.cString, nil) else { return nil }
        defer { free(found) }
        return FileName(cString: found)
    }

    /// Returns the destination of a symbolic link.
    ///
    /// Returns `nil` if the path is not a symbolic link, or if the destination has 4,096 bytes or
    /// more.
    package static func destination(ofLink path: some FilePath) -> FileName? {
        let bytesMax = 4_096
        var bytes = [CChar](repeating: 0, count: bytesMax)
        let count = readlink(path.fileName.cString, &bytes, bytesMax)
        guard count > 0, count < bytesMax else { return nil }
        return FileName(bytes: bytes[..<count].lazy.map { UInt8(bitPattern: $0) })
    }

    /// Returns the free disk space of a folder for this user, in bytes; `nil` if it is unknown.
    package static func freeBytes(in folder: some FilePath) -> Int64? {
        var info = statvfs()
        guard statvfs(folder.fileName.cString, &info) == 0 else { return nil }
        return Int64(clamping: UInt64(info.f_bavail)) &* Int64(clamping: UInt64(info.f_frsize))
    }
}

// MARK: The system calls whose names the functions above use

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
