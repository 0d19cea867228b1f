import TestSeeds
import Testing

@testable import Pipelines

/// An import reads the values that an export writes: every type, random values.
@Suite("Round trip")
struct RoundTripTests {
    @Test(
        "exporting and importing random records preserves every value",
        arguments: ["ndjson", "json", "csv", "tsv", "ndjson.gz", "csv.gz"])
    func roundTrip(_ format: String) throws {
        let seed = TestSeed.ofThisRun
        var random = SeededGenerator(seed: seed)
        let folder = try Workspace()
        var lines: [String] = []
        for number in 0..<300 { lines.append(Self.record(number, &random)) }
        try folder.write("in.ndjson", lines.joined(separator: "\n"))
        let first = try folder.run(
            model: CastTests.model,
            """
            - { import: in.ndjson, into: All }
            - { export: All, to: "out.\(format)" }
            """)
        #expect(first.text == "", "seed \(seed)")
        let back = try Workspace()
        try back.write("out.\(format)", bytes: folder.bytes("out.\(format)"))
        let second = try back.run(
            model: CastTests.model,
            """
            - { import: "out.\(format)", into: All }
            - { export: All, to: "out/out.\(format)" }
            - { import: again, read: { files: "out.\(format)" }, into: All }
            """)
        #expect(second.text == "", "seed \(seed)")
        #expect(second.lines.last == "import again: 300 read, 300 unchanged", "seed \(seed)")
        let columns = [
            "ID", "SMALL", "MIDDLE", "LARGE", "PRICE", "RATIO", "SHARE", "TITLE", "FLAG", "DAY",
            "DATA", "CODE", "LINK", "TREE",
        ].map { "quote(Z\($0))" }.joined(separator: ", ")
        let sql = "SELECT \(columns) FROM ZALL ORDER BY ZID"
        let before = try folder.rows(sql)
        #expect(before.count == 300)
        let after = try back.rows(sql)
        let differing = zip(before, after).filter { $0 != $1 }.prefix(3)
        #expect(differing.isEmpty, "seed \(seed)")
        #expect(after.count == before.count)
        #expect(
            try back.bytes("out/out.\(format)") == folder.bytes("out.\(format)"), "seed \(seed)")
    }

    static func record(_ number: Int, _ random: inout SeededGenerator) -> String {
        var fields = ["\"id\":\"\(number)\""]
        func add(_ name: String, _ value: String) {
            switch random.next() % 5 {
            case 0: break
            case 1: fields.append("\"\(name)\":null")
            default: fields.append("\"\(name)\":\(value)")
            }
        }
        add("small", "\(Int16(truncatingIfNeeded: random.next()))")
        add("middle", "\(Int32(truncatingIfNeeded: random.next()))")
        add("large", "\(Int64(bitPattern: random.next()))")
        add("price", "\(Int32(truncatingIfNeeded: random.next())).\(random.next() % 1000)")
        let double = Double(bitPattern: random.next())
        add("ratio", double.isFinite ? "\(double)" : "-0.0")
        let float = Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))
        add("share", float.isFinite ? "\(float)" : "3.4028235e38")
        add("title", text(&random))
        add("flag", random.next() % 2 == 0 ? "true" : "false")
        let month = random.next() % 12 + 1
        add(
            "day",
            "\"\(1900 + random.next() % 300)-\(month < 10 ? "0" : "")\(month)-0\(random.next() % 9 + 1)"
                + "T1\(random.next() % 10):00:0\(random.next() % 10).\(random.next() % 1_000_000)Z\""
        )
        add("data", ["\"\"", "\"AA==\"", "\"+/8=\"", "\"AAEC\""][Int(random.next() % 4)])
        let tail = String(random.next() % 0xFFFF_FFFF_FFFF, radix: 16)
        add(
            "code",
            "\"00112233-4455-6677-8899-\(String(repeating: "0", count: 12 - tail.count))\(tail)\"")
        add("link", "\"https://example.org/\(random.next())?q=,|\"")
        add("tree", "{\"k\":[\(random.next()),\(text(&random)),null],\"e\":{}}")
        return "{\(fields.joined(separator: ","))}"
    }

    /// Returns a JSON string with characters that are special in tables and in JSON.
    static func text(_ random: inout SeededGenerator) -> String {
        let pieces = [
            "a", "Z", " ", ",", ";", "|", "\\t", "\\n", "\\r", "\\r\\n", "\\\"", "'", "\\\\", "ü",
            "e\u{301}", "😀", "\\u0000", "\\u001f", "\u{FEFF}", "null", "NULL", "${x}", "#", "=1",
        ]
        let count = random.next() % 6
        return "\""
            + (0..<count).map { _ in pieces[Int(random.next() % UInt64(pieces.count))] }
            .joined() + "\""
    }
}
