internal import Diagnostics
internal import Files

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The few calls to the operating system that this target makes, in one place.
///
/// Those on files are in `FileSystem`, with what this target asks of them.
package enum Platform {
    /// What `stat` says about a name.
    enum NodeKind {
        case file, folder, other
    }

    /// A failed call.
    typealias Failure = SystemFault

    static let standardInput: Int32 = 0
    static let standardOutput: Int32 = 1

    static func openForReading(_ path: FileName) throws(Failure) -> Int32 {
        try FileSystem.open(path, .reading)
    }

    /// Opens what may be a pipe that nobody writes into yet, without waiting for that: `mustWait`
    /// tells when somebody has.
    ///
    /// Linux alone tells a pipe that nobody has opened from one that everybody has closed.
    static func openStream(_ path: FileName) throws(Failure) -> Int32 {
        #if os(Linux)
            try FileSystem.open(path, [.reading, .withoutWaiting])
        #else
            try openForReading(path)
        #endif
    }

    /// Makes a file that must not exist yet.
    ///
    /// - Parameter rights: those of the file whose place it is to take; nil leaves them to the
    ///   process's mask.
    static func createNew(_ path: FileName, with rights: FileRights?) throws(Failure) -> Int32 {
        let descriptor = try FileSystem.open(
            path, [.writing, .new], mode: rights == nil ? 0o666 : 0o600)
        rights?.give(to: descriptor)
        return descriptor
    }

    /// Whether the file has a size, so that reading never waits for somebody to write.
    static func isRegular(_ descriptor: Int32) -> Bool {
        (try? FileStatus(of: descriptor))?.kind == .file
    }

    /// Whether a read would wait for somebody to write, also after so many milliseconds.
    static func mustWait(_ descriptor: Int32, milliseconds: Int32 = 0) -> Bool {
        FileSystem.mustWait(descriptor, milliseconds: milliseconds)
    }

    static func closeFile(_ descriptor: Int32) {
        FileSystem.close(descriptor)
    }

    /// Closes a file that was written, where a late failure still counts.
    static func closeWritten(_ descriptor: Int32) throws(Failure) {
        try FileSystem.closeWritten(descriptor)
    }

    /// Bytes read, 0 at the end.
    static func readBytes(
        _ descriptor: Int32, into start: UnsafeMutableRawPointer, count: Int
    ) throws(Failure) -> Int {
        try FileSystem.read(
            descriptor, into: UnsafeMutableRawBufferPointer(start: start, count: count))
    }

    /// Writes all of the bytes.
    static func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) throws(Failure) {
        try FileSystem.write(bytes, to: descriptor)
    }

    /// Makes the file's bytes durable; what cannot be synchronised (a pipe, a device) is left.
    static func synchronize(_ descriptor: Int32) throws(Failure) {
        do throws(Failure) {
            try FileSystem.synchronize(descriptor)
        } catch {
            if !error.isUnsupported { throw error }
        }
    }

    /// Makes a rename inside the folder durable, where the file system can.
    static func synchronizeFolder(_ path: FileName) throws(Failure) {
        try FileSystem.synchronizeFolder(path.isEmpty ? "." : path)
    }

    static func renameFile(_ from: FileName, to: FileName) throws(Failure) {
        try FileSystem.rename(from, to: to)
    }

    static func removeFile(_ path: FileName) {
        try? FileSystem.remove(path)
    }

    /// The path without links, where it leads to something.
    static func resolved(_ path: FileName) -> FileName? {
        FileSystem.resolved(path)
    }

    static func status(
        _ path: FileName, followingLinks: Bool = true
    ) throws(Failure) -> (kind: NodeKind, size: Int) {
        let status = try FileStatus(of: path, followingLinks: followingLinks)
        switch status.kind {
        case .file: return (.file, status.size)
        case .folder: return (.folder, 0)
        default: return (.other, 0)
        }
    }

    /// The names in a folder, unsorted, without `.` and `..`.
    ///
    /// - Parameter hiddenOnly: only those that begin with a full stop.
    static func names(
        inFolder path: FileName, hiddenOnly: Bool = false
    ) throws(Failure) -> [FileName] {
        try FileSystem.names(in: path.isEmpty ? "." : path) { first in
            !hiddenOnly || first == UInt8(ascii: ".")
        }
    }

    static func processIdentifier() -> Int32 { SystemProcess.number }

    /// Whether a process of that number is there; one that is not ours counts as well.
    static func isRunning(_ process: Int32) -> Bool {
        SystemProcess.isRunning(process)
    }

    /// Processors that may run threads of this process now.
    package static func processorCount() -> Int {
        max(1, allowedProcessors() ?? sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    }

    /// The processors that this process is kept to; nil where the system does not tell.
    private static func allowedProcessors() -> Int? {
        guard let bytes = try? FileSystem.contents("/proc/self/status", first: 4096) else {
            return nil
        }
        let text = String(decoding: bytes, as: UTF8.self)
        // `Cpus_allowed:` and a mask, in hexadecimal.
        let line = text.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed:") }
        let digits = line?.dropFirst("Cpus_allowed:".count).compactMap(\.hexDigitValue)
        return digits.map { $0.reduce(0) { $0 + $1.nonzeroBitCount } }
    }
}

/// The first `byte` in the range, found by the C library's vector code.
@inline(__always)
func firstIndex(
    of byte: UInt8, from start: UnsafePointer<UInt8>, to end: UnsafePointer<UInt8>
) -> UnsafePointer<UInt8>? {
    guard let found = memchr(start, Int32(byte), end - start) else { return nil }
    return UnsafePointer(found.assumingMemoryBound(to: UInt8.self))
}

/// Whether two ranges of memory hold the same bytes.
@inline(__always)
func sameBytes(_ left: UnsafePointer<UInt8>, _ right: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    memcmp(left, right, count) == 0
}
