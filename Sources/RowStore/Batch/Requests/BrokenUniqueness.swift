import GraphModel
import SQLite

/// Finds the objects that would have become equal when a batch update violates a uniqueness
/// constraint.
///
/// The failed statement had no effect, so the result is computed again. It uses the new values of
/// the rows that would change, and the current values of the other rows.
struct BrokenUniqueness {
    let entity: StoreLayout.Entity
    let match: BatchMatch
    let session: WriteSession
    /// The new values of attributes, and the new keys of to-one relationships, by name, as SQL over
    /// the alias `t`.
    let results: [String: SQLFragment]

    /// The error; `nil` if no constraint of the model is involved.
    var error: StoreError? {
        get throws(StoreError) {
            var first: String?
            for constraint in constraints {
                if let message = try message(constraint) { return StoreError(.unique, message) }
                first = first ?? subject(constraint)
            }
            // SQLite checks uniqueness as it changes each row, not at the end of the statement.
            return first.map {
                StoreError(
                    .unique,
                    "\($0) must be unique, and one object would get what another one has before "
                        + "that one changes")
            }
        }
    }

    /// The constraints of the entity and its sub-entities that contain a changing attribute.
    private var constraints: [[String]] {
        var found: [[String]] = []
        for member in session.schema.family(of: entity) {
            for constraint in session.schema.model.uniquenessConstraints(of: member.name)
            where !found.contains(constraint) && constraint.contains(where: { results[$0] != nil })
            {
                found.append(constraint)
            }
        }
        return found
    }

    private func subject(_ constraint: [String]) -> String {
        constraint.count == 1
            ? "'\(entity.name).\(constraint[0])'"
            : "[\(constraint.joined(separator: ", "))] of '\(entity.name)'"
    }

    private func message(_ constraint: [String]) throws(StoreError) -> String? {
        let columns = constraint.compactMap { column(of: $0) }
        guard columns.count == constraint.count else { return nil }
        let values = zip(constraint, columns).enumerated().map { place, pair -> SQLFragment in
            let old = SQLFragment("t.\(pair.1.name)")
            guard let new = results[pair.0] else { return old + " AS n\(place)" }
            return "CASE WHEN m.changes THEN " + new + " ELSE " + old + " END AS n\(place)"
        }
        let names = columns.indices.map { "n\($0)" }
        let select: SQLFragment =
            "SELECT count(*), \(names.joined(separator: ", ")) FROM (SELECT "
            + values.joined(separator: ", ")
            + SQLFragment(
                " FROM \(entity.table) AS t LEFT JOIN \(match.table) AS m ON m.pk = t.Z_PK) WHERE "
                    + names.map { "\($0) NOT NULL" }.joined(separator: " AND ")
                    + " GROUP BY \(names.joined(separator: ", ")) HAVING count(*) > 1"
                    + " ORDER BY \(names.joined(separator: ", ")) LIMIT 1")
        let statement = try select.prepare(on: session.connection)
        guard try statement.step() else { return nil }
        defer { statement.reset() }
        let texts = columns.enumerated().map { place, column in
            let cell = BulkCell(column: Int32(place + 1), of: statement)
            return column.type.map { cell.quotedText($0) } ?? "primary key \(cell.integerValue)"
        }
        let value = texts.count == 1 ? texts[0] : "(\(texts.joined(separator: ", ")))"
        return "\(subject(constraint)) must be unique, and \(statement.integer(0)) objects would "
            + "have \(value)"
    }

    /// Returns the column of a property and the type of an attribute; `nil` for a relationship that
    /// rows of another table store.
    private func column(of name: String) -> (name: String, type: AttributeType?)? {
        for member in session.schema.family(of: entity) {
            if let place = member.attributes[name] { return (place.column, place.attribute.type) }
            if let column = member.toOnes[name]?.column { return (column, nil) }
        }
        return nil
    }
}
