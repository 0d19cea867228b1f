#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Where a failure comes from.
package enum FaultOrigin: Sendable, Hashable, CaseIterable {
    /// The content of an input.
    case inputData
    /// Opening or reading an input.
    case input
    /// An output, a reject file, a report, or another file that a run writes.
    case output
    /// The store and the files next to it.
    case store
    /// The spec, its parameters, the model, or a flag.
    case spec
    /// etl itself, or the resources that the system gives it.
    case program
}

/// What kind of failure it is.
package enum FaultKind: Sendable, Hashable, CaseIterable {
    /// The content is wrong, or a guard refused it.
    case invalid
    /// There is no such file.
    case missing
    /// The file cannot be made.
    case notCreated
    /// Reading or writing failed, or the disk is full.
    case inputOutput
    /// The user may not.
    case permission
    /// Memory, threads, or descriptors ran out.
    case resources
    /// Another process is in the way; trying later may help.
    case busy
    /// A flag or an argument is wrong.
    case usage

    /// The kind of a failed system call.
    package init(systemError number: Int32) {
        self =
            switch number {
            case ENOENT, ENOTDIR: .missing
            case EACCES, EPERM, EROFS: .permission
            // A thread that cannot be made is `EAGAIN`.
            case EMFILE, ENFILE, ENOMEM, EAGAIN: .resources
            case EISDIR, ELOOP, ENAMETOOLONG, EINVAL, ENXIO, ENODEV: .invalid
            default: .inputOutput
            }
    }
}

/// The origin and the kind of a failure, from which the exit status follows.
package struct Fault: Sendable, Hashable {
    /// Where it comes from.
    package var origin: FaultOrigin
    /// What kind of failure it is.
    package var kind: FaultKind

    /// Makes a fault.
    package init(_ origin: FaultOrigin, _ kind: FaultKind) {
        self.origin = origin
        self.kind = kind
    }

    /// The fault that decides how a command ends, whatever else is wrong: one that the user cannot
    /// correct in a file; nil if there is none.
    package static func deciding(among faults: [Fault]) -> Fault? {
        let order: [FaultKind] = [.permission, .resources, .inputOutput]
        return order.lazy.compactMap { kind in faults.first { $0.kind == kind } }.first
    }
}

/// A system call that failed.
package struct SystemFault: Error, Sendable, Hashable {
    /// The value of `errno`.
    package let number: Int32

    /// Makes the failure of an `errno`.
    package init(number: Int32) { self.number = number }

    /// The failure of the last call on this thread.
    package static func current() -> SystemFault { SystemFault(number: errno) }

    /// The kind of failure.
    package var kind: FaultKind { FaultKind(systemError: number) }
    /// The system's words.
    package var reason: String { String(cString: strerror(number)) }
    /// The name is longer than the system accepts.
    package var isTooLong: Bool { number == ENAMETOOLONG }

    /// The stable code for a file that cannot be read.
    package var code: String {
        switch kind {
        case .missing: "file.missing"
        case .permission: "file.permission"
        case .resources: "file.resources"
        default: "file.unreadable"
        }
    }

    /// What is said of a file of the spec that cannot be read.
    package func diagnostic(reading path: String) -> Diagnostic {
        Diagnostic(
            code: code,
            kind == .missing
                ? "The file does not exist" : "The file cannot be read: \(reason)",
            at: .file(path), fault: Fault(.spec, kind))
    }
}

/// Reads small files completely.
package enum SmallFile {
    /// Returns the bytes of a file, but at most one more than the limit.
    package static func read(
        _ path: String, bytesMax: Int = .max - 1
    ) throws(SystemFault) -> [UInt8] {
        try read(FileName(path), bytesMax: bytesMax)
    }

    /// Returns the bytes of a file, but at most one more than the limit.
    package static func read(
        _ path: FileName, bytesMax: Int = .max - 1
    ) throws(SystemFault) -> [UInt8] {
        let descriptor = open(path.cString, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .current() }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while bytes.count <= bytesMax {
            let wanted = min(chunk.count, bytesMax + 1 - bytes.count)
            let got = systemRead(descriptor, &chunk, wanted)
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw .current() }
            if got == 0 { break }
            bytes.append(contentsOf: chunk[..<got])
        }
        return bytes
    }
}

// The system's call, whose name the reader has taken.
private func systemRead(
    _ descriptor: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int
) -> Int {
    read(descriptor, buffer, count)
}
