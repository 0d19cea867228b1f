import Diagnostics
import Files

/// A file that grows at its end and is made durable on request; open only while it is written.
final class AppendedFile {
    private static let bufferMax = 1 << 20

    let path: FileName
    /// Bytes written, those that wait to be included.
    private(set) var length: Int
    private var buffer: [UInt8] = []
    private var isDurable: Bool

    /// - Parameter length: bytes of the file that stay, where it is there already.
    init(_ path: FileName, length: Int = 0) {
        self.path = path
        self.length = length
        // Whoever wrote what is there may have ended before it was durable.
        isDurable = length == 0
    }

    var isFull: Bool { buffer.count >= Self.bufferMax }
    var waitingBytes: Int { buffer.count }

    func write(_ bytes: [UInt8]) {
        buffer.append(contentsOf: bytes)
        length += bytes.count
        isDurable = false
    }

    /// Makes the file, or cuts off what it got after the bytes that stay.
    func make() throws {
        let isLonger = FileDescriptor.size(path) ?? 0 > length - buffer.count
        try withHandle { handle in
            FileDescriptor.cut(handle, to: length - buffer.count)
                && (!isLonger || FileDescriptor.synchronize(handle))
        }
    }

    func flush() throws {
        try withHandle(isWhole: true) { handle in FileDescriptor.writeAll(buffer, to: handle) }
        // Of thousands of files each would keep what it needed once.
        buffer = []
    }

    func synchronize() throws {
        guard !isDurable else { return }
        try withHandle(isWhole: true) { handle in
            FileDescriptor.writeAll(buffer, to: handle) && FileDescriptor.synchronize(handle)
        }
        buffer = []
        isDurable = true
    }

    /// - Parameter isWhole: the file must hold what was written to it so far.
    private func withHandle(isWhole: Bool = false, _ use: (Int32) -> Bool) throws {
        guard !isWhole || FileDescriptor.size(path) == length - buffer.count else {
            throw RunFailure(
                .cannotCreate, code: "rejects.file",
                "Another process changed \(path)",
                fix: "leave the files of a run alone until it ends, and run it again")
        }
        let handle: Int32
        do throws(SystemFault) {
            handle = try FileDescriptor.createForAppending(path)
        } catch {
            throw RunFailure(
                Fault(.output, error.isExhausted ? .resources : .notCreated),
                code: "rejects.file",
                "The file \(path) cannot be made: \(error.text)",
                fix: "check the folder's permissions, or set `rejects.dir`")
        }
        defer { FileSystem.close(handle) }
        guard use(handle) else {
            throw RunFailure(
                .cannotCreate, code: "rejects.file", "The file \(path) cannot be written",
                fix: "make room on the disk, or set `rejects.dir`")
        }
    }
}
