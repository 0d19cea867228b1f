#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Pipes between processes.
extension FileSystem {
    /// Creates a pipe that other processes do not inherit.
    package static func makePipe() throws(SystemFault) -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .last }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    /// Makes the write end of a pipe non-blocking.
    package static func writeWithoutWaiting(to descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }

    /// Writes as many bytes as a non-blocking pipe accepts.
    ///
    /// - Parameter milliseconds: the maximum time to wait for the reader.
    /// - Returns: the number of bytes written; 0 if the reader made no space in that time.
    package static func writeSome(
        _ bytes: UnsafeRawBufferPointer, toPipe descriptor: Int32, waiting milliseconds: Int32
    ) throws(SystemFault) -> Int {
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&request, 1, milliseconds) > 0 else { return 0 }
        let count = systemWrite(descriptor, bytes.baseAddress, bytes.count)
        if count >= 0 { return count }
        switch errno {
        case EINTR, EAGAIN: return 0
        default: throw .last
        }
    }
}
