import Diagnostics
import Files
import FoundationEssentials

/// A file that is written anew as a whole: beside its place first, then moved there.
final class AtomicFile {
    private enum State {
        /// The new file is beside the place.
        case beside
        /// The new file has the place; the earlier one, if there was one, has another name.
        case placed(hasEarlier: Bool)
    }

    private let path: String
    private let temporary: String
    /// The other name of the earlier file.
    private let earlier: String
    private var state = State.beside

    /// The number of the process follows.
    private static let temporaryEnding = ".etl-new-"
    private static let earlierEnding = ".etl-old-"

    /// Removes what processes have left that were killed while they saved the file: the place has the
    /// earlier file or the new one as a whole, whenever that was.
    static func removeLeftovers(of path: String) {
        let path = StoreFiles.resolved(path)
        let folder = PathText.folder(of: path)
        let name = PathText.lastComponent(path)
        // Leftovers are no reason not to save or to open.
        for leftover in (try? StoreFiles.names(in: folder)) ?? [] where leftover.hasPrefix(name) {
            let rest = leftover.dropFirst(name.count)
            let ending = [temporaryEnding, earlierEnding].first { rest.hasPrefix($0) }
            let place = PathText.join(folder, leftover)
            guard let ending, let process = Int32(rest.dropFirst(ending.count)),
                !SystemProcess.isRunning(process), isOld(place)
            else { continue }
            try? StoreFiles.remove(place)
        }
    }

    /// Whether nothing has written to a file for an hour: in another container or on another host
    /// the process may run although no process here has its number.
    private static func isOld(_ path: String) -> Bool {
        guard let status = try? FileStatus(of: path) else { return false }
        return status.secondsWritten < Int64(Date.now.timeIntervalSince1970) - 3_600
    }

    /// Writes the bytes beside the file's place, durable.
    ///
    /// - Parameter permissions: the mode of a file that is not there yet; one that is there hands
    ///   its own down.
    init(_ bytes: [UInt8], for path: String, permissions: UInt16?) throws(StoreError) {
        // A link stays a link; what it leads to is written anew.
        self.path = StoreFiles.resolved(path)
        Self.removeLeftovers(of: self.path)
        temporary = "\(self.path)\(Self.temporaryEnding)\(SystemProcess.number)"
        earlier = "\(self.path)\(Self.earlierEnding)\(SystemProcess.number)"
        try StoreFiles.write(
            bytes, to: temporary, permissions: permissions, rights: FileRights(of: self.path))
    }

    /// Takes the place, for good.
    func commit() throws(StoreError) {
        try place()
        finish()
    }

    /// Takes the place; the file that was there is kept until `finish()` or `discard()`.
    ///
    /// - Throws: with the earlier file in its place.
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
        // The save has succeeded, whatever becomes of the earlier file.
        try? StoreFiles.remove(earlier)
    }

    /// Goes away, and puts the earlier file back into its place.
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
        // The error that led here is the one to tell.
        switch state {
        case .beside: try? StoreFiles.remove(earlier)
        case .placed(hasEarlier: true): try? StoreFiles.move(earlier, to: path)
        case .placed(hasEarlier: false): try? StoreFiles.remove(path)
        }
        state = .beside
    }
}

extension StoreFiles {
    /// Writes a new file, or an old one anew, and waits for the disk.
    ///
    /// - Parameter rights: those of the file whose place it is to take, in place of the mode.
    static func write(
        _ bytes: [UInt8], to path: String, permissions: UInt16?, rights: FileRights?
    ) throws(StoreError) {
        let mode = rights == nil ? permissions ?? 0o644 : 0o600
        let descriptor = try calling(path, "cannot be made") { () throws(SystemFault) in
            try FileSystem.open(path, [.writing, .creating, .emptying], mode: UInt32(mode))
        }
        defer { FileSystem.close(descriptor) }
        rights?.give(to: descriptor)
        try calling(path, "cannot be written") { () throws(SystemFault) in
            try FileSystem.write(bytes, to: descriptor)
            try FileSystem.synchronize(descriptor)
        }
    }

    /// The bytes of a file, or no more than the first so many.
    static func read(_ path: String, first limit: Int = .max) throws(StoreError) -> [UInt8] {
        let descriptor = try calling(path, "cannot be opened") { () throws(SystemFault) in
            try FileSystem.open(path, .reading)
        }
        defer { FileSystem.close(descriptor) }
        return try calling(path, "cannot be read") { () throws(SystemFault) in
            try FileSystem.contents(of: descriptor, first: limit)
        }
    }

    /// Makes an empty file of that mode; nothing happens where there is one.
    static func create(_ path: String, permissions: UInt16) throws(StoreError) {
        guard let descriptor = try makeNew(path, [.writing, .new], mode: UInt32(permissions)) else {
            return
        }
        defer { FileSystem.close(descriptor) }
        try calling(path, "cannot get its mode") { () throws(SystemFault) in
            try FileSystem.setMode(UInt32(permissions), of: descriptor)
        }
    }

    /// Makes an empty file for a store with the rights of another, whose copy it becomes or whose
    /// place it is to take: SQLite gives them to the log, too, and nobody else reads what comes in.
    ///
    /// Nothing happens where there is no other, or where the file is there already.
    static func create(_ path: String, withRightsOf other: String) throws(StoreError) {
        guard let rights = FileRights(of: other) else { return }
        guard let descriptor = try makeNew(path, [.updating, .new], mode: 0o600) else { return }
        defer { FileSystem.close(descriptor) }
        // A copy of what may only be read is written all the same.
        rights.adding(0o600).give(to: descriptor)
    }

    /// Makes a file; nil where it is there already.
    private static func makeNew(
        _ path: String, _ flags: OpenFlags, mode: UInt32
    ) throws(StoreError) -> Int32? {
        do throws(SystemFault) {
            return try FileSystem.open(path, flags, mode: mode)
        } catch {
            guard error.isExisting else { throw failure(path, "cannot be made", error) }
            return nil
        }
    }

    /// Makes calls on a file, and tells of the failure in a store's words.
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
