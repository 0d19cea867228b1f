package import Files

/// A database file that no connection of this process has open.
package final class FileStorage: PageStorage {
    private let descriptor: Int32

    /// Opens an existing file.
    package init(_ path: FileName) throws(PageFault) {
        do throws(SystemFault) {
            descriptor = try FileSystem.open(path, .updating)
        } catch {
            throw .system(error.number)
        }
    }

    deinit { FileSystem.close(descriptor) }

    /// Fills a buffer with the bytes at an offset.
    package func read(
        _ room: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(PageFault) {
        let filled: Int
        do throws(SystemFault) {
            filled = try FileSystem.fill(room, from: descriptor, at: offset)
        } catch {
            throw .system(error.number)
        }
        guard filled == room.count else { throw .unsuitable("the file lost its end") }
    }

    /// Writes bytes at an offset.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(PageFault) {
        do throws(SystemFault) {
            try FileSystem.write(bytes, to: descriptor, at: offset)
        } catch {
            throw .system(error.number)
        }
    }

    /// Waits until the written bytes are on the disk.
    package func synchronize() throws(PageFault) {
        do throws(SystemFault) {
            try FileSystem.synchronize(descriptor)
        } catch {
            throw .system(error.number)
        }
    }
}
