#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Why a file could not be read.
struct YAMLFileError: Error {
    var number: Int32

    var isMissing: Bool { number == ENOENT || number == ENOTDIR }

    /// The stable code of the problem.
    var code: String {
        switch number {
        case ENOENT, ENOTDIR: "file.missing"
        case EACCES, EPERM: "file.permission"
        case EMFILE, ENFILE, ENOMEM: "file.resources"
        default: "file.unreadable"
        }
    }

    var message: String {
        isMissing
            ? "The file does not exist"
            : "The file cannot be read: \(String(cString: strerror(number)))"
    }
}

/// Reads small files whole.
enum YAMLFile {
    /// The file's bytes, but no more than one beyond the limit.
    static func read(_ path: String, bytesMax: Int) throws(YAMLFileError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw YAMLFileError(number: errno) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while bytes.count <= bytesMax {
            let wanted = min(chunk.count, bytesMax + 1 - bytes.count)
            let got = systemRead(descriptor, &chunk, wanted)
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw YAMLFileError(number: errno) }
            if got == 0 { break }
            bytes.append(contentsOf: chunk[..<got])
        }
        return bytes
    }

    private static func systemRead(
        _ descriptor: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int
    ) -> Int {
        #if canImport(Darwin)
            Darwin.read(descriptor, buffer, count)
        #elseif canImport(Musl)
            Musl.read(descriptor, buffer, count)
        #else
            Glibc.read(descriptor, buffer, count)
        #endif
    }
}
