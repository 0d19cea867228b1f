import Files

/// A file without a name, which is gone with whoever has it open.
///
/// It is made when it is first written, and written over by each who uses it: what it has of the
/// disk need not be found again.
final class SpillFile {
    private let folder: String
    private var descriptor: Int32 = -1

    init(in folder: String) {
        self.folder = folder
    }

    deinit {
        if descriptor >= 0 { FileSystem.close(descriptor) }
    }

    /// What it takes of its disk, in bytes.
    var size: Int64 { descriptor < 0 ? 0 : FileDescriptor.size(descriptor) }

    /// What is free of its disk, in bytes.
    var freeBytes: Int64 { FileDescriptor.freeBytes(in: folder) ?? 0 }

    /// Writes bytes at a place.
    ///
    /// - Returns: whether that succeeded.
    func write(_ bytes: UnsafeRawBufferPointer, at position: Int64) -> Bool {
        if descriptor < 0 {
            descriptor = FileDescriptor.createUnnamed(in: folder, prefix: ".etl-sorted-")
        }
        return descriptor >= 0 && FileDescriptor.writeAll(bytes, to: descriptor, at: position)
    }

    /// Fills a room with the bytes from a place on.
    func read(
        _ room: UnsafeMutableRawBufferPointer, at position: Int64
    ) throws(RunFailure) {
        var filled = 0
        while filled < room.count {
            let count: Int
            do throws(SystemFault) {
                count = try FileDescriptor.read(
                    descriptor, into: UnsafeMutableRawBufferPointer(rebasing: room[filled...]),
                    at: position + Int64(filled))
            } catch {
                throw lost(error.text)
            }
            // There is less than was written.
            guard count > 0 else { throw lost("its end is gone") }
            filled += count
        }
    }

    private func lost(_ reason: String) -> RunFailure {
        RunFailure(
            .ioError, code: "run.sort-lost",
            "Records that were spooled in \(folder) cannot be read back: \(reason)",
            fix: "check that disk, and run it again")
    }
}
