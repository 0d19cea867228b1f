import GraphModel
import SQLite

/// The mapping of the history: each change refers to the new entity and the new properties.
///
/// Transactions keep their numbers, so history consumers resume where they stopped. Changes of
/// removed entities are dropped. If primary keys change, all changes are dropped, and consumers
/// must start over.
struct HistoryProjection {
    private let script: MigrationScript
    private let before: HistorySchema
    private let after: HistorySchema

    init(_ script: MigrationScript) {
        self.script = script
        before = HistorySchema(script.old)
        after = HistorySchema(script.new)
    }

    /// Whether every object keeps its primary key and no mapping drops objects.
    var isKept: Bool {
        script.moves.all.allSatisfy { $0.offset == 0 && $0.predicate == nil }
    }

    /// Creates the history tables in the new store, which must be the connection's main database.
    ///
    /// - Parameter statements: The SQL statements of an app's tables; empty creates GraphStore's
    ///   own.
    func makeTables(_ statements: [String], on connection: Connection) throws(StoreError) {
        for statement in statements { try connection.execute(statement) }
        try after.make(on: connection)
    }

    /// The statement that copies the primary key counters of the history's entities.
    static let counters =
        "INSERT OR REPLACE INTO new.Z_PRIMARYKEY SELECT * FROM main.Z_PRIMARYKEY"
        + " WHERE Z_ENT >= \(HistorySchema.changeEntity)"

    /// Returns the statements that fill the new tables.
    func inserts(_ source: MigrationSource) throws(StoreError) -> [SQLFragment] {
        var inserts = [SQLFragment(Self.counters)]
        guard isKept else { return inserts }
        for table in ["ATRANSACTION", "ATRANSACTIONSTRING"] {
            let columns = try source.connection.columnNames(of: table, in: "main")
            guard !columns.isEmpty else { continue }
            let list = columns.joined(separator: ", ")
            inserts.append(
                SQLFragment("INSERT INTO new.\(table) (\(list)) SELECT \(list) FROM main.\(table)"))
        }
        let found = try source.connection.columnNames(of: "ACHANGE", in: "main")
        let moves = script.moves.all
        let entity = ObjectMoves.choice(
            of: "ZENTITY", moves.map { ($0.old.number, $0.new.number) })
        var names = ["Z_PK", "Z_ENT", "Z_OPT", "ZCHANGETYPE", "ZENTITYPK", "ZTRANSACTIONID"]
        var values = names.map { SQLFragment($0) }
        names += ["ZENTITY", "ZCOLUMNS"]
        values += [
            SQLFragment(entity), SQLFragment("etl_call(?, ZENTITY, ZCOLUMNS)", calling: renamed),
        ]
        for place in 0..<after.tombstoneCount {
            guard let value = tombstone(place, found) else { continue }
            names.append("ZTOMBSTONE\(place)")
            values.append(SQLFragment(value))
        }
        // Copies further columns of an app's framework.
        for name in found where !script.old.isOurs && !names.contains(name) {
            if name.hasPrefix("ZTOMBSTONE"),
                Int(name.dropFirst(10)).map({ $0 < after.tombstoneCount }) ?? false
            {
                continue
            }
            names.append(name)
            values.append(SQLFragment(name))
        }
        let kept = moves.map { "\($0.old.number)" }.joined(separator: ", ")
        inserts.append(
            "INSERT INTO new.ACHANGE (\(names.joined(separator: ", "))) SELECT "
                + values.joined(separator: ", ")
                + " FROM main.ACHANGE WHERE ZENTITY IN (\(kept)) ORDER BY Z_PK")
        return inserts
    }

    /// Returns the old column whose value a tombstone of the new schema stores at an index.
    private func tombstone(_ place: Int, _ columns: [String]) -> String? {
        var choices: [String] = []
        for move in script.moves.all {
            guard let kept = after.entities[move.new.number]?.preserved, place < kept.count
            else { continue }
            let partners = script.pairing.attributes(of: move.new.name, from: move.old.name)
            guard let old = partners[kept[place].name]?.name,
                let index = before.entities[move.old.number]?.preserved.firstIndex(where: {
                    $0.name == old
                }), columns.contains("ZTOMBSTONE\(index)")
            else { continue }
            choices.append("WHEN \(move.old.number) THEN ZTOMBSTONE\(index)")
        }
        return choices.isEmpty ? nil : "CASE ZENTITY \(choices.joined(separator: " ")) END"
    }

    /// The function that returns the bit mask of a change's properties under their new names.
    private var renamed: BoundFunction {
        let (before, after) = (before, after)
        var names: [Int64: [String: String]] = [:]
        var numbers: [Int64: Int64] = [:]
        for move in script.moves.all {
            numbers[move.old.number] = move.new.number
            let (new, old) = (move.new.name, move.old.name)
            var partners: [String: String] = [:]
            for (name, attribute) in script.pairing.attributes(of: new, from: old) {
                partners[attribute.name] = name
            }
            for (name, relationship) in script.pairing.relationships(of: new, from: old) {
                partners[relationship.name] = name
            }
            names[move.old.number] = partners
        }
        // If no bit changes its meaning, the bytes are copied unchanged.
        let alike = Set(
            numbers.filter { old, new in
                let bits = (before.entities[old]?.bits ?? []).map { names[old]?[$0] ?? "" }
                return bits == after.entities[new]?.bits
            }.keys)
        return BoundFunction { [names, numbers] call throws(FunctionError) in
            guard call.storage(1) == .blob, let number = numbers[call.integer(0)] else { return }
            if alike.contains(call.integer(0)) {
                Array(call.bytes(1)).withUnsafeBufferPointer { call.setResult(blob: $0) }
                return
            }
            let old = before.properties(call.bytes(1), entity: call.integer(0))
            let new = old.compactMap { names[call.integer(0)]?[$0] }
            after.mask(new, entity: number).withUnsafeBufferPointer { call.setResult(blob: $0) }
        }
    }
}
