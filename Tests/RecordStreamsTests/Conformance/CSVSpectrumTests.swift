import RecordStreams
import Testing

/// csv-spectrum: each `csvs/NAME.csv` has a `json/NAME.json` with the records by header as texts.
@Suite("Conformance: csv-spectrum") struct CSVSpectrumTests {
    private static let pairs: [(csv: String, json: String)] = Specimens.files.compactMap {
        file -> (csv: String, json: String)? in
        guard file.hasSuffix(".csv"), Specimens.parent(file) == "csvs" else { return nil }
        let folder = file.dropLast(Specimens.name(file).count + "csvs/".count)
        let json = "\(folder)json/\(Specimens.name(file).dropLast(4)).json"
        return Specimens.files.contains(json) ? (file, json) : nil
    }

    /// Returns the options that a file needs in addition to RFC 4180.
    private static func options(_ name: String) -> ReadOptions {
        var options = ReadOptions()
        switch name {
        case "null.csv": options.nulls = ["", "NULL"]
        // Its fields contain quotes that mean seconds of arc.
        case "location_coordinates.csv": options.quote = .none
        default: break
        }
        return options
    }

    @Test(.enabled(if: !pairs.isEmpty, Specimens.missing("csvs/*.csv with json/*.json")))
    func decodesTheExpectedRecords() throws {
        for (csv, json) in Self.pairs {
            let name = Specimens.name(csv)
            let bytes = try Specimens.bytes(csv)
            guard String(validating: bytes, as: UTF8.self) != nil else {
                // Records in other encodings are rejected.
                let table = try CSVTable.read(bytes, columns: [], options: Self.options(name))
                #expect(table.rejects.contains("csv.invalid-utf8"), "\(name)")
                continue
            }
            let value = try Specimens.json(json)
            let expected = (value.items ?? [value]).compactMap(\.members)
            let columns = try #require(expected.first).keys.sorted()
            let table = try CSVTable.read(bytes, columns: columns, options: Self.options(name))
            #expect(table.error == nil && table.rejects == [], "\(name)")
            #expect(table.columns.sorted() == columns, "\(name)")
            #expect(
                table.rows == expected.map { row in columns.map { row[$0]?.text ?? "absent" } },
                "\(name)")
        }
    }
}
