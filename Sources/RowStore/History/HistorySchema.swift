import GraphModel
package import SQLite

/// The layout of Core Data's three history tables, and the property of each bit in a change.
///
/// `ACHANGE.ZCOLUMNS` of an update has a bit for each stored property of the entity. The first
/// property has the highest bit of the first byte. The order is: to-ones by name (two bits if the
/// destination has sub-entities), attributes by name, and to-manys by name. `ZTOMBSTONE<i>` of a
/// deletion holds the value of the i-th preserved attribute, by name.
package struct HistorySchema: Sendable {
    /// The properties of one entity.
    struct Entity: Sendable {
        /// The property of each bit.
        let bits: [String]
        /// Attributes whose values are preserved on deletion, with their columns.
        let preserved: [(name: String, column: String)]
        let table: String
    }

    static let changeEntity: Int64 = 16001
    static let transactionEntity: Int64 = 16002
    static let stringEntity: Int64 = 16003
    /// The table names, by entity number.
    static let tableNames = Dictionary(uniqueKeysWithValues: tables.map { ($0.entity, $0.name) })

    let entities: [Int64: Entity]
    /// The largest number of preserved attributes in any entity.
    let tombstoneCount: Int

    init(_ schema: StoreLayout) {
        var entities: [Int64: Entity] = [:]
        for entity in schema.entities where schema.holds(entity) {
            var bits: [String] = []
            for (name, place) in entity.toOnes.sorted(by: { $0.key < $1.key }) {
                bits += Array(repeating: name, count: place.entity(of: "t") == nil ? 1 : 2)
            }
            bits += entity.attributes.keys.sorted() + entity.toManys.keys.sorted()
            entities[entity.number] = Entity(
                bits: bits,
                preserved: entity.attributes.values
                    .filter(\.attribute.preservesValueInHistoryOnDeletion)
                    .map { ($0.attribute.name, $0.column) }.sorted { $0.0 < $1.0 },
                table: entity.table)
        }
        self.entities = entities
        tombstoneCount = entities.values.reduce(0) { max($0, $1.preserved.count) }
    }

    /// Returns the bits of the given properties; names without a bit are ignored.
    func mask(_ properties: some Sequence<String>, entity number: Int64) -> [UInt8] {
        let bits = bits(of: number)
        let names = Set(properties)
        var mask = [UInt8](repeating: 0, count: (bits.count + 7) / 8)
        for (bit, name) in bits.enumerated() where names.contains(name) {
            mask[bit / 8] |= 0x80 >> UInt8(bit % 8)
        }
        return mask
    }

    /// Returns the properties of the given bits.
    func properties(_ mask: some Collection<UInt8>, entity number: Int64) -> [String] {
        let bytes = Array(mask)
        var names: [String] = []
        for (bit, name) in bits(of: number).enumerated()
        where bit / 8 < bytes.count && bytes[bit / 8] & 0x80 >> UInt8(bit % 8) != 0 {
            if names.last != name { names.append(name) }
        }
        return names.sorted()
    }

    /// Returns the property of each bit; empty for an unknown entity.
    private func bits(of number: Int64) -> [String] { entities[number]?.bits ?? [] }

    // MARK: Tables

    /// Returns whether a store has the tables of the history.
    package static func exists(on connection: Connection) throws(StoreError) -> Bool {
        try connection.hasTable("ACHANGE")
    }

    /// Whether strings such as authors are interned, as in newer stores.
    static func internsStrings(on connection: Connection) throws(StoreError) -> Bool {
        try connection.hasTable("ATRANSACTIONSTRING")
    }

    /// Creates missing tables, and missing columns for preserved attributes.
    func make(on connection: Connection) throws(StoreError) {
        if try !Self.exists(on: connection) {
            try connection.execute(Self.allTables)
            try connection.execute(Self.counters)
        }
        let columns = try connection.columnNames(of: "ACHANGE")
        for number in 0..<tombstoneCount where !columns.contains("ZTOMBSTONE\(number)") {
            try connection.execute("ALTER TABLE ACHANGE ADD COLUMN ZTOMBSTONE\(number)")
        }
    }

    /// Creates the missing tables of a history and corrects its primary key counters.
    ///
    /// Does nothing if the store keeps no history.
    ///
    /// - Returns: the findings about lost data.
    static func complete(on connection: Connection) throws(StoreError) -> [StoreFinding] {
        var there: Set<String> = []
        for name in tableNames.values where try !connection.columnNames(of: name).isEmpty {
            there.insert(name)
        }
        guard !there.isEmpty else { return [] }
        // Older frameworks keep authors in the transactions themselves.
        let columns = try connection.columnNames(of: "ATRANSACTION")
        let internsStrings =
            there.contains("ATRANSACTIONSTRING") || columns.isEmpty || columns.contains("ZAUTHORTS")
        try connection.execute(Self.counters)
        var lost: [StoreFinding] = []
        for (number, name, creation) in tables
        where internsStrings || number != stringEntity {
            if !there.contains(name) {
                try connection.execute(creation)
                lost.append(
                    StoreFinding(
                        .structure, "The table \(name) is missing, and is created again"))
            }
            try connection.execute(
                "UPDATE Z_PRIMARYKEY SET Z_MAX = max(Z_MAX, ifnull((SELECT max(Z_PK) FROM \(name)), 0))"
                    + " WHERE Z_ENT = \(number)")
        }
        try connection.execute(
            "DELETE FROM ACHANGE WHERE ZTRANSACTIONID NOT IN (SELECT Z_PK FROM ATRANSACTION)")
        let count = connection.changes
        if count > 0 {
            lost.append(
                StoreFinding(
                    .history, count: count,
                    "\(count.counting("change", "changes")) of the history cannot be kept, since"
                        + " the transaction is missing"))
        }
        return lost
    }

    /// Takes the tables out; inside the open transaction.
    ///
    /// Skips one transaction number, so that a reader at the end of this history gets an error
    /// instead of mistaking the next history for its continuation.
    static func remove(on connection: Connection) throws(StoreError) {
        guard try exists(on: connection) else { return }
        try connection.execute(
            """
            DROP TABLE ACHANGE; DROP TABLE IF EXISTS ATRANSACTION;
            DROP TABLE IF EXISTS ATRANSACTIONSTRING;
            UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX + 1 WHERE Z_ENT = \(transactionEntity);
            """)
    }

    /// The tables with the statements that create them and their indexes, in the order of the
    /// entities.
    private static let tables: [(entity: Int64, name: String, creation: String)] = [
        (
            changeEntity, "ACHANGE",
            """
            CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
            ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, \
            ZCOLUMNS BLOB );
            CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID);
            """
        ),
        (
            transactionEntity, "ATRANSACTION",
            """
            CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
            ZAUTHORTS INTEGER, ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, \
            ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, \
            ZPROCESSID VARCHAR, ZQUERYGEN BLOB );
            CREATE INDEX ATRANSACTION_ZAUTHORTS_INDEX ON ATRANSACTION (ZAUTHORTS);
            CREATE INDEX ATRANSACTION_ZBUNDLEIDTS_INDEX ON ATRANSACTION (ZBUNDLEIDTS);
            CREATE INDEX ATRANSACTION_ZCONTEXTNAMETS_INDEX ON ATRANSACTION (ZCONTEXTNAMETS);
            CREATE INDEX ATRANSACTION_ZPROCESSIDTS_INDEX ON ATRANSACTION (ZPROCESSIDTS);
            CREATE INDEX Z_TRANSACTION_TransactionAuthorIndex ON ATRANSACTION \
            (ZAUTHOR COLLATE BINARY ASC);
            CREATE INDEX Z_TRANSACTION_TransactionTimestampIndex ON ATRANSACTION \
            (ZTIMESTAMP COLLATE BINARY ASC);
            """
        ),
        (
            stringEntity, "ATRANSACTIONSTRING",
            """
            CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, \
            Z_OPT INTEGER, ZNAME VARCHAR );
            CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING \
            (ZNAME COLLATE BINARY ASC);
            """
        ),
    ]

    /// The statements that create all tables and indexes.
    static var allTables: String {
        tables.map(\.creation).joined(separator: "\n")
    }

    /// The statement that adds the rows of the three entities to `Z_PRIMARYKEY`.
    private static let counters = """
        INSERT OR IGNORE INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, 0), \
        (16002, 'TRANSACTION', 0, 0), (16003, 'TRANSACTIONSTRING', 0, 0);
        """
}
