import Digests
import Files
import RecordStreams
import Testing

/// Good and damaged gzip files, with the results of two other readers.
///
/// For each name, `expected.json` has `expect` (`ok`, `error`, or `policy`), the number of bytes
/// that zlib inflates (`zlib_loop.out`), and files that may be missing.
@Suite("Conformance: gzip") struct GzipSetTests {
    private static let folder = Specimens.folder + "/gzip/generated/"
    private static let cases: [(file: String, expected: AnyJSON)] = {
        guard let list = try? Specimens.json(folder + "expected.json"),
            let named = list["cases"]?.members
        else { return [] }
        return named.sorted { $0.key < $1.key }.filter { Specimens.files.contains(folder + $0.key) }
            .map { (folder + $0.key, $0.value) }
    }()

    /// The codes of the damaged files; each is our own rule, because other readers only fail.
    private static let codes = [
        "bad-crc.ndjson.gz": "gzip.crc", "bad-isize.ndjson.gz": "gzip.length",
        "bad-second-member-crc.ndjson.gz": "gzip.crc",
        "bad-trailing-garbage.ndjson.gz": "gzip.trailing",
        "bad-trunc-deflate-mid.ndjson.gz": "gzip.truncated",
    ]

    /// Returns the inflated size of a file, the digest, and the code of its damage.
    private static func inflate(_ path: String) throws -> (size: Int, digest: String, code: String)
    {
        var size = 0
        var hash = ByteDigest()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
        defer { buffer.deallocate() }
        let start = try #require(buffer.bindMemory(to: UInt8.self).baseAddress)
        var code = "ok"
        do throws(RecordStreamError) {
            let source = try ByteSource(
                InputFile(path: FileName(path), byteCount: 0), compression: .gzip)
            while case let count = try source.read(into: start, count: 1 << 16), count > 0 {
                size += count
                hash.add(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
        } catch {
            code = error.code
        }
        let digest = hash.value.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        return (size, digest.joined(), code)
    }

    @Test(
        "inflates the files that zlib inflates, and names the damage of the others",
        .enabled(if: !cases.isEmpty, Specimens.missing("gzip/generated/expected.json")))
    func agree() throws {
        for (file, expected) in Self.cases {
            let name = Specimens.name(file)
            let result = try Self.inflate(file)
            if expected["expect"] == .string("error") {
                #expect(result.code == Self.codes[name], "\(name)")
            } else {
                // A gzip file inside a gzip file is data.
                #expect(result.code == "ok", "\(name)")
                #expect(
                    result.size == expected["zlib_loop"]?["out"]?.text.flatMap { Int($0) },
                    "\(name)")
            }
        }
    }
}
