import Diagnostics
import Digests
import Files
import GraphModel

/// What this module asks of open files and their names.
enum FileDescriptor {
    /// Opens a file to write at its end, and makes it where it is missing.
    static func createForAppending(_ path: FileName) throws(SystemFault) -> Int32 {
        try FileSystem.open(path, [.writing, .creating, .appending], mode: 0o644)
    }

    /// Opens a file to see whether it is locked, as far as this user may.
    ///
    /// - Returns: the descriptor, or -1.
    static func openForLocking(_ path: String) -> Int32 {
        let flags: OpenFlags = [.withoutLink, .withoutWaiting]
        return (try? FileSystem.open(path, [.updating, flags]))
            ?? (try? FileSystem.open(path, [.reading, flags])) ?? -1
    }

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
    ) throws(SystemFault) -> Int {
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
    static func size(_ path: some FilePath) -> Int? {
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

    /// Removes a file; nothing happens where there is none.
    static func remove(_ path: some FilePath) { try? FileSystem.remove(path) }

    /// The names in a folder, without `.` and `..`; none where it cannot be read.
    static func names(in folder: FileName) -> [FileName] {
        (try? FileSystem.names(in: folder)) ?? []
    }

    /// Removes an empty folder; nothing happens where there is none.
    static func removeFolder(_ path: FileName) { try? FileSystem.removeFolder(path) }

    /// Makes the names in a folder of rejects durable, where its file system can.
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
        defer { FileSystem.close(descriptor) }
        return head(descriptor)
    }

    /// SHA-256 over what files hold; those that are missing hold nothing.
    ///
    /// - Parameter ignored: bytes at the beginning of the files that do not count.
    /// - Returns: nil where one cannot be read.
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

    /// Which file a path leads to, whatever its name; nil where there is none.
    static func identity(_ path: FileName) -> [UInt64]? {
        (try? FileStatus(of: path)).map { [$0.device, $0.inode] }
    }

    /// The size of what is a regular file now, in bytes.
    static func fileSize(_ path: some FilePath) -> Int? {
        guard let status = try? FileStatus(of: path), status.kind == .file else { return nil }
        return status.size
    }

    /// The path without links; nil where it leads to nothing, or is not UTF-8.
    static func resolved(_ path: String) -> String? { FileSystem.resolved(path)?.exactText }
}

extension SystemFault {
    /// The kind of a run's failure that it ends: what the user may not do, and what has run out, are
    /// told as such.
    func kind(else kind: FaultKind) -> FaultKind {
        [.permission, .resources].contains(self.kind) ? self.kind : kind
    }
}
