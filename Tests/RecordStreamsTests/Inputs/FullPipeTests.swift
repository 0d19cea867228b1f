import Files
import Foundation
import Synchronization
import Testing

@testable import RecordStreams

/// Writes to a pipe wait for its reader, even if the pipe is non-blocking.
@Suite("Full pipes") struct FullPipeTests {
    @Test func nonblockingWriterWritesAllBytesToAFullPipe() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/pipe"
        #expect(mkfifo(path, 0o600) == 0)
        // Opened for reading and writing, so that neither side waits for the other to open it.
        let reader = open(path, O_RDWR)
        let writer = open(path, O_WRONLY | O_NONBLOCK)
        #expect(reader >= 0 && writer >= 0)
        // More bytes than a pipe can hold.
        let bytes = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let count = bytes.count
        let received = Mutex<[UInt8]>([])
        let isDone = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            var all: [UInt8] = []
            var room = [UInt8](repeating: 0, count: 1 << 12)
            while all.count < count {
                let length = read(reader, &room, 1 << 12)
                guard length > 0 else { break }
                all += room[..<length]
            }
            received.withLock { $0 = all }
            isDone.signal()
        }
        try bytes.withUnsafeBytes { try FileSystem.write($0, to: writer) }
        isDone.wait()
        #expect(received.withLock { $0 } == bytes)
        close(writer)
        close(reader)
    }
}
