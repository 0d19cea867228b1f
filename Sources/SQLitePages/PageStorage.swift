/// The database file to which pages are written.
///
/// In a file that SQLite has open, use SQLite's own methods for it
/// (https://www.sqlite.org/c3ref/io_methods.html): closing a second descriptor of the file would
/// release the locks of this process (https://www.sqlite.org/howtocorrupt.html, section 2.2).
/// Each call transfers at most 64 KiB.
package protocol PageStorage {
    /// Fills a buffer with the bytes at an offset.
    func read(_ room: UnsafeMutableRawBufferPointer, at offset: Int64) throws(PageFault)
    /// Writes bytes at an offset, which may be past the end.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(PageFault)
    /// Waits until the written bytes are on the disk.
    func synchronize() throws(PageFault)
}

extension PageStorage {
    /// Reads a page into a new array.
    func page(_ number: UInt32) throws(PageFault) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: PageFormat.pageBytes)
        let result = bytes.withUnsafeMutableBytes { room in
            Result { () throws(PageFault) in try read(room, at: Self.offset(of: number)) }
        }
        try result.get()
        return bytes
    }

    func write(page bytes: [UInt8], at number: UInt32) throws(PageFault) {
        let result = bytes.withUnsafeBytes { all in
            Result { () throws(PageFault) in try write(all, at: Self.offset(of: number)) }
        }
        try result.get()
    }

    static func offset(of page: UInt32) -> Int64 {
        (Int64(page) - 1) * Int64(PageFormat.pageBytes)
    }
}
