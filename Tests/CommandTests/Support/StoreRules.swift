import Foundation
import GraphModel
import SQLite
import Testing

/// The content of an app's store as plain SQL finds it, checked against the rules of the format.
///
/// Names of tables and columns follow from the model by the published rules, or are found among the
/// existing names. Nothing here uses the code that writes stores.
struct StoreRules {
    /// The rules that rows break, each with the number of rows.
    private(set) var violations: [String] = []
    /// The parts of the store that no change of objects may change.
    ///
    /// These are the header, the metadata, the cached model, the statements that created tables and
    /// indexes, and the numbers of entities.
    private(set) var frame: [String] = []
    /// `Z_MAX` by `Z_NAME`.
    private(set) var allocated: [String: Int64] = [:]
    /// The attributes of each row, by `TABLE key`.
    private(set) var values: [String: String] = [:]
    /// `Z_OPT` of each row.
    private(set) var versions: [String: Int64] = [:]
    /// The rows of the history; empty if the store has no history.
    private(set) var changes: [Change] = []
    /// The number and the author of each transaction of the history.
    private(set) var transactions: [Int64: String] = [:]

    /// A row of `ACHANGE`.
    struct Change {
        var transaction: Int64
        /// 0 inserts, 1 updates, and 2 deletes.
        var type: Int64
        /// `TABLE key`.
        var row: String
        var hasColumns: Bool
    }

    private let model: ManagedObjectModel
    private let connection: Connection
    private let copies: TemporaryFolder
    private var numbers: [String: Int64] = [:]
    private var columns: [String: [String]] = [:]

    /// Reads a copy of a store and of its write-ahead log.
    init(_ path: String, _ model: ManagedObjectModel) throws {
        self.model = model
        copies = try TemporaryFolder()
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: path + suffix) {
            try FileManager.default.copyItem(
                atPath: path + suffix, toPath: copies.path + "/store" + suffix)
        }
        connection = try Connection(path: copies.path + "/store", mode: .readWrite)
        for row in try lines(
            "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c"
                + " WHERE m.type = 'table'")
        {
            columns[row[0], default: []].append(row[1])
        }
        try readFrame()
        try checkFile()
        for entity in model.entities {
            if entity.superentityName == nil { try checkRows(of: entity) }
            try checkAttributes(of: entity)
            for relationship in model.ownRelationships(of: entity) {
                if !relationship.isToMany {
                    try checkKeys(of: relationship, in: entity)
                } else if let inverse = model.inverse(of: relationship),
                    inverse.relationship.isToMany
                {
                    try checkJoinRows(of: relationship, in: entity, inverse.relationship)
                }
            }
        }
        try readHistory()
    }

    /// Returns the rows of a query, as text; NULL is `-`.
    func lines(_ sql: String) throws -> [[String]] {
        let statement = try connection.prepare(sql)
        var rows: [[String]] = []
        while try statement.step() {
            rows.append(
                (0..<statement.columnCount).map {
                    statement.isNull($0) ? "-" : statement.string($0)
                })
        }
        return rows
    }

    // MARK: Names

    func table(of entity: String) -> String { "Z" + model.rootName(of: entity).uppercased() }

    func column(of property: String) -> String { "Z" + property.uppercased() }

    /// Returns `Z_ENT` of an entity, by position if the store still has an older name.
    func number(of entity: String) -> Int64 {
        numbers[entity]
            ?? Int64((model.entities.firstIndex { $0.name == entity } ?? -1) + 1)
    }

    /// Returns the numbers of an entity and its subentities, as an SQL list.
    func family(of entity: String, isConcrete: Bool = false) -> String {
        let numbers = model.family(of: entity).filter { !isConcrete || !$0.isAbstract }
            .map { "\(number(of: $0.name))" }
        return "(" + numbers.joined(separator: ",") + ")"
    }

    /// Returns the join table of a relationship, with the columns of both sides and of the order.
    func pairs(
        of relationship: RelationshipDescription, _ inverse: RelationshipDescription
    ) -> (table: String, owner: String, destination: String, order: String?)? {
        let names = [relationship.name.uppercased(), inverse.name.uppercased()]
        func isNumbered(_ text: String, _ name: String) -> Bool {
            text.wholeMatch(of: /Z_[0-9]+(.+)/).map { String($0.1) } == name
        }
        guard
            let table = columns.keys.first(where: { table in
                names.contains { isNumbered(table, $0) }
                    && columns[table]?.contains("Z_PK") == false
            }), let keys = columns[table]?.filter({ !$0.hasPrefix("Z_FOK_") }), keys.count == 2
        else { return nil }
        let destination = keys.first { isNumbered($0, names[0]) } ?? keys[1]
        let owner = keys.first { $0 != destination } ?? keys[0]
        let order = "Z_FOK_" + destination.dropFirst(2)
        return (table, owner, destination, columns[table]?.contains(order) == true ? order : nil)
    }

    // MARK: Rules

    /// Notes a violation unless a query counts 0 rows.
    private mutating func expectNone(_ rule: String, _ from: String) throws {
        let count = try connection.integer("SELECT count(*) FROM \(from)") ?? 0
        if count > 0 { violations.append("\(rule): \(count)") }
    }

    private mutating func readFrame() throws {
        for row in try lines("SELECT Z_NAME, Z_ENT, Z_MAX FROM Z_PRIMARYKEY") {
            numbers[row[0]] = Int64(row[1])
            allocated[row[0]] = Int64(row[2])
        }
        let queries =
            ["page_size", "encoding", "auto_vacuum", "user_version", "application_id"]
            .map { "PRAGMA \($0)" } + [
                "SELECT Z_VERSION, Z_UUID, hex(Z_PLIST) FROM Z_METADATA",
                "SELECT hex(Z_CONTENT) FROM Z_MODELCACHE",
                "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name",
                "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY ORDER BY 1",
            ]
        frame = try queries.flatMap { try lines($0) }.map { $0.joined(separator: "|") }
        frame += try lines("PRAGMA journal_mode").map { $0[0] }
    }

    private mutating func checkFile() throws {
        for row in try lines("PRAGMA integrity_check") where row[0] != "ok" {
            violations.append(row[0])
        }
        try expectNone("tables of ours", "sqlite_master WHERE name LIKE 'ETL%'")
        for entity in model.entities where entity.superentityName != nil {
            if allocated[entity.name] ?? 0 != 0 { violations.append("\(entity.name): Z_MAX") }
        }
    }

    private mutating func checkRows(of root: EntityDescription) throws {
        let table = table(of: root.name)
        try expectNone("\(table): Z_OPT", "\(table) WHERE Z_OPT IS NULL OR Z_OPT < 1")
        try expectNone(
            "\(table): Z_ENT",
            "\(table) WHERE Z_ENT IS NULL"
                + " OR Z_ENT NOT IN \(family(of: root.name, isConcrete: true))")
        try expectNone(
            "\(table): Z_PK above Z_MAX",
            "\(table) WHERE Z_PK > (SELECT Z_MAX FROM Z_PRIMARYKEY"
                + " WHERE Z_ENT = \(number(of: root.name)))")
        let names = model.family(of: root.name).flatMap { model.ownAttributes(of: $0) }
            .filter { !$0.isTransient && $0.derivationExpression == nil }
            .map { "quote(\(column(of: $0.name)))" }
        for row in try lines(
            "SELECT Z_PK, Z_OPT, \(names.joined(separator: " || '|' || ")) FROM \(table)")
        {
            values["\(table) \(row[0])"] = row[2]
            versions["\(table) \(row[0])"] = Int64(row[1])
        }
    }

    private mutating func checkAttributes(of entity: EntityDescription) throws {
        let table = table(of: entity.name)
        let rows = "\(table) t WHERE Z_ENT IN \(family(of: entity.name))"
        for attribute in model.ownAttributes(of: entity) where !attribute.isTransient {
            let column = column(of: attribute.name)
            if !attribute.isOptional, attribute.derivationExpression == nil {
                try expectNone("\(table).\(column) is null", rows + " AND \(column) IS NULL")
            }
            guard let derivation = attribute.derivationExpression,
                let match = derivation.wholeMatch(of: /count:\((\w+)\)|(\w+)\.@count/),
                let counted = match.1 ?? match.2,
                let many = model.relationship(String(counted), of: entity.name),
                let inverse = many.inverseName
            else { continue }
            try expectNone(
                "\(table).\(column) is not \(derivation)",
                rows + " AND \(column) IS NOT (SELECT count(*) FROM"
                    + " \(self.table(of: many.destinationEntityName)) d"
                    + " WHERE d.\(self.column(of: inverse)) = t.Z_PK)")
        }
        for constraint in entity.uniquenessConstraints {
            let columns = constraint.map(column)
            let conditions = columns.map { " AND \($0) NOT NULL" }.joined()
            try expectNone(
                "\(table): not unique",
                "(SELECT 1 FROM \(rows)\(conditions)"
                    + " GROUP BY \(columns.joined(separator: ", ")) HAVING count(*) > 1)")
        }
    }

    private mutating func checkKeys(
        of relationship: RelationshipDescription, in entity: EntityDescription
    ) throws {
        let (table, column) = (table(of: entity.name), column(of: relationship.name))
        let destination = relationship.destinationEntityName
        let name = "\(table).\(column)"
        try expectNone(
            "\(name) of another entity",
            "\(table) WHERE \(column) NOT NULL AND Z_ENT NOT IN \(family(of: entity.name))")
        try expectNone(
            "\(name) leads nowhere",
            "\(table) WHERE \(column) NOT IN (SELECT Z_PK FROM \(self.table(of: destination))"
                + " WHERE Z_ENT IN \(family(of: destination)))")
        let companions = columns[table]?.filter {
            $0.wholeMatch(of: /Z[0-9]+_(.+)/).map { String($0.1) }
                == relationship.name.uppercased()
        }
        #expect(companions?.count == (model.family(of: destination).count > 1 ? 1 : 0))
        for companion in companions ?? [] {
            try expectNone(
                "\(table).\(companion)",
                "\(table) t LEFT JOIN \(self.table(of: destination)) d ON d.Z_PK = t.\(column)"
                    + " WHERE t.\(companion) IS NOT d.Z_ENT")
        }
        guard let inverse = model.inverse(of: relationship)?.relationship else { return }
        if inverse.isToMany, inverse.isOrdered {
            let order = "Z_FOK_\(relationship.name.uppercased())"
            try expectNone(
                "\(table).\(order)", "\(table) WHERE (\(column) IS NULL) <> (\(order) IS NULL)")
            try expectNone(
                "\(table).\(order) twice",
                "(SELECT 1 FROM \(table) WHERE \(column) NOT NULL GROUP BY \(column), \(order)"
                    + " HAVING count(*) > 1)")
        } else if !inverse.isToMany {
            let back = self.column(of: inverse.name)
            try expectNone(
                "\(name) is not mutual",
                "\(table) t JOIN \(self.table(of: destination)) d ON d.Z_PK = t.\(column)"
                    + " WHERE d.\(back) IS NOT t.Z_PK")
        }
    }

    private mutating func checkJoinRows(
        of relationship: RelationshipDescription, in entity: EntityDescription,
        _ inverse: RelationshipDescription
    ) throws {
        let name = "\(entity.name).\(relationship.name)"
        guard let pairs = pairs(of: relationship, inverse) else {
            violations.append("\(name) has no join table")
            return
        }
        let destination = relationship.destinationEntityName
        try expectNone(
            "\(name) leads nowhere",
            "\(pairs.table) WHERE \(pairs.destination) IS NULL OR \(pairs.destination) NOT IN"
                + " (SELECT Z_PK FROM \(table(of: destination))"
                + " WHERE Z_ENT IN \(family(of: destination)))")
        guard relationship.isOrdered, let order = pairs.order else {
            if relationship.isOrdered { violations.append("\(name) has no order") }
            return
        }
        try expectNone("\(name): order", "\(pairs.table) WHERE \(order) IS NULL")
        try expectNone(
            "\(name): order twice",
            "(SELECT 1 FROM \(pairs.table) GROUP BY \(pairs.owner), \(order) HAVING count(*) > 1)")
    }

    // MARK: History

    private mutating func readHistory() throws {
        guard columns["ACHANGE"] != nil else { return }
        var tables: [String: String] = [:]
        for entity in model.entities where !entity.isAbstract {
            tables["\(number(of: entity.name))"] = table(of: entity.name)
        }
        for row in try lines(
            "SELECT ZTRANSACTIONID, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZCOLUMNS NOT NULL"
                + " FROM ACHANGE ORDER BY Z_PK")
        {
            let table = tables[row[2]]
            if table == nil { violations.append("ACHANGE: entity \(row[2])") }
            changes.append(
                Change(
                    transaction: Int64(row[0]) ?? 0, type: Int64(row[1]) ?? -1,
                    row: "\(table ?? "") \(row[3])", hasColumns: row[4] == "1"))
        }
        for row in try lines(
            "SELECT t.Z_PK, s.ZNAME FROM ATRANSACTION t"
                + " LEFT JOIN ATRANSACTIONSTRING s ON s.Z_PK = t.ZAUTHORTS")
        {
            transactions[Int64(row[0]) ?? 0] = row[1]
        }
        try expectNone(
            "ACHANGE without a transaction",
            "ACHANGE WHERE ZTRANSACTIONID NOT IN (SELECT Z_PK FROM ATRANSACTION)")
        for (table, name) in [
            ("ACHANGE", "CHANGE"), ("ATRANSACTION", "TRANSACTION"),
            ("ATRANSACTIONSTRING", "TRANSACTIONSTRING"),
        ] {
            let last = try connection.integer("SELECT ifnull(max(Z_PK), 0) FROM \(table)")
            if last != allocated[name] { violations.append("\(table): Z_MAX") }
        }
    }

    /// Checks that the history contains each row that was inserted, updated, or deleted since.
    func expectHistory(
        since before: StoreRules, author: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        guard columns["ACHANGE"] != nil else { return }
        let new = transactions.filter { before.transactions[$0.key] == nil }
        #expect(!new.isEmpty && new.values.allSatisfy { $0 == author })
        let added = changes.filter { new[$0.transaction] != nil }
        func rows(_ type: Int64) -> Set<String> {
            Set(added.filter { $0.type == type }.map(\.row))
        }
        let (old, now) = (Set(before.values.keys), Set(values.keys))
        #expect(rows(0).intersection(now) == now.subtracting(old), sourceLocation: sourceLocation)
        #expect(
            rows(2) == old.union(rows(0)).subtracting(now), sourceLocation: sourceLocation)
        let updated = old.intersection(now).filter { versions[$0] != before.versions[$0] }
        #expect(rows(1).intersection(old).intersection(now) == updated)
        #expect(added.allSatisfy { $0.hasColumns == ($0.type == 1) })
    }
}
