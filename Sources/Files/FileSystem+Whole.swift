/// Whole files and folders, by the calls on their parts.
extension FileSystem {
    private static let partBytes = 1 << 18

    /// The bytes of a file, or no more than the first so many.
    package static func contents(
        _ path: UnsafePointer<CChar>, first limit: Int = .max
    ) throws(FileFailure) -> [UInt8] {
        let descriptor = try open(path, .reading)
        defer { close(descriptor) }
        return try contents(of: descriptor, first: limit)
    }

    /// The bytes of an open file from where it stands, or no more than so many.
    package static func contents(
        of descriptor: Int32, first limit: Int = .max
    ) throws(FileFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: min(limit, partBytes))
        while bytes.count < limit {
            let wanted = min(part.count, limit - bytes.count)
            let count = try fill(&part, wanted, from: descriptor)
            guard count > 0 else { break }
            bytes.append(contentsOf: part[..<count])
        }
        return bytes
    }

    private static func fill(
        _ part: inout [UInt8], _ wanted: Int, from descriptor: Int32
    ) throws(FileFailure) -> Int {
        let result = part.withUnsafeMutableBytes { room -> Result<Int, FileFailure> in
            Result { () throws(FileFailure) in
                try read(descriptor, into: UnsafeMutableRawBufferPointer(rebasing: room[..<wanted]))
            }
        }
        return try result.get()
    }

    /// Writes all bytes where the descriptor stands, or from a place on.
    package static func write(
        _ bytes: [UInt8], to descriptor: Int32, at place: Int64? = nil
    ) throws(FileFailure) {
        let result = bytes.withUnsafeBytes { all -> Result<Void, FileFailure> in
            Result { () throws(FileFailure) in try write(all, to: descriptor, at: place) }
        }
        try result.get()
    }

    /// Copies what is left of an open file to another, a part at a time.
    package static func copy(_ source: Int32, to target: Int32) throws(FileCopyFailure) {
        var part = [UInt8](repeating: 0, count: partBytes * 4)
        while true {
            let count: Int
            do throws(FileFailure) {
                count = try fill(&part, part.count, from: source)
            } catch {
                throw .reading(error)
            }
            guard count > 0 else { return }
            let written = part.withUnsafeBytes { all -> Result<Void, FileFailure> in
                Result { () throws(FileFailure) in
                    try write(UnsafeRawBufferPointer(rebasing: all[..<count]), to: target)
                }
            }
            if case .failure(let failure) = written { throw .writing(failure) }
        }
    }

    /// Writes a file anew as a whole: beside its place first, then moved there.
    ///
    /// Its mode stays; a link stays a link. Nothing is waited for.
    package static func replace(_ path: String, with bytes: [UInt8]) throws(FileFailure) {
        let target = resolve(path).map(text) ?? path
        let mode = (try? FileStatus(of: target))?.mode
        let temporary = "\(target).new-\(SystemProcess.number)"
        let descriptor = try open(
            temporary, [.writing, .creating, .emptying], mode: mode == nil ? 0o666 : 0o600)
        do throws(FileFailure) {
            do throws(FileFailure) {
                if let mode { try setMode(mode, of: descriptor) }
                try write(bytes, to: descriptor)
            } catch {
                close(descriptor)
                throw error
            }
            try closeWritten(descriptor)
            try rename(temporary, to: target)
        } catch {
            // What cannot be removed is written over by the next of this name.
            try? remove(temporary)
            throw error
        }
    }

    /// Makes the names in a folder durable, where its file system can, and this user may.
    package static func synchronizeFolder(_ path: UnsafePointer<CChar>) throws(FileFailure) {
        do throws(FileFailure) {
            let descriptor = try open(path, .reading)
            defer { close(descriptor) }
            try synchronize(descriptor)
        } catch {
            if !error.isUnsupported, !error.isPermission { throw error }
        }
    }

    /// Makes a folder, and those above it, where they are missing.
    ///
    /// - Parameter isDurable: what is made durable in the folder is to be found after a loss of
    ///   power, and so is the folder itself.
    package static func makeFolders(
        _ path: String, isDurable: Bool = false
    ) throws(FileFailure) {
        guard !isFolder(path) else { return }
        let slash = trimmed(path).lastIndex(of: "/")
        let parent = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        do throws(FileFailure) {
            try makeFolder(path)
        } catch {
            if error.isNoEntry, parent != "/", parent != "." {
                try makeFolders(parent, isDurable: isDurable)
                return try makeFolders(path, isDurable: isDurable)
            }
            // Somebody else may be at it, too.
            if !isFolder(path) { throw error }
        }
        if isDurable { try synchronizeFolder(parent) }
    }

    private static func trimmed(_ path: String) -> Substring {
        var path = path[...]
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }

    /// Removes a file, or a folder with what is in it.
    package static func removeAll(_ path: String) throws(FileFailure) {
        guard try FileStatus(of: path, followingLinks: false).kind == .folder else {
            return try remove(path)
        }
        for name in try names(in: path) { try removeAll("\(path)/\(name)") }
        try removeFolder(path)
    }

    /// The names in a folder, in no order.
    package static func names(in folder: UnsafePointer<CChar>) throws(FileFailure) -> [String] {
        var names: [String] = []
        try list(folder) { names.append(String(cString: $0)) }
        return names
    }

    /// Whether a path leads to a folder.
    package static func isFolder(_ path: UnsafePointer<CChar>) -> Bool {
        (try? FileStatus(of: path))?.kind == .folder
    }

    /// The path without links; nil where it leads to nothing.
    package static func resolved(_ path: UnsafePointer<CChar>) -> String? {
        resolve(path).map(text)
    }

    private static func text(_ bytes: [CChar]) -> String {
        String(decoding: bytes.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// Which side of a copy failed.
package enum FileCopyFailure: Error {
    case reading(FileFailure)
    case writing(FileFailure)
}
