import RecordStreams
import Testing

/// JSONTestSuite: files of one value, whose names start with the expected result.
///
/// `y_*.json` are JSON, `n_*.json` are not, and `i_*.json` may be either. The files may be anywhere
/// below the specimens.
@Suite("Conformance: JSONTestSuite") struct JSONSuiteTests {
    private static let files = Specimens.files.filter {
        let name = Specimens.name($0)
        return name.hasSuffix(".json") && ["y_", "n_", "i_"].contains { name.hasPrefix($0) }
    }

    private static func isAccepted(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBufferPointer { JSONScanner.validate($0) }
    }

    /// Returns whether a record with the value is accepted, if the value is read or skipped.
    private static func isAccepted(
        _ bytes: [UInt8], in name: String, path: String
    ) throws -> Bool {
        let record = Array("{\"v\":".utf8) + bytes + Array("}".utf8)
        let reading = try Reading.of(record, as: name, paths: [path])
        return reading.records.count == 1 && reading.rejects == [] && reading.error == nil
    }

    @Test(.enabled(if: !files.isEmpty, Specimens.missing("y_*.json")))
    func acceptsValidAndRejectsInvalidFiles() throws {
        var counts = ["y_": 0, "n_": 0, "i_": 0]
        for file in Self.files {
            let name = Specimens.name(file)
            counts[String(name.prefix(2)), default: 0] += 1
            let bytes = try Specimens.bytes(file)
            let isAccepted = Self.isAccepted(bytes)
            if name.hasPrefix("y_") { #expect(isAccepted, "\(name)") }
            if name.hasPrefix("n_") { #expect(!isAccepted, "\(name)") }
        }
        print("JSONTestSuite: \(counts.sorted { $0.key < $1.key })")
        #expect(counts["y_"] != 0 && counts["n_"] != 0)
    }

    @Test(.enabled(if: !files.isEmpty, Specimens.missing("y_*.json")))
    func validatesRecordsLikeDocuments() throws {
        for file in Self.files {
            let name = Specimens.name(file)
            let bytes = try Specimens.bytes(file)
            // A byte-order mark is allowed at the start of a document only.
            let isWhole = Self.isAccepted(bytes) && !bytes.starts(with: [0xEF, 0xBB, 0xBF])
            for path in ["v", "other"] {
                // If the selection matches no field, a list of objects is treated as the records.
                if path == "v" || !bytes.contains(UInt8(ascii: "[")) {
                    #expect(
                        try Self.isAccepted(bytes, in: "a.json", path: path) == isWhole,
                        "\(name) as '\(path)' of a document")
                }
                guard !bytes.contains(10) else { continue }
                #expect(
                    try Self.isAccepted(bytes, in: "a.ndjson", path: path) == isWhole,
                    "\(name) as '\(path)' of a line")
            }
        }
    }
}
