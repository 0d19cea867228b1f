import SQLite

/// Where rows that wait are kept when they are too many for memory: among the notes of a load that
/// keeps such, else in a table for temporary data.
final class ParkedSpill {
    /// The kind of the notes.
    static let kind = "parked"

    private let connection: Connection
    private let usesNotes: Bool
    private static let table = "temp.ETL_PARKED"
    private var hasTable = false

    init(_ connection: Connection, usesNotes: Bool) {
        self.connection = connection
        self.usesNotes = usesNotes
    }

    deinit {
        guard hasTable else { return }
        connection.clearStatementCache()
        // What stays is gone with the connection.
        try? connection.execute("DROP TABLE IF EXISTS \(Self.table)")
    }

    func write(_ token: Int64, _ note: [UInt8]) throws(SQLiteError) {
        guard !usesNotes else {
            return try ProgressNotes.write(Self.kind, token, note, on: connection)
        }
        if !hasTable {
            try connection.execute(
                """
                DROP TABLE IF EXISTS \(Self.table);
                CREATE TABLE \(Self.table) (TOKEN INTEGER PRIMARY KEY, VALUE BLOB)
                """)
            hasTable = true
        }
        let insert = try connection.cached("INSERT INTO \(Self.table) VALUES (?, ?)")
        insert.bind(token, at: 1)
        insert.bind(note, at: 2)
        try insert.run()
    }

    func read(_ token: Int64) throws(SQLiteError) -> [UInt8]? {
        guard !usesNotes else {
            return try ProgressNotes.value(Self.kind, token, on: connection)
        }
        let select = try connection.cached("SELECT VALUE FROM \(Self.table) WHERE TOKEN = ?")
        select.bind(token, at: 1)
        defer { select.reset() }
        return try select.step() ? Array(select.bytes(0)) : nil
    }
}
