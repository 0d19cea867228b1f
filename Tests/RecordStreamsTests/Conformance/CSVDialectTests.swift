import Foundation
import RecordStreams
import Testing

/// Test cases of the CSV readers in Go, Papa Parse, and SQLite (`csv/cases/reader-cases.json`).
///
/// A case has `input` (or `input_b64`), and `expect` with `rows` or an `error`. Only the cases of
/// the profile `default-dialect` are read, because the other profiles use options of another
/// reader.
@Suite("Conformance: CSV dialects") struct CSVDialectTests {
    private static let cases: [AnyJSON] = {
        let list = try? Specimens.json(Specimens.folder + "/csv/cases/reader-cases.json")
        return (list?.items ?? []).filter { $0["profile"] == .string("default-dialect") }
    }()

    /// The expected rows of cases in which our rules differ from the reader's.
    private static let rulings: [String: [[String]]] = [
        // Go turns CRLF inside quotes into LF; it is data.
        "go-CRLFInQuotedField": [["A", "Hello\r\nHi", "B"]],
        // A lone CR ends records if it is the first line end of the file.
        "go-BareCR": [["a", "b"], ["c", "d"]],
        "go-TrailingCR": [["field1", "field2"]],
        // A blank line of a single column is a record with an empty field.
        "go-MultipleCRLF": [[""], [""], [""], [""]],
        // SQLite reads a blank line as a row.
        "sqlite-2.5": [["one", "2"]],
    ]

    @Test(
        "reads the rows that other readers read, and rejects the input that they reject",
        .enabled(if: !cases.isEmpty, Specimens.missing("csv/cases/reader-cases.json")))
    func agree() throws {
        for value in Self.cases {
            let name = value["id"]?.text ?? ""
            let encoded = value["input_b64"]?.text.flatMap { Data(base64Encoded: $0) }
            let bytes = encoded.map(Array.init) ?? Array((value["input"]?.text ?? "").utf8)
            let expected = value["expect"]?["rows"]?.items
            let rows = expected?.map { ($0.items ?? []).map { $0.text ?? "" } } ?? []
            let columns = (0..<max(1, rows.map(\.count).max() ?? 1)).map { "c\($0)" }
            var options = ReadOptions()
            options.header = false
            options.columns = columns
            options.padsShortRows = true
            let table = try CSVTable.read(bytes, columns: columns, options: options)
            // Bytes that are not UTF-8 are rejected.
            guard expected != nil, name != "go-BinaryBlobField" else {
                #expect(table.error != nil || table.rejects != [], "\(name)")
                continue
            }
            #expect(table.error == nil && table.rejects == [], "\(name)")
            let wanted = (Self.rulings[name] ?? rows).map { row in
                row + Array(repeating: "", count: columns.count - row.count)
            }
            #expect(table.rows == wanted, "\(name)")
        }
    }
}
