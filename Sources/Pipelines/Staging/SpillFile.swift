import Files

/// An unnamed file, which the system deletes when it is closed.
///
/// It is created by the first write. Later users overwrite it, so its disk space is reused.
final class SpillFile {
    private let folder: String
    private var descriptor: Int32 = -1

    init(in folder: String) {
        self.folder = folder
    }

    deinit {
        if descriptor >= 0 { FileSystem.close(descriptor) }
    }

    /// The size of the file in bytes.
    var size: Int64 {
        // Without a known size, the file counts as empty.
        descriptor < 0 ? 0 : Int64((try? FileStatus(of: descriptor))?.size ?? 0)
    }

    /// The free space on its disk in bytes.
    var freeBytes: Int64 { FileSystem.freeBytes(in: folder) ?? 0 }

    /// Writes bytes at a position.
    ///
    /// - Returns: Whether the write succeeded.
    func write(_ bytes: UnsafeRawBufferPointer, at position: Int64) -> Bool {
        do throws(SystemFault) {
            if descriptor < 0 {
                descriptor = try FileSystem.openUnnamed(in: folder, prefix: ".etl-sorted-")
            }
            try FileSystem.write(bytes, to: descriptor, at: position)
            return true
        } catch {
            return false
        }
    }

    /// Fills a buffer with the bytes at a position.
    func read(
        _ room: UnsafeMutableRawBufferPointer, at position: Int64
    ) throws(RunFailure) {
        let filled: Int
        do throws(SystemFault) {
            filled = try FileSystem.fill(room, from: descriptor, at: position)
        } catch {
            throw lost(error.text)
        }
        // The file is shorter than the written data.
        guard filled == room.count else { throw tooShort }
    }

    /// Returns the failure if the file ends before the data that was written to it.
    var tooShort: RunFailure { lost("its end is missing") }

    private func lost(_ reason: String) -> RunFailure {
        RunFailure(
            .ioError, code: "run.sort-lost",
            "Records that were spooled in \(folder) cannot be read back: \(reason)",
            fix: "check that disk, and run it again")
    }
}
