import Crypto
import RecordStreams
import Testing

/// A set of gzip files beside an `expected.json`: for each name what must come of it.
///
/// That is `"ok"`, a code such as `"gzip.crc"` or another word for a refusal, or an object with the
/// word as `outcome` (or `result`, `status`, `error`, `code`), and `size` (or `bytes`, `length`) and
/// `sha256` of what is inflated, up to the damage. A list of objects with `name` (or `file`) does
/// as well.
@Suite("Conformance: gzip") struct GzipSetTests {
    private static let cases: [(file: String, expected: AnyJSON)] =
        Specimens.files.filter { Specimens.name($0) == "expected.json" }.flatMap {
            list -> [(file: String, expected: AnyJSON)] in
            let folder = list.dropLast("expected.json".count)
            guard let value = try? Specimens.json(list) else { return [] }
            let table = value["files", "cases"] ?? value
            let named =
                table.members?.map { ($0.key, $0.value) }
                ?? (table.items ?? []).compactMap { item in
                    item["name", "file"]?.text.map { ($0, item) }
                }
            return named.sorted { $0.0 < $1.0 }.compactMap { name, expected in
                let isThere = Specimens.files.contains(folder + name)
                return isThere && isGzip(folder + name) ? (folder + name, expected) : nil
            }
        }

    /// Sets of other kinds may have an `expected.json`, too.
    private static func isGzip(_ path: String) -> Bool {
        path.hasSuffix(".gz") || path.split(separator: "/").contains { $0.contains("gzip") }
    }

    /// What a file inflates to, and the code of its damage.
    private static func inflate(_ path: String) throws -> (size: Int, digest: String, code: String)
    {
        var size = 0
        var hash = SHA256()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
        defer { buffer.deallocate() }
        let start = try #require(buffer.bindMemory(to: UInt8.self).baseAddress)
        var code = "ok"
        do throws(RecordStreamError) {
            let source = try ByteSource(
                InputFile(path: path, byteCount: 0), compression: .gzip)
            while case let count = try source.read(into: start, count: 1 << 16), count > 0 {
                size += count
                hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
        } catch {
            code = error.code
        }
        let digest = hash.finalize().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        return (size, digest.joined(), code)
    }

    @Test(.enabled(if: !cases.isEmpty, Specimens.missing("expected.json beside gzip files")))
    func agree() throws {
        for (file, expected) in Self.cases {
            let name = Specimens.name(file)
            let result = try Self.inflate(file)
            let outcome =
                expected.members == nil
                ? expected : expected["outcome", "result", "status", "error", "code"]
            switch outcome {
            case .string(let word) where word.hasPrefix("gzip."):
                #expect(result.code == word, "\(name)")
            case nil, .null, .bool(true), .string("ok"), .string("valid"), .string("accept"):
                #expect(result.code == "ok", "\(name)")
            default: #expect(result.code != "ok", "\(name)")
            }
            if case .number(let size)? = expected["size", "bytes", "length"] {
                #expect(result.size == Int(size), "\(name)")
            }
            if let digest = expected["sha256", "digest"]?.text {
                #expect(result.digest == digest, "\(name)")
            }
        }
    }
}
