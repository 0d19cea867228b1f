import Diagnostics

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Copies of files, and second names where a file system knows them.
extension StoreFiles {
    private static let copiedBytes = 1 << 20

    /// Copies a folder with what is in it; nothing happens where there is none.
    ///
    /// - Parameter linking: gives the files a second name where the file system knows such; what is
    ///   there already stays. A file of that name is copied anew otherwise.
    static func copyFolder(
        _ folder: String, to target: String, linking: Bool = false
    ) throws(StoreError) {
        guard exists(folder) else { return }
        if mkdir(target, 0o700) == 0 {
            FileRights(of: folder)?.adding(0o700).give(toFile: target)
        } else if errno != EEXIST {
            throw failure(target, "cannot be made")
        }
        for name in names(in: folder) {
            let (from, to) = ("\(folder)/\(name)", "\(target)/\(name)")
            var status = stat()
            if lstat(from, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
                try copyFolder(from, to: to, linking: linking)
            } else if !linking {
                // It may be the second name of another store's file, which must stay as it is.
                try remove(to)
                try copyLarge(from, to: to)
            } else if !exists(to), !link(from, as: to) {
                try copyLarge(from, to: to)
            }
        }
        synchronizeFolder(of: "\(target)/.")
    }

    /// Copies a file of any size, a part at a time, and waits for the disk.
    static func copyLarge(_ path: String, to target: String) throws(StoreError) {
        let source = open(path, O_RDONLY | O_CLOEXEC)
        guard source >= 0 else { throw failure(path, "cannot be opened") }
        defer { close(source) }
        let copy = open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard copy >= 0 else { throw failure(target, "cannot be made") }
        defer { close(copy) }
        FileRights(of: path)?.give(to: copy)
        var buffer = [UInt8](repeating: 0, count: copiedBytes)
        while true {
            let count = readPart(source, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure(path, "cannot be read") }
            guard count > 0 else { break }
            var offset = 0
            while offset < count {
                let written = buffer.withUnsafeBytes { bytes in
                    writePart(copy, bytes.baseAddress.map { $0 + offset }, count - offset)
                }
                if written < 0, errno == EINTR { continue }
                guard written > 0 else { throw failure(target, "cannot be written") }
                offset += written
            }
        }
        guard fsync(copy) == 0 else { throw failure(target, "cannot be written") }
    }
}

// The system's calls, whose names the extensions have taken.
private func readPart(_ file: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
    read(file, buffer, count)
}

private func writePart(_ file: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
    write(file, buffer, count)
}
