import SQLite

/// Where rows that wait are kept when they are too many for memory: among the notes of a load that
/// keeps such, else in a table for temporary data.
final class ParkedSpill {
    /// The kind of the notes.
    static let kind = "parked"

    private let connection: Connection
    private let usesNotes: Bool
    private let table: SpillTable

    init(_ connection: Connection, usesNotes: Bool) {
        self.connection = connection
        self.usesNotes = usesNotes
        table = SpillTable(connection)
    }

    /// Keeps rows by their tokens.
    func write(_ rows: some Sequence<(Int64, [UInt8])>) throws(StoreError) {
        guard usesNotes else { return try table.write(rows) }
        for (token, note) in rows {
            try ProgressNotes.write(Self.kind, token, note, on: connection)
        }
    }

    func read(_ token: Int64) throws(StoreError) -> [UInt8]? {
        usesNotes
            ? try ProgressNotes.value(Self.kind, token, on: connection) : try table.read(token)
    }
}
