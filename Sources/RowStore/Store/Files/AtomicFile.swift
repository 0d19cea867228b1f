import Diagnostics
import Files
import FoundationEssentials

/// A file that is replaced atomically: written next to its path first, and then renamed.
package final class AtomicFile {
    private enum State {
        /// The new file is written, but not yet at the target path.
        case written
        /// The new file is at the target path; an earlier file, if any, has another name.
        case placed(hasEarlier: Bool)
    }

    private let path: String
    private let temporary: String
    /// The path of the earlier file while the new one is at the target path.
    private let earlier: String
    private var state = State.written

    /// The prefix of the process ID in the names of temporary files.
    private static let temporaryEnding = ".etl-new-"
    private static let earlierEnding = ".etl-old-"

    /// Removes the temporary files of processes that were killed while they saved the file.
    ///
    /// The target path always holds either the complete earlier file or the complete new one.
    static func removeLeftovers(of path: String) {
        let path = StoreFiles.resolved(path)
        let folder = PathText.folder(of: path)
        let name = PathText.lastComponent(path)
        // A leftover file must not prevent a save or an opening.
        for leftover in (try? StoreFiles.names(in: folder)) ?? [] where leftover.hasPrefix(name) {
            let rest = leftover.dropFirst(name.count)
            let ending = [temporaryEnding, earlierEnding].first { rest.hasPrefix($0) }
            let place = PathText.join(folder, leftover)
            guard let ending, let process = Int32(rest.dropFirst(ending.count)),
                !SystemProcess.isRunning(process), isOld(place)
            else { continue }
            // A leftover file must not prevent a save or an opening.
            try? StoreFiles.remove(place)
        }
    }

    /// Returns whether a file was last written more than 1 h ago.
    ///
    /// A process in another container or on another host may be running although no local process
    /// has its ID.
    private static func isOld(_ path: String) -> Bool {
        // If the age is unknown, the file stays.
        guard let status = try? FileStatus(of: path) else { return false }
        return status.secondsWritten < Int64(Date.now.timeIntervalSince1970) - 3_600
    }

    /// Writes the bytes next to the file's path and flushes them to the disk.
    ///
    /// - Parameter permissions: The mode of a new file; an existing file keeps its mode.
    init(_ bytes: [UInt8], for path: String, permissions: UInt16?) throws(StoreError) {
        // A symbolic link is kept, and its target is replaced.
        self.path = StoreFiles.resolved(path)
        Self.removeLeftovers(of: self.path)
        temporary = "\(self.path)\(Self.temporaryEnding)\(SystemProcess.number)"
        earlier = "\(self.path)\(Self.earlierEnding)\(SystemProcess.number)"
        try StoreFiles.write(
            bytes, to: temporary, permissions: permissions, existing: FilePermissions(of: self.path)
        )
    }

    /// Replaces the file and removes the earlier one.
    package func commit() throws(StoreError) {
        try place()
        finish()
    }

    /// Replaces the file, and keeps the earlier one until `finish()` or `discard()`.
    ///
    /// - Throws: `StoreError`; the earlier file is then at the target path.
    func place() throws(StoreError) {
        let hasEarlier = FileSystem.exists(path)
        do throws(StoreError) {
            if hasEarlier { try keepEarlier() }
            try StoreFiles.move(temporary, to: path)
            state = .placed(hasEarlier: hasEarlier)
            try StoreFiles.synchronizeFolder(of: path)
        } catch {
            takeBack()
            throw error
        }
    }

    /// Removes the earlier file.
    func finish() {
        guard case .placed(hasEarlier: true) = state else { return }
        // The save has succeeded, even if the earlier file cannot be removed.
        try? StoreFiles.remove(earlier)
    }

    /// Removes the new file and restores the earlier one.
    func discard() throws(StoreError) {
        takeBack()
        try StoreFiles.remove(temporary)
    }

    private func keepEarlier() throws(StoreError) {
        try StoreFiles.remove(earlier)
        guard !StoreFiles.link(path, as: earlier) else { return }
        try StoreFiles.copyLarge(path, to: earlier)
    }

    private func takeBack() {
        // Errors are ignored here: the caller throws the original error.
        switch state {
        case .written: try? StoreFiles.remove(earlier)
        case .placed(hasEarlier: true): try? StoreFiles.move(earlier, to: path)
        case .placed(hasEarlier: false): try? StoreFiles.remove(path)
        }
        state = .written
    }
}

extension StoreFiles {
    /// Creates or overwrites a file and flushes it to the disk.
    ///
    /// - Parameter existing: The permissions of the file to be replaced, used instead of
    ///   `permissions`.
    static func write(
        _ bytes: [UInt8], to path: String, permissions: UInt16?, existing: FilePermissions?
    ) throws(StoreError) {
        let mode = existing == nil ? permissions ?? 0o644 : 0o600
        let descriptor = try calling(path, "cannot be created") { () throws(SystemFault) in
            try FileSystem.open(path, [.writing, .creating, .emptying], mode: UInt32(mode))
        }
        defer { FileSystem.close(descriptor) }
        existing?.give(to: descriptor)
        try calling(path, "cannot be written") { () throws(SystemFault) in
            try FileSystem.write(bytes, to: descriptor)
            try FileSystem.synchronize(descriptor)
        }
    }

    /// Returns the bytes of a file, up to the limit.
    static func read(_ path: String, first limit: Int = .max) throws(StoreError) -> [UInt8] {
        let descriptor = try calling(path, "cannot be opened") { () throws(SystemFault) in
            try FileSystem.open(path, .reading)
        }
        defer { FileSystem.close(descriptor) }
        return try calling(path, "cannot be read") { () throws(SystemFault) in
            try FileSystem.contents(of: descriptor, first: limit)
        }
    }

    /// Creates an empty file with these permissions; has no effect if the file exists.
    static func create(_ path: String, permissions: UInt16) throws(StoreError) {
        guard let descriptor = try makeNew(path, [.writing, .new], mode: UInt32(permissions)) else {
            return
        }
        defer { FileSystem.close(descriptor) }
        try calling(path, "cannot get its mode") { () throws(SystemFault) in
            try FileSystem.setMode(UInt32(permissions), of: descriptor)
        }
    }

    /// Creates an empty file for a store with the permissions of another file, which it copies or
    /// will replace.
    ///
    /// SQLite gives the WAL the same permissions, so no other user can read its content. Has no
    /// effect if the other file does not exist or this file does.
    package static func create(_ path: String, withRightsOf other: String) throws(StoreError) {
        guard let existing = FilePermissions(of: other) else { return }
        guard let descriptor = try makeNew(path, [.updating, .new], mode: 0o600) else { return }
        defer { FileSystem.close(descriptor) }
        // The owner must be able to write a copy of a read-only file.
        existing.adding(0o600).give(to: descriptor)
    }

    /// Creates a file and returns its descriptor; `nil` if the file exists.
    private static func makeNew(
        _ path: String, _ flags: OpenFlags, mode: UInt32
    ) throws(StoreError) -> Int32? {
        do throws(SystemFault) {
            return try FileSystem.open(path, flags, mode: mode)
        } catch {
            guard error.isExisting else { throw failure(path, "cannot be created", error) }
            return nil
        }
    }

    /// Calls a closure, and converts a system error into a `StoreError`.
    static func calling<R>(
        _ path: String, _ what: String, _ calls: () throws(SystemFault) -> R
    ) throws(StoreError) -> R {
        do throws(SystemFault) {
            return try calls()
        } catch {
            throw failure(path, what, error)
        }
    }

    static func failure(_ path: String, _ what: String, _ error: SystemFault) -> StoreError {
        let code: StoreError.Code =
            if error.isNoEntry {
                .missing
            } else if error.isPermission {
                .permission
            } else if error.isFull {
                .full
            } else if error.isExhausted {
                .resources
            } else {
                error.isTooLong ? .invalidRequest : .inputOutput
            }
        return StoreError(code, "\(path) \(what): \(error.text)")
    }
}
