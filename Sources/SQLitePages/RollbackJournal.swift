import Files

/// A rollback journal (section 3) of the pages that are about to change.
///
/// While it exists and the process holds the database's locks, no other process uses the file. If
/// the process is killed, the next process that opens the database restores these pages and
/// truncates the file to its former size.
struct RollbackJournal {
    private static let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
    /// The size to which the header is padded.
    private static let sectorBytes = 512

    private let path: FileName

    /// Writes the journal, and waits until it is on the disk.
    ///
    /// - Parameters:
    ///   - path: the name of the database file, to which SQLite appends `-journal`.
    ///   - pages: the original pages by their numbers.
    ///   - pageCount: the number of pages of the database.
    init(of path: FileName, pages: [(number: UInt32, bytes: [UInt8])], pageCount: UInt32)
        throws(PageFault)
    {
        self.path = path.adding("-journal")
        let nonce = UInt32.random(in: 0 ... .max)
        var bytes = Self.magic
        for field in [
            UInt32(pages.count), nonce, pageCount, UInt32(Self.sectorBytes),
            UInt32(PageFormat.pageBytes),
        ] {
            bytes.append(big: field)
        }
        bytes += [UInt8](repeating: 0, count: Self.sectorBytes - bytes.count)
        for page in pages {
            bytes.append(big: page.number)
            bytes += page.bytes
            bytes.append(big: Self.checksum(of: page.bytes, nonce))
        }
        do throws(SystemFault) {
            try Self.write(bytes, self.path, for: path)
        } catch {
            throw .system(error.number)
        }
    }

    /// Writes the journal with the owner and the permissions of the database, as SQLite does.
    private static func write(
        _ bytes: [UInt8], _ path: FileName, for database: FileName
    ) throws(SystemFault) {
        let status = try FileStatus(of: database)
        // SQLite ignores and deletes a journal without pages or with a torn header.
        let file = try FileSystem.open(path, [.writing, .new], mode: 0o600)
        do throws(SystemFault) {
            // Only a privileged process can set another owner. The next line fails if it is needed.
            try? FileSystem.setOwner(status.owner, group: status.group, of: file)
            try FileSystem.setMode(status.mode, of: file)
            try FileSystem.write(bytes, to: file)
            try FileSystem.synchronize(file)
        } catch {
            FileSystem.close(file)
            // The database is unchanged, so SQLite would restore the same pages.
            try? FileSystem.remove(path)
            throw error
        }
        do throws(SystemFault) {
            try FileSystem.closeWritten(file)
            try synchronizeFolder(of: path)
        } catch {
            // The database is unchanged here, too.
            try? FileSystem.remove(path)
            throw error
        }
    }

    private static func synchronizeFolder(of path: FileName) throws(SystemFault) {
        let folder = try FileSystem.open(path.folder, .reading)
        defer { FileSystem.close(folder) }
        try FileSystem.synchronize(folder)
    }

    /// Sums every 200th byte from the end of the page.
    private static func checksum(of page: [UInt8], _ nonce: UInt32) -> UInt32 {
        stride(from: page.count - 200, to: 0, by: -200)
            .reduce(nonce) { $0 &+ UInt32(page[$1]) }
    }

    /// Deletes the journal, which commits the changes.
    func delete() throws(PageFault) {
        do throws(SystemFault) {
            try FileSystem.remove(path)
            try Self.synchronizeFolder(of: path)
        } catch {
            throw .system(error.number)
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(big value: UInt32) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }
}
