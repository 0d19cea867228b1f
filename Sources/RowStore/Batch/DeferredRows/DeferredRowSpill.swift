import SQLite

/// Stores deferred rows beyond the memory limit: in the progress notes if the load writes any, and
/// otherwise in a temporary table.
final class DeferredRowSpill {
    /// The kind of the progress notes that contain deferred rows.
    static let kind = "parked"

    private let connection: Connection
    private let usesNotes: Bool
    private let table: SpillTable

    init(_ connection: Connection, usesNotes: Bool) {
        self.connection = connection
        self.usesNotes = usesNotes
        table = SpillTable(connection)
    }

    /// Stores rows by their tokens.
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
