import Diagnostics
import Foundation
import RecordStreams
import Synchronization
import Testing

/// A wait for the writer of a pipe ends when the reader is canceled.
@Suite("Waiting for pipes") struct StreamWaitTests {
    private static let cancelled = "The file cannot be read: Operation canceled"
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path + "/pipe"
        #expect(mkfifo(path, 0o600) == 0)
    }

    /// Returns all values of `a` in the pipe.
    ///
    /// - Parameter isCancelled: A check that is called while nothing can be read.
    private func values(isCancelled: @escaping @Sendable () -> Bool) throws -> [String] {
        var options = ReadOptions()
        options.format = .ndjson
        options.isCancelled = isCancelled
        let files = try InputFiles.expand(patterns: [path], baseFolder: "")
        #expect(files.map(\.isStream) == [true])
        let reader = try RecordReader(
            input: files[0], options: options, selection: FieldSelection([FieldPath(name: "a")]))
        let batch = RecordBatch()
        var values: [String] = []
        while try reader.next(batch) {
            values += (0..<batch.count).map { batch.fields(of: $0)[0].text }
        }
        return values
    }

    /// Returns the error message of a reader that waits twice and is then canceled.
    private func messageOfCancelled() -> String? {
        let waits = Atomic<Int>(0)
        let error = #expect(throws: RecordStreamError.self) {
            try values { waits.add(1, ordering: .relaxed).newValue > 2 }
        }
        return error?.diagnostic.message
    }

    #if os(Linux)
        @Test func cancelsWaitingForAPipeWithoutAWriter() {
            #expect(messageOfCancelled() == Self.cancelled)
            // No reader is left, except briefly in a process that another test starts.
            var (attempts, code) = (0, Int32(0))
            while code != ENXIO, attempts < 1000 {
                let writer = open(path, O_WRONLY | O_NONBLOCK)
                code = writer < 0 ? errno : 0
                if writer >= 0 { close(writer) }
                attempts += 1
                usleep(10_000)
            }
            #expect(code == ENXIO)
        }
    #endif

    @Test func cancelsWaitingForASilentWriter() {
        let writer = open(path, O_RDWR)
        let line = Array("{\"a\":1}\n".utf8)
        #expect(write(writer, line, line.count) == line.count)
        #expect(messageOfCancelled() == Self.cancelled)
        close(writer)
    }

    @Test(arguments: [("", []), ("{\"a\":1}\n{\"a\":2}", ["1", "2"])])
    func readsTheRecordsOfALateWriter(text: String, expected: [String]) throws {
        let path = path
        let hasWriter = Atomic<Bool>(false)
        let values = try values {
            // The reader is already waiting.
            if !hasWriter.exchange(true, ordering: .relaxed) {
                DispatchQueue.global().async {
                    let writer = open(path, O_WRONLY)
                    let bytes = Array(text.utf8)
                    _ = write(writer, bytes, bytes.count)
                    close(writer)
                }
            }
            return false
        }
        #expect(values == expected)
    }
}
