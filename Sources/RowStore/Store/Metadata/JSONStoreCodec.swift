import FoundationEssentials
import SQLite

/// A codec for a store's tables as JSON.
///
/// ```json
/// {"format": 1, "schema": ["CREATE TABLE …", …],
///  "tables": {"ZTASK": {"columns": ["Z_PK", …], "rows": [[1, 2, 1, "Write", null], …]}}}
/// ```
/// REAL values and BLOBs have a tag that keeps their type: `{"real": "1.0"}`, and `{"blob": "…"}`
/// in base64.
enum JSONStoreCodec {
    private static let format = 1

    private struct Image: Codable {
        var format: Int
        var schema: [String]
        var tables: [String: Table]
    }

    private struct Table: Codable {
        var columns: [String]
        var rows: [[Cell]]
    }

    /// Encodes the complete database.
    static func image(of connection: Connection) throws(StoreError) -> [UInt8] {
        var image = Image(format: format, schema: [], tables: [:])
        var names: [String] = []
        let objects = try connection.prepare(
            "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL"
                + " AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY type DESC, name")
        while try objects.step() {
            image.schema.append(objects.string(2))
            if objects.string(0) == "table" { names.append(objects.string(1)) }
        }
        for name in names { image.tables[name] = try table(name, of: connection) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        do {
            return [UInt8](try encoder.encode(image))
        } catch {
            throw StoreError(.internalError, "The store cannot be encoded: \(error)")
        }
    }

    private static func table(
        _ name: String, of connection: Connection
    ) throws(StoreError) -> Table {
        let columns = try connection.columnNames(of: name)
        let rows = try connection.prepare("SELECT * FROM \(Connection.quoted(name)) ORDER BY 1")
        var table = Table(columns: columns, rows: [])
        while try rows.step() {
            table.rows.append((0..<rows.columnCount).map { Cell(rows, $0) })
        }
        return table
    }

    /// Restores an encoded database into an empty one.
    static func restore(
        _ bytes: [UInt8], to connection: Connection, path: String
    ) throws(StoreError) {
        let image: Image
        do {
            image = try JSONDecoder().decode(Image.self, from: Data(bytes))
        } catch {
            throw StoreError(.corrupt, "\(path) is not a JSON store, or is damaged: \(error)")
        }
        guard image.format == format else {
            throw StoreError(.notAStore, "\(path) is of format \(image.format), not \(format)")
        }
        do throws(StoreError) {
            try connection.execute("PRAGMA auto_vacuum = 2; BEGIN IMMEDIATE")
            for sql in image.schema where sql.hasPrefix("CREATE TABLE") {
                try connection.execute(sql)
            }
            for (name, table) in image.tables {
                let marks = Array(repeating: "?", count: table.columns.count)
                let columns = table.columns.map { "\"\($0)\"" }
                let insert = try connection.prepare(
                    "INSERT INTO \"\(name)\" (\(columns.joined(separator: ", ")))"
                        + " VALUES (\(marks.joined(separator: ", ")))")
                for row in table.rows where row.count == columns.count {
                    for (column, cell) in row.enumerated() {
                        insert.bind(cell.value, at: Int32(column) + 1)
                    }
                    try insert.run()
                }
            }
            for sql in image.schema where !sql.hasPrefix("CREATE TABLE") {
                try connection.execute(sql)
            }
            try connection.execute("COMMIT")
        } catch {
            throw StoreError(.corrupt, "\(path) cannot be read: \(error.message)")
        }
    }
}
