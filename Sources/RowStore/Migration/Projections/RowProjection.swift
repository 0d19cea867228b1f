import GraphModel
import SQLite

/// A projection that passes rows one by one through a policy, in chunks.
struct RowProjection {
    private let table: TableProjection
    private let move: ObjectMove
    private let mapping: EntityMapping
    private let policy: any MigrationPolicy
    private let lookups: [LookupProjection]
    private let files: ExternalFiles
    private let old: [(name: String, place: StoreLayout.AttributeColumn)]
    private let new: [(name: String, place: StoreLayout.AttributeColumn)]

    /// Creates a projection; `nil` if the mapping of the rows' entity has no policy.
    init?(_ table: TableProjection, _ lookups: [LookupProjection], _ files: ExternalFiles) {
        guard let move = table.moves.first, let mapping = move.mapping,
            let policy = mapping.policy
        else { return nil }
        self.table = table
        self.move = move
        self.mapping = mapping
        self.policy = policy
        self.files = files
        self.lookups = lookups.filter {
            $0.move.old.number == move.old.number && $0.move.new.number == move.new.number
                && $0.lookup.expression == nil
        }
        old = move.old.attributes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        new = move.new.attributes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    func begin() throws(StoreError) { try calling { try $0.begin(mapping) } }

    func end() throws(StoreError) { try calling { try $0.end(mapping) } }

    private func calling(_ body: (any MigrationPolicy) throws -> Void) throws(StoreError) {
        do {
            try body(policy)
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(
                .migrationRefused,
                "The mapping of '\(move.old.name)' to '\(move.new.name)' failed: \(error)",
                cause: error)
        }
    }

    /// Copies the rows after one key, up to and including another.
    ///
    /// - Returns: The number of rows.
    func copy(
        above lower: Int64, to upper: Int64, on connection: Connection
    ) throws(StoreError) -> Int {
        let fixed = ["Z_PK", "Z_ENT", "Z_OPT"] + table.columns.map(\.name)
        let raw = old.map { "t.\($0.place.column)" }
        let rows = try table.select(appending: raw).prepare(on: connection)
        rows.bind(lower, at: TableProjection.lowerParameter)
        rows.bind(upper, at: TableProjection.upperParameter)
        // A policy may set columns that the projection omits.
        let names = fixed + new.map(\.place.column).filter { !fixed.contains($0) }
        let insert = try connection.prepare(
            "INSERT INTO new.\(table.table) (\(names.joined(separator: ", "))) VALUES ("
                + names.map { _ in "?" }.joined(separator: ", ") + ")")
        var notes: [Statement] = []
        for lookup in lookups {
            notes.append(
                try connection.prepare("INSERT INTO \(lookup.found) VALUES (?, ?, ?)"))
        }
        var count = 0
        while try rows.step() {
            let key = rows.integer(0)
            var oldValues: [String: StoredValue] = [:]
            for (index, attribute) in old.enumerated() {
                let value = rows.value(Int32(fixed.count + index))
                let isExternal = attribute.place.attribute.allowsExternalBinaryDataStorage
                oldValues[attribute.name] = isExternal ? try files.value(of: value) : value
            }
            var row = MigratedRow(
                key, old: oldValues,
                new: Dictionary(
                    // A large value is present only if the policy sets it.
                    uniqueKeysWithValues: new.filter {
                        !$0.place.attribute.allowsExternalBinaryDataStorage
                    }.map { name, place in
                        let column = fixed.firstIndex(of: place.column)
                        return (name, column.map { rows.value(Int32($0)) } ?? .null)
                    }))
            try calling { try $0.migrate(&row) }
            if row.isLeftOut { continue }
            for index in fixed.indices {
                insert.bind(column: Int32(index), of: rows, at: Int32(index) + 1)
            }
            for (name, place) in new {
                guard var value = row.newValues[name],
                    let position = names.firstIndex(of: place.column)
                else { continue }
                try check(value, place.attribute, key)
                if place.attribute.isExactDecimal, let number = ExactDecimal(value) {
                    value = .text(number.text)
                }
                if place.attribute.allowsExternalBinaryDataStorage, case .blob(let bytes) = value {
                    value = .blob([ExternalData.inlineMark] + bytes)
                }
                insert.bind(value, at: Int32(position) + 1)
            }
            try insert.run()
            for (lookup, note) in zip(lookups, notes) {
                for (place, value) in (row.keys[lookup.lookup.relationship] ?? []).enumerated() {
                    note.bind(key, at: 1)
                    note.bind(Int64(place), at: 2)
                    note.bind(value, at: 3)
                    try note.run()
                }
            }
            count += 1
        }
        return count
    }

    /// Throws if the model does not allow a value.
    private func check(
        _ value: StoredValue, _ attribute: AttributeDescription, _ key: Int64
    ) throws(StoreError) {
        let problem: String?
        switch value {
        case .null:
            problem =
                attribute.isOptional || attribute.derivationExpression != nil
                ? nil : "is required, and null"
        case .integer(let number):
            problem = attribute.type.integerLimits.flatMap { low, high in
                number < low || number > high
                    ? "is \(number), which is not in the range of \(attribute.type.rawValue)" : nil
            }
        default: problem = nil
        }
        let number = ExactDecimal(value)
        let isMisfit = attribute.isExactDecimal && value != .null && number?.isStorable != true
        guard let problem = problem ?? (isMisfit ? "is not a Decimal" : nil) else { return }
        throw StoreError(
            .migrationRefused,
            "'\(move.new.name).\(attribute.name)' of object \(key) \(problem), by the mapping of"
                + " '\(move.old.name)'")
    }
}
