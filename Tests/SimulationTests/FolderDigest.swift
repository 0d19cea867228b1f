import Foundation
import SQLite

/// The user-visible contents of a folder after work: the stores' rows, the exports, the rejects,
/// and names.
struct FolderDigest: Equatable {
    /// The lines, each with a prefix that names its kind.
    var lines: [String] = []

    init(_ folder: String) throws {
        try addNames(folder)
        for name in Disk.names(in: folder) where name.hasSuffix(".sqlite") {
            try addStore("\(folder)/\(name)", name)
        }
        for place in ["out", "other"] {
            Disk.walk("\(folder)/\(place)") { path, info in
                let bytes = Disk.bytes(path, 0, Int(info.st_size))
                let text = String(decoding: bytes, as: UTF8.self)
                lines.append("export \(path.dropFirst(folder.count + 1)): \(bytes.count) \(text)")
            }
        }
        addRejects("\(folder)/rejects")
    }

    private mutating func addNames(_ folder: String) throws {
        var names: [String] = []
        Disk.walk(folder) { path, _ in
            let name = String(path.dropFirst(folder.count + 1))
            let isOfRuns = name.hasPrefix("runs/") || name.hasPrefix("rejects/")
            if isOfRuns || name.hasSuffix("-wal") || name.hasSuffix("-shm") { return }
            // A large value's name is random.
            names.append(name.replacing(#/[0-9A-F-]{36}/#, with: "UUID"))
        }
        lines += names.sorted().map { "name \($0)" }
    }

    private mutating func addStore(_ path: String, _ name: String) throws {
        let connection = try Connection(path: path, mode: .readWrite)
        let check = try connection.text("PRAGMA integrity_check") ?? "nothing"
        if check != "ok" { lines.append("store \(name): \(check)") }
        let hidden = ["ETL_", "Z_METADATA", "Z_MODELCACHE", "sqlite_", "ATRANSACTION"]
        var tables: [String] = []
        let list = try connection.prepare(
            "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
        while try list.step() { tables.append(list.string(0)) }
        for table in tables where !hidden.contains(where: table.hasPrefix) {
            lines += try rows(connection, table).map { "store \(name) \(table): \($0)" }
        }
    }

    private func rows(_ connection: Connection, _ table: String) throws -> [String] {
        var columns: [String] = []
        let list = try connection.prepare("SELECT name FROM pragma_table_info('\(table)')")
        while try list.step() { columns.append(list.string(0)) }
        let statement = try connection.prepare("SELECT * FROM \(Connection.quoted(table))")
        let isOfHistory = table == "ACHANGE"
        var rows: [String] = []
        while try statement.step() {
            var cells: [String] = []
            for (place, name) in columns.enumerated() {
                let column = Int32(place)
                // The number of writes of a row differs if some were repeated.
                if name == "Z_OPT" || name == "ZCOLUMNS" { continue }
                if isOfHistory, !["ZCHANGETYPE", "ZENTITY", "ZENTITYPK"].contains(name) {
                    continue
                }
                cells.append(statement.isNull(column) ? "-" : statement.string(column))
            }
            rows.append(cells.joined(separator: "|"))
        }
        return rows.sorted()
    }

    /// Adds the rejects of all runs, without the runs' names.
    private mutating func addRejects(_ folder: String) {
        var found: [String] = []
        Disk.walk(folder) { path, info in
            let name = path.split(separator: "/").last ?? ""
            guard !name.hasPrefix("."), !name.hasSuffix(".run.json"), !path.contains("/.replay/")
            else { return }
            let kind = name.hasSuffix(".why.ndjson") ? "reason" : "reject"
            let place = folder.replacing("rejects", with: "")
            let text = String(decoding: Disk.bytes(path, 0, Int(info.st_size)), as: UTF8.self)
                .replacing(place, with: "").replacing(place.replacing("/", with: "\\/"), with: "")
            found += text.split(separator: "\n").map {
                kind + " " + $0.replacing(#/"run":"[^"]*"/#, with: "")
            }
        }
        lines += found.sorted()
    }

    /// A line that occurs too often, or not often enough.
    struct Difference: Sendable {
        let line: String
        let count: Int

        var isMore: Bool { count > 0 }

        /// Returns some of the differences in short form.
        static func text(_ all: [Difference]) -> [String] {
            let lines = all.map { difference in
                "\(difference.isMore ? "+" : "-")\(abs(difference.count)) "
                    + difference.line.prefix(150).split(separator: "\n").joined(separator: " ⏎ ")
            }.sorted()
            guard lines.count > 12 else { return lines }
            return lines.prefix(6) + ["… \(lines.count) lines"] + lines.suffix(4)
        }
    }

    /// Returns the differences from another digest.
    func difference(from other: FolderDigest) -> [Difference] {
        var counts: [String: Int] = [:]
        for line in lines { counts[line, default: 0] += 1 }
        for line in other.lines { counts[line, default: 0] -= 1 }
        return counts.filter { $0.value != 0 }.map { Difference(line: $0.key, count: $0.value) }
    }
}
