import Files
import TestSeeds
import Testing

@testable import RecordStreams

@Suite("Gzip") struct GzipTests {
    private static let text = "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n"

    /// Returns the CRC-32 of RFC 1952, computed bit by bit.
    private static func crc(_ bytes: some Sequence<UInt8>) -> UInt32 {
        ~bytes.reduce(~UInt32(0)) { crc, byte in
            (0..<8).reduce(crc ^ UInt32(byte)) { value, _ in
                value >> 1 ^ (value & 1 == 1 ? 0xEDB8_8320 : 0)
            }
        }
    }

    private static func word(_ value: UInt32) -> [UInt8] {
        [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    /// Returns a member whose data is one stored block.
    private static func member(
        _ text: String, flags: UInt8 = 0, optional: [UInt8] = [], badChecksum: Bool = false,
        badLength: Bool = false, headerChecksum: UInt16? = nil
    ) -> [UInt8] {
        let bytes = Array(text.utf8)
        var result: [UInt8] = [0x1F, 0x8B, 8, flags, 1, 2, 3, 4, 0, 3] + optional
        if flags & 2 != 0 {
            let checksum = headerChecksum ?? UInt16(truncatingIfNeeded: crc(result))
            result += [UInt8(truncatingIfNeeded: checksum), UInt8(checksum >> 8)]
        }
        let count = UInt16(bytes.count)
        result += [
            1, UInt8(count & 255), UInt8(count >> 8), ~UInt8(count & 255), ~UInt8(count >> 8),
        ]
        result += bytes
        result += word(crc(bytes) ^ (badChecksum ? 1 : 0))
        return result + word(UInt32(bytes.count) + (badLength ? 1 : 0))
    }

    private static func read(
        _ bytes: [UInt8], as name: String = "a.ndjson.gz", chunk: Int? = nil,
        _ change: (inout ReadOptions) -> Void = { _ in }
    ) throws -> String {
        let reading = try Reading.of(bytes, as: name, paths: ["a"], chunk: chunk, change)
        let values = reading.records.compactMap { $0.split(separator: "#").last.map(String.init) }
        return (values + [reading.error].compactMap { $0 }).joined(separator: " ")
    }

    @Test func readsEveryMember() throws {
        let parts =
            Self.member("{\"a\":1}\n{\"a\"") + Self.member("") + Self.member(":2}\n")
        for chunk in [1, 3, 10, 1 << 16] { #expect(try Self.read(parts, chunk: chunk) == "1 2") }
        #expect(try Self.read(parts, as: "a.ndjson") == "1 2")
        #expect(try Self.read(parts + Array(repeating: 0, count: 700)) == "1 2")
    }

    @Test func readsOptionalHeaderFields() throws {
        let optional: [UInt8] = [3, 0, 9, 9, 9] + Array("name\0comment\0".utf8)
        #expect(try Self.read(Self.member(Self.text, flags: 0x1F, optional: optional)) == "1 2 3")
    }

    @Test(
        arguments: [
            (member(text, flags: 0x20), "gzip.header"), (member(text, flags: 0x80), "gzip.header"),
            (member(text, flags: 2, headerChecksum: 7), "gzip.header"),
            ([0x1F, 0x8B, 7, 0, 0, 0, 0, 0, 0, 0], "gzip.header"),
            (Array(text.utf8), "gzip.header"), ([], "gzip.truncated"),
            (member(text, badChecksum: true), "1 2 3 gzip.crc"),
            (member(text, badLength: true), "1 2 3 gzip.length"),
            (member(text) + [1], "1 2 3 gzip.trailing"),
            (member(text) + [0x1F], "1 2 3 gzip.trailing"),
            (member(text) + [0, 0, 7], "1 2 3 gzip.trailing"),
            (member(text) + [0] + member(text), "1 2 3 gzip.trailing"),
            (member(text) + member(text, flags: 0x40), "1 2 3 gzip.header"),
            ([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0, 7], "gzip.data"),
        ] as [([UInt8], String)])
    func readsTheRecordsBeforeDamageAndThenReportsIt(bytes: [UInt8], expected: String) throws {
        #expect(try Self.read(bytes) == expected)
        #expect(try Self.read(bytes, chunk: 5) == expected)
    }

    @Test func reportsTruncationAtEveryByte() throws {
        let whole = Self.member(Self.text)
        for count in 0..<whole.count {
            let dataCount = max(0, min(count - 15, Self.text.utf8.count))
            let records = (0..<(dataCount / 8)).map { "\($0 + 1) " }.joined()
            #expect(try Self.read(Array(whole[..<count])) == records + "gzip.truncated", "\(count)")
        }
    }

    /// Returns a member whose extra field contains its size, as in blocked gzip.
    private static func block(
        _ text: String, sizeError: Int = 0, badChecksum: Bool = false
    ) -> [UInt8] {
        let size = 10 + 8 + 5 + text.utf8.count + 8 - 1 + sizeError
        let extra: [UInt8] = [
            6, 0, UInt8(ascii: "B"), UInt8(ascii: "C"), 2, 0, UInt8(size & 255), UInt8(size >> 8),
        ]
        return member(text, flags: 4, optional: extra, badChecksum: badChecksum)
    }

    /// Returns blocks of records, of all lengths up to the maximum, which end anywhere in a record,
    /// and the remaining records.
    private static func blocks(_ count: Int) -> (bytes: [[UInt8]], rest: String) {
        let numbers = 1...(10_000 + count * 3_000)
        let text = numbers.map { "{\"a\":\($0)}\n" }.joined()
        var rest = Substring(text)
        var bytes: [[UInt8]] = []
        for index in 0..<count {
            let piece = rest.prefix(index % 7 == 3 ? 0 : index * 997 % 65_000)
            bytes.append(block(String(piece)))
            rest = rest.dropFirst(piece.count)
        }
        return (bytes, String(rest))
    }

    @Test(arguments: [1, 4, 60]) func readsBlocksWithSizeFieldsInOrder(count: Int) throws {
        let (blocks, rest) = Self.blocks(count)
        // The next member has no size field, and the block after it does.
        let middle = rest.prefix(rest.count / 2)
        let bytes =
            blocks.joined() + Self.block("") + Self.member(String(middle.prefix(30_000)))
            + Self.block(String(middle.dropFirst(30_000).prefix(10))) + Self.block("")
        let plain = blocks.flatMap { Self.plain($0) } + Array(middle.utf8.prefix(30_010))
        let expected = try Self.read(plain, as: "a.ndjson")
        #expect(expected.count > 1_000)
        for (chunk, threads) in [(100, 1), (1 << 16, 0), (1 << 16, 2), (1 << 20, 3)] {
            let found = try Self.read(Array(bytes), chunk: chunk) { $0.inflatingThreads = threads }
            #expect(found == expected)
        }
    }

    /// Returns the bytes that a block holds.
    private static func plain(_ block: [UInt8]) -> ArraySlice<UInt8> {
        block.dropFirst(23).dropLast(8)
    }

    @Test(arguments: [
        (block("9}\n", badChecksum: true), "9 gzip.crc"),
        (Array(block("9}\n").dropLast(5)), "9 gzip.truncated"),
        // An impossible size makes the reader use the sequential method.
        (block("9}\n", sizeError: -3), "9"), (block("9}\n", sizeError: -1), "9 gzip.truncated"),
        (block("9}\n", sizeError: 2) + block("{\"a\":10}\n"), "9 10"),
        (block("9}\n") + [7], "9 gzip.trailing"),
    ])
    func readsTheBlocksBeforeDamageAndThenReportsIt(_ last: [UInt8], _ expected: String) throws {
        let good = (1...8).map { Self.block("\($0)}\n{\"a\":") }
        let bytes = Self.block("{\"a\":") + good.joined() + last
        let found = try Self.read(Array(bytes)) { $0.inflatingThreads = 2 }
        #expect(found == "1 2 3 4 5 6 7 8 " + expected)
    }

    /// Blocks that one thread inflates at once share one buffer.
    @Test(arguments: [(0, 0), (1, 1), (4, 1), (5, 2), (9, 3), (60, 7)])
    func allocatesOnlyTheBuffersThatItsBlocksNeed(count: Int, groups: Int) throws {
        let folder = try TemporaryFolder()
        let bytes = (0..<count).flatMap { Self.block("{\"a\":\($0)}\n") } + Self.member("")
        let input = try StoredInput(try folder.write(bytes, to: "a.ndjson.gz"))
        let members = try GzipMembers(input, maxRatio: 1000, threads: 3)
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var found: [UInt8] = []
        while let members {
            let length = try members.read(into: &buffer, count: buffer.count)
            if length == 0 { break }
            found += buffer.prefix(length)
        }
        #expect(members?.groupCount ?? 0 == groups)
        #expect(
            String(decoding: found, as: UTF8.self)
                == (0..<count).map { "{\"a\":\($0)}\n" }.joined())
    }

    @Test func followsTheCompressionOption() throws {
        #expect(try Self.read(Array(Self.text.utf8)) { $0.compression = .none } == "1 2 3")
        #expect(
            try Self.read(Array(Self.text.utf8), as: "a.ndjson") { $0.compression = .gzip }
                == "gzip.header")
        #expect(try Self.read(Self.member(Self.text), as: "a.ndjson") == "1 2 3")
    }

    @Test func unwrapsGzipOnce() throws {
        let folder = try TemporaryFolder()
        let inner = Self.member(Self.text)
        let output = try OutputFile(path: folder.path + "/a.ndjson.gz", gzipLevel: 6)
        try inner.withUnsafeBytes { try output.write($0) }
        _ = try output.finish(rowCount: 0)
        let source = try ByteSource(
            InputFile(path: FileName(folder.path + "/a.ndjson.gz"), byteCount: 0),
            compression: .auto)
        let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: 1000)
        defer { buffer.deallocate() }
        let count = try source.read(into: buffer, count: 1000)
        #expect(Array(UnsafeBufferPointer(start: buffer, count: count)) == inner)
    }

    @Test func stopsInflatingAGzipBomb() throws {
        let folder = try TemporaryFolder()
        let output = try OutputFile(path: folder.path + "/b.csv.gz", gzipLevel: 9)
        let zeros = [UInt8](repeating: UInt8(ascii: "\n"), count: 1 << 20)
        try zeros.withUnsafeBytes { bytes in
            for _ in 0..<80 { try output.write(bytes) }
        }
        let summary = try output.finish(rowCount: 0)
        let input = InputFile(
            path: FileName(folder.path + "/b.csv.gz"), byteCount: summary.byteCount)
        let source = try ByteSource(input, compression: .auto, maxRatio: 500)
        let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: 1 << 16)
        defer { buffer.deallocate() }
        var total = 0
        var code = ""
        do throws(RecordStreamError) {
            while true {
                let count = try source.read(into: buffer, count: 1 << 16)
                if count == 0 { break }
                total += count
            }
        } catch {
            code = error.code
        }
        #expect(code == "gzip.bomb")
        #expect(total < 66 << 20)
    }

    @Test(arguments: [0, 1, 6, 9]) func readsBackTheBytesItCompressed(level: Int) throws {
        let folder = try TemporaryFolder()
        var rows: [UInt8] = Array("a\n".utf8)
        var random = SeededGenerator(seed: 42)
        for _ in 0..<60_000 {
            rows += Array("\(random.next() >> 20)\n".utf8)
        }
        for name in ["x.csv.gz", "y.csv.gz"] {
            let output = try OutputFile(path: folder.path + "/" + name, gzipLevel: level)
            var rest = rows[...]
            while !rest.isEmpty {
                let piece = Array(rest.prefix(100_003))
                try piece.withUnsafeBytes { try output.write($0) }
                rest = rest.dropFirst(100_003)
            }
            _ = try output.finish(rowCount: 1)
        }
        let bytes = try folder.read("x.csv.gz")
        #expect(try bytes == folder.read("y.csv.gz"))
        #expect(Array(bytes[..<8]) == [0x1F, 0x8B, 8, 0, 0, 0, 0, 0] && bytes[9] == 255)
        let source = try ByteSource(
            InputFile(path: FileName(folder.path + "/x.csv.gz"), byteCount: 0), compression: .gzip)
        var back: [UInt8] = []
        let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: 1 << 16)
        defer { buffer.deallocate() }
        while case let count = try source.read(into: buffer, count: 1 << 16), count > 0 {
            back += UnsafeBufferPointer(start: buffer, count: count)
        }
        #expect(back == rows)
        #expect(source.compressedBytesRead == bytes.count)
    }
}
