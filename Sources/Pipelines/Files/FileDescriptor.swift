import Diagnostics
import Digests
import Files
import GraphModel

/// File operations of this module, in addition to those of `FileSystem`.
enum FileDescriptor {
    /// Opens a file for appending, and creates it if it does not exist.
    static func createForAppending(_ path: FileName) throws(SystemFault) -> Int32 {
        try FileSystem.open(path, [.writing, .creating, .appending], mode: 0o644)
    }

    /// Opens a file to check whether it is locked, with write access if this user has it.
    ///
    /// - Returns: the descriptor, or -1 on failure.
    static func openForLocking(_ path: String) -> Int32 {
        let flags: OpenFlags = [.withoutLink, .withoutWaiting]
        // A file that cannot be opened cannot be checked; the caller needs no reason.
        return (try? FileSystem.open(path, [.updating, flags]))
            ?? (try? FileSystem.open(path, [.reading, flags])) ?? -1
    }

    /// The size of the file at a path; `nil` if it does not exist or cannot be read.
    static func size(_ path: some FilePath) -> Int? {
        (try? FileStatus(of: path))?.size
    }

    /// Returns a string that changes when a process writes to a store or to its write-ahead log.
    ///
    /// It is cheap, but also changes if the content stays the same.
    static func state(ofStore path: String) -> String {
        state(path) + " " + state(path + "-wal")
    }

    /// The inode, size, and modification time of a file, which change when it is written; empty if
    /// the file is empty, does not exist, or cannot be read.
    private static func state(_ path: String) -> String {
        guard let status = try? FileStatus(of: path), status.size > 0 else { return "" }
        return "\(status.inode):\(status.size):\(status.timeWritten)"
    }

    /// The modification time of a file in nanoseconds since 1970; 0 if it does not exist or
    /// cannot be read.
    static func timeWritten(_ path: String) -> Int64 {
        (try? FileStatus(of: path))?.timeWritten ?? 0
    }

    /// Removes a file if it exists; ignores errors.
    static func remove(_ path: some FilePath) { try? FileSystem.remove(path) }

    /// The names in a folder without `.` and `..`; empty if it cannot be read.
    static func names(in folder: FileName) -> [FileName] {
        (try? FileSystem.names(in: folder)) ?? []
    }

    /// Removes an empty folder if it exists; ignores errors.
    static func removeFolder(_ path: FileName) { try? FileSystem.removeFolder(path) }

    /// Flushes the entries of a folder of rejects to disk, if its file system supports that.
    static func synchronizeFolder(_ path: some FilePath) throws(RunFailure) {
        do throws(SystemFault) {
            try FileSystem.synchronizeFolder(path)
        } catch {
            throw RunFailure(
                Fault(.output, error.kind(else: .notCreated)), code: "rejects.file",
                "The folder \(path.fileName.displayText) cannot be synced to disk: \(error.text)",
                fix: "check that disk, and run it again")
        }
    }

    /// Replaces a file's content with a short text; ignores errors, because the text is only a hint.
    static func rewrite(_ descriptor: Int32, _ text: String) {
        try? FileSystem.truncate(descriptor, to: 0)
        try? FileSystem.write(Array(text.utf8), to: descriptor, at: 0)
    }

    /// The first bytes of a file as text.
    static func head(_ descriptor: Int32) -> String {
        let bytes = withUnsafeTemporaryAllocation(byteCount: 400, alignment: 1) { room in
            // An unreadable file has an empty head.
            room[..<((try? FileSystem.read(descriptor, into: room, at: 0)) ?? 0)].map { $0 }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The first bytes of the file at a path as text; `nil` if it cannot be opened.
    static func head(ofFile path: String) -> String? {
        // Do not wait for the writer of a pipe.
        guard let descriptor = try? FileSystem.open(path, [.reading, .withoutWaiting]) else {
            return nil
        }
        defer { FileSystem.close(descriptor) }
        return head(descriptor)
    }

    /// Returns the SHA-256 digest of files; a missing file counts as empty.
    ///
    /// - Parameter ignored: ranges at the start of each file that are treated as zeros.
    /// - Returns: `nil` if a file cannot be read.
    static func digest(_ paths: [String], ignoring ignored: [Range<Int>]) -> String? {
        var digest = ByteDigest()
        var chunk = [UInt8](repeating: 0, count: 1 << 20)
        for path in paths {
            do throws(SystemFault) {
                let descriptor = try FileSystem.open(path, .reading)
                defer { FileSystem.close(descriptor) }
                var isStart = true
                while true {
                    let count = try FileSystem.read(descriptor, into: &chunk)
                    if count == 0 { break }
                    if isStart {
                        for byte in ignored.joined() where byte < count { chunk[byte] = 0 }
                    }
                    isStart = false
                    chunk.withUnsafeBytes {
                        digest.add(UnsafeRawBufferPointer(rebasing: $0[..<count]))
                    }
                }
            } catch {
                guard error.isNoEntry else { return nil }
            }
        }
        return digest.value.hexText
    }

    /// The device and inode of the file at a path; `nil` if it does not exist or cannot be read.
    static func identity(_ path: FileName) -> [UInt64]? {
        (try? FileStatus(of: path)).map { [$0.device, $0.inode] }
    }

    /// The size of a regular file in bytes; `nil` for other kinds of file, and if it does not exist.
    static func fileSize(_ path: some FilePath) -> Int? {
        guard let status = try? FileStatus(of: path), status.kind == .file else { return nil }
        return status.size
    }

    /// Returns the path without symbolic links; `nil` if its target is missing or it is not UTF-8.
    static func resolved(_ path: String) -> String? { FileSystem.resolved(path)?.exactText }
}

extension SystemFault {
    /// Returns the kind of fault to report: permission faults, resource faults, and full disks keep
    /// their kind, and all others get the given kind.
    func kind(else kind: FaultKind) -> FaultKind {
        isFull || [.permission, .resources].contains(self.kind) ? self.kind : kind
    }
}
