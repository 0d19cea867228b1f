#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Pipes to and from other processes.
extension FileSystem {
    /// Makes a pipe that no other process gets unless it is given to it.
    package static func makePipe() throws(SystemFault) -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .last }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    /// Makes writes to a pipe return where they would wait for its reader.
    package static func writeWithoutWaiting(to descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }

    /// Writes as much as a pipe takes that was told not to wait.
    ///
    /// - Parameter milliseconds: how long to wait for its reader at most.
    /// - Returns: how many bytes; 0 where the reader took none meanwhile.
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
