import Files
import Foundation
import Testing

@testable import RecordStreams

/// A pipe delivers the bytes that have arrived, without waiting for a full chunk.
@Suite("Slow pipes") struct SlowPipeTests {
    private let folder: TemporaryFolder
    private let path: String
    private let descriptor: Int32

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path + "/pipe"
        #expect(mkfifo(path, 0o600) == 0)
        // Opened for reading and writing, so that neither side waits for the other to open it.
        descriptor = open(path, O_RDWR)
        #expect(descriptor >= 0)
    }

    private func send(_ bytes: [UInt8]) {
        #expect(write(descriptor, bytes, bytes.count) == bytes.count)
    }

    private func reader(
        _ format: RecordFormat, at field: FieldPath = FieldPath(name: "a"),
        _ change: (inout ReadOptions) -> Void = { _ in }
    ) throws -> RecordReader {
        var options = ReadOptions()
        options.format = format
        change(&options)
        return try RecordReader(
            input: InputFile(path: FileName(path), byteCount: 0), options: options,
            selection: FieldSelection([field]))
    }

    /// Returns the records of the next batch.
    private func next(_ reader: RecordReader) throws -> [String] {
        let batch = RecordBatch()
        guard try reader.next(batch) else { return ["end"] }
        return (0..<batch.count).map { batch.fields(of: $0)[0].text }
    }

    @Test(arguments: [
        (RecordFormat.ndjson, ["{\"a\":1}\n{\"a", "\":2}\n", "{\"a\":3}\n{\"a\":4}\n"]),
        (.csv, ["a,b\n1,x\n2", ",y\n", "3,z\n4,z\n"]),
        (.json, ["[{\"a\":1},{\"a", "\":2},", "{\"a\":3},{\"a\":4}]"]),
    ])
    func deliversRecordsAsTheyArrive(format: RecordFormat, parts: [String]) throws {
        send(Array(parts[0].utf8))
        let reader = try reader(format)
        #expect(try next(reader) == ["1"])
        send(Array(parts[1].utf8))
        #expect(try next(reader) == ["2"])
        send(Array(parts[2].utf8))
        #expect(try next(reader) == ["3", "4"])
        close(descriptor)
        #expect(try next(reader) == ["end"])
    }

    @Test func deliversTheRecordAfterAQuoteInsideAField() throws {
        send(Array("5\" disk,x\n1,y\n".utf8))
        let reader = try reader(.csv) {
            $0.header = false
            $0.columns = ["a", "b"]
        }
        #expect(try next(reader) == ["1"])
        close(descriptor)
    }

    /// A large record is delivered even if its last part is small and nothing follows.
    @Test func deliversALargeRecordWithin4MiBOfMemory() throws {
        let escapes = String(repeating: "\\n", count: 500)
        let values = Array(repeating: "\"\(escapes)\"", count: 2000).joined(separator: ",")
        let bytes = Array("[{\"a\":[\(values)]}".utf8)
        let descriptor = descriptor
        DispatchQueue.global().async {
            for start in stride(from: 0, to: bytes.count, by: 1000) {
                let part = Array(bytes[start..<min(start + 1000, bytes.count)])
                _ = write(descriptor, part, part.count)
            }
        }
        let reader = try reader(.json, at: FieldPath(parsing: "a[*]"))
        let batch = RecordBatch()
        #expect(try reader.next(batch))
        #expect(batch.fields(of: 0)[0].count == 2000)
        // The unescaped text has one million bytes.
        #expect(batch.arena.byteCount <= 4 << 20)
        close(descriptor)
    }

    @Test func deliversInflatedRecordsAsTheyArrive() throws {
        func block(_ text: String) -> [UInt8] {
            let count = UInt8(text.utf8.count)
            return [0, count, 0, ~count, 0xFF] + Array(text.utf8)
        }
        send([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] + block("{\"a\":1}\n"))
        let reader = try reader(.ndjson)
        #expect(try next(reader) == ["1"])
        send(block("{\"a\":2}\n"))
        #expect(try next(reader) == ["2"])
        close(descriptor)
        #expect(throws: RecordStreamError.self) { try next(reader) }
    }
}
