import Diagnostics
import Files

/// A file that grows at its end and can be synced on request.
///
/// It is open only during a write.
final class AppendedFile {
    private static let bufferMax = 1 << 20

    let path: FileName
    /// The length in bytes, including buffered bytes.
    private(set) var length: Int
    private var buffer: [UInt8] = []
    private var isDurable: Bool

    /// Describes a file; `make()` creates it, or truncates an existing one.
    ///
    /// - Parameter length: The number of bytes to keep if the file exists.
    init(_ path: FileName, length: Int = 0) {
        self.path = path
        self.length = length
        // The process that wrote the existing bytes may have ended before it synced them.
        isDurable = length == 0
    }

    var isFull: Bool { buffer.count >= Self.bufferMax }
    var bufferedBytes: Int { buffer.count }

    func write(_ bytes: [UInt8]) {
        buffer.append(contentsOf: bytes)
        length += bytes.count
        isDurable = false
    }

    /// Creates the file, or truncates it to the bytes to keep.
    func make() throws {
        let isLonger = FileDescriptor.size(path) ?? 0 > length - buffer.count
        try withHandle { handle throws(SystemFault) in
            try FileSystem.truncate(handle, to: Int64(length - buffer.count))
            if isLonger { try FileSystem.synchronize(handle) }
        }
    }

    func flush() throws {
        try flush(isDurable: false)
    }

    func synchronize() throws {
        guard !isDurable else { return }
        try flush(isDurable: true)
        isDurable = true
    }

    private func flush(isDurable: Bool) throws {
        // The file must have exactly the bytes written to it so far.
        guard FileDescriptor.size(path) == length - buffer.count else {
            throw RunFailure(
                .cannotCreate, code: "rejects.file",
                "Another process changed \(path)",
                fix: "leave the files of a run alone until it ends, and run it again")
        }
        try withHandle { handle throws(SystemFault) in
            try FileSystem.write(buffer, to: handle)
            if isDurable { try FileSystem.synchronize(handle) }
        }
        // Free the memory: there may be thousands of files.
        buffer = []
    }

    private func withHandle(_ use: (Int32) throws(SystemFault) -> Void) throws {
        let handle: Int32
        do throws(SystemFault) {
            handle = try FileDescriptor.createForAppending(path)
        } catch {
            throw RunFailure(
                Fault(.output, error.kind(else: .notCreated)), code: "rejects.file",
                "The file \(path) cannot be created: \(error.text)",
                fix: error.isFull
                    ? Self.fixOfFullDisk : "check the folder's permissions, or set `rejects.dir`")
        }
        defer { FileSystem.close(handle) }
        do throws(SystemFault) {
            try use(handle)
        } catch {
            throw RunFailure(
                Fault(.output, error.kind(else: .inputOutput)), code: "rejects.file",
                "The file \(path) cannot be written: \(error.text)", fix: Self.fixOfFullDisk)
        }
    }

    private static let fixOfFullDisk = "free disk space, or set `rejects.dir`"
}
