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
        _ path: some FilePath, to target: some FilePath
    ) throws(SystemFault) {
        try FileHooks.ask(path.fileName, .rename(to: target.fileName))
        guard systemRename(path.fileName.cString, target.fileName.cString) == 0 else { throw .last }
    }

    /// Gives a file a second name; some file systems know no such thing.
    package static func link(
        _ path: some FilePath, as name: some FilePath
    ) throws(SystemFault) {
        try FileHooks.ask(path.fileName, .link(as: name.fileName))
        guard systemLink(path.fileName.cString, name.fileName.cString) == 0 else { throw .last }
    }

    /// Makes a symbolic link.
    package static func makeLink(
        _ path: some FilePath, to destination: some FilePath
    ) throws(SystemFault) {
        try FileHooks.ask(path.fileName, .makeLink(to: destination.fileName))
        guard symlink(destination.fileName.cString, path.fileName.cString) == 0 else { throw .last }
    }

    /// Removes a name of a file.
    package static func remove(_ path: some FilePath) throws(SystemFault) {
        try FileHooks.ask(path.fileName, .remove)
        guard unlink(path.fileName.cString) == 0 else { throw .last }
    }

    /// Makes a folder.
    ///
    /// - Parameter mode: within the process's mask.
    package static func makeFolder(
        _ path: some FilePath, mode: UInt32 = 0o777
    ) throws(SystemFault) {
        try FileHooks.ask(path.fileName, .makeFolder)
        guard mkdir(path.fileName.cString, mode_t(mode)) == 0 else { throw .last }
    }

    /// Removes an empty folder.
    package static func removeFolder(_ path: some FilePath) throws(SystemFault) {
        try FileHooks.ask(path.fileName, .removeFolder)
        guard rmdir(path.fileName.cString) == 0 else { throw .last }
    }

    /// Gives the file at a path a mode, whatever the process's mask.
    package static func setMode(
        _ mode: UInt32, ofFile path: some FilePath
    ) throws(SystemFault) {
        try FileHooks.ask(path.fileName, .setRights)
        guard chmod(path.fileName.cString, mode_t(mode)) == 0 else { throw .last }
    }

    /// The names in a folder, in no order, without `.` and `..`.
    ///
    /// - Parameter isMeant: sees the first byte of each name, before the name is made.
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

    /// The names in a folder that are text, in no order: no other file has a name that a spec, a
    /// store, or a report gives.
    package static func textNames(in folder: some FilePath) throws(SystemFault) -> [String] {
        try names(in: folder).compactMap(\.exactText)
    }

    /// Whether this process may do something with what a path leads to: access(2).
    package static func allows(_ path: some FilePath, _ access: Access) -> Bool {
        do throws(SystemFault) {
            try FileHooks.ask(path.fileName, .status)
        } catch {
            return false
        }
        return systemAccess(path.fileName.cString, access.rawValue) == 0
    }

    /// What may be done with a file.
    package struct Access: OptionSet, Sendable {
        /// The flags of the system.
        package let rawValue: Int32

        /// Those flags.
        package init(rawValue: Int32) {
            self.rawValue = rawValue
        }

        /// Its bytes are read, or the names in the folder.
        package static let read = Access(rawValue: R_OK)
        /// Its bytes are changed, or names are made in the folder.
        package static let write = Access(rawValue: W_OK)
        /// The folder's names are followed.
        package static let search = Access(rawValue: X_OK)
    }

    /// Whether a path leads to something.
    package static func exists(_ path: some FilePath) -> Bool {
        allows(path, Access(rawValue: F_OK))
    }

    /// The whole path without links; nil where it leads to nothing.
    package static func resolved(_ path: some FilePath) -> FileName? {
        guard let found = realpath(path.fileName.cString, nil) else { return nil }
        defer { free(found) }
        return FileName(cString: found)
    }

    /// Where a symbolic link leads; nil where it is none, or longer than most.
    package static func destination(ofLink path: some FilePath) -> FileName? {
        let bytesMax = 4_096
        var bytes = [CChar](repeating: 0, count: bytesMax)
        let count = readlink(path.fileName.cString, &bytes, bytesMax)
        guard count > 0, count < bytesMax else { return nil }
        return FileName(bytes: bytes[..<count].lazy.map { UInt8(bitPattern: $0) })
    }

    /// What is free on the disk of a folder for this user, in bytes.
    package static func freeBytes(in folder: some FilePath) -> Int64? {
        var info = statvfs()
        guard statvfs(folder.fileName.cString, &info) == 0 else { return nil }
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
