import GraphModel
import SQLite

/// The moves that mappings define, with offsets that keep their objects' primary keys unique.
struct MappedMoves {
    private let source: MigrationSource
    private let target: StoreLayout

    init(_ source: MigrationSource, _ target: StoreLayout) {
        self.source = source
        self.target = target
    }

    /// Returns the moves of a mapping model.
    ///
    /// - Parameter pairing: Receives the relationships that continue old ones.
    func moves(
        _ mapping: MappingModel, _ pairing: inout ModelPairing
    ) throws(StoreError) -> [ObjectMove] {
        var moves: [ObjectMove] = []
        for entity in mapping.entities {
            guard let old = source.schema.entity(named: entity.source), !old.isAbstract else {
                throw StoreError(
                    .invalidRequest,
                    "The store has no objects of '\(entity.source)', which a mapping names")
            }
            guard let new = target.entity(named: entity.destination), target.holds(new) else {
                throw StoreError(
                    .invalidRequest,
                    "The mapping of '\(entity.source)' leads to '\(entity.destination)', which is "
                        + "not an entity of the new model")
            }
            for (name, value) in entity.values where new.attributes[name] == nil {
                try pair(name, value, entity, &pairing)
            }
            var predicate: GraphPredicate?
            if let text = entity.predicate {
                predicate = try MappingExpression.predicate(
                    text, for: old.name, in: source.model)
            }
            moves.append(ObjectMove(old: old, new: new, mapping: entity, predicate: predicate))
        }
        return moves
    }

    /// Records that a relationship continues an old one with another name.
    private func pair(
        _ name: String, _ value: String, _ mapping: EntityMapping, _ pairing: inout ModelPairing
    ) throws(StoreError) {
        guard target.model.relationship(name, of: mapping.destination) != nil else {
            throw StoreError(
                .invalidRequest,
                "The mapping of '\(mapping.source)' sets '\(name)', which '\(mapping.destination)'"
                    + " does not have")
        }
        guard value != EntityMapping.sameObject else { return }
        if let path = mapping.path(of: name) { return try check(path, name, mapping) }
        guard source.model.relationship(value, of: mapping.source) != nil else {
            throw StoreError(
                .invalidRequest,
                "The mapping of '\(mapping.source)' sets '\(name)' to '\(value)', which is not a "
                    + "relationship of it")
        }
        pairing.explicit["\(mapping.destination) \(mapping.source)", default: [:]][name] = value
    }

    /// Checks that a path has only to-ones and that the new relationship stores its own links.
    private func check(
        _ path: [String], _ name: String, _ mapping: EntityMapping
    ) throws(StoreError) {
        let subject = "'\(mapping.destination).\(name)' to '\(path.joined(separator: "."))'"
        if let problem = source.model.problem(withToOnePath: path, of: mapping.source) {
            throw StoreError(.invalidRequest, "The mapping sets \(subject): \(problem)")
        }
        let relationship = target.model.relationship(name, of: mapping.destination)
        if case .foreignKey? = target.entity(named: mapping.destination)?.toManys[name],
            let relationship
        {
            let inverse = relationship.inverseName.map {
                "'\(relationship.destinationEntityName).\($0)'"
            }
            throw StoreError(
                .invalidRequest,
                "The mapping sets \(subject), but the links are at the other end; set"
                    + " \(inverse ?? "them there") instead")
        }
    }

    /// Adds offsets to moves into one hierarchy whose objects would have the same primary keys.
    ///
    /// The objects come from several hierarchies, or from one entity more than once. Only
    /// hierarchies that receive objects from a mapping get offsets.
    func apart(_ moves: [ObjectMove]) throws(StoreError) -> [ObjectMove] {
        var largest: [Int64: Int64] = [:]
        let rows = try source.connection.prepare("SELECT Z_ENT, Z_MAX FROM main.Z_PRIMARYKEY")
        while try rows.step() { largest[rows.integer(0)] = rows.integer(1) }
        var result: [ObjectMove] = []
        /// For each new hierarchy: the old hierarchies in it, their offsets, and their entities.
        var taken: [Int64: [(root: Int64, offset: Int64, entities: Set<Int64>)]] = [:]
        for move in moves {
            var move = move
            let root = move.new.rootNumber
            var places = taken[root, default: []]
            defer { taken[root] = places }
            let place = places.firstIndex {
                $0.root == move.old.rootNumber && !$0.entities.contains(move.old.number)
            }
            if let place {
                places[place].entities.insert(move.old.number)
                move.offset = places[place].offset
            } else {
                let isTold =
                    move.mapping != nil
                    || moves.contains {
                        $0.new.rootNumber == root && $0.mapping != nil
                    }
                if isTold {
                    move.offset = places.map { $0.offset + (largest[$0.root] ?? 0) }.max() ?? 0
                }
                places.append((move.old.rootNumber, move.offset, [move.old.number]))
            }
            result.append(move)
        }
        return result
    }
}

/// The values that a mapping sets, as SQL over the old rows.
struct MappedValues {
    private let move: ObjectMove
    /// The values by new attribute.
    private(set) var attributes: [String: SQLFragment] = [:]
    private(set) var checks: [MigrationCheck] = []

    init(_ move: ObjectMove, _ moves: ObjectMoves) throws(StoreError) {
        self.move = move
        for (name, text) in (move.mapping?.values ?? [:]).sorted(by: { $0.key < $1.key }) {
            guard let place = move.new.attributes[name] else { continue }
            let expression = try MappingExpression.resolve(
                text, for: move.old.name, in: moves.old.model, assignedTo: place.attribute,
                "\(move.new.name).\(name)")
            var compiler = PredicateSQL(
                KeyPathSQL(moves.old, move.old, alias: "t", style: .subqueries))
            // Encoded like in the new column, such as a decimal's canonical text.
            let value = try compiler.value(expression, for: place.attribute)
            attributes[name] =
                place.attribute.allowsExternalBinaryDataStorage
                ? "CAST(x'01' || " + (value + " AS BLOB)") : value
            let check = MigrationCheck.limits(
                name, value, place.attribute.type, move, try move.condition(alias: "t", moves.old))
            if let check { checks.append(check) }
        }
    }

    /// Returns whether the mapping looks up the relationship's objects.
    func looksUp(_ relationship: String) -> Bool {
        move.mapping?.lookups.contains { $0.relationship == relationship } ?? false
    }

    /// Returns the links at the end of a to-one key path; `nil` if the mapping sets no path.
    func path(
        _ relationship: String, _ link: LinkColumn, _ moves: ObjectMoves
    ) throws(StoreError) -> [String: SQLFragment]? {
        guard let keys = move.mapping?.path(of: relationship) else { return nil }
        var paths = KeyPathSQL(moves.old, move.old, alias: "t", style: .subqueries)
        let key = try paths.column(keys)
        guard let end = paths.entity(at: keys),
            let found = try moves.link(key, companion: nil, from: end, to: link.target)
        else {
            throw StoreError(
                .invalidRequest,
                "The mapping sets '\(move.new.name).\(relationship)' to"
                    + " '\(keys.joined(separator: "."))', whose objects do not become objects of"
                    + " '\(link.target.name)'")
        }
        return link.values(
            key: found.key, entity: found.entity, order: LinkColumn.order(ifKey: key))
    }

    /// Returns a link to the object that another mapping creates from the same old object.
    ///
    /// The result is `nil` if the mapping does not set the relationship to `$source`.
    func sameObject(
        _ relationship: String, _ link: LinkColumn, _ moves: ObjectMoves
    ) throws(StoreError) -> [String: SQLFragment]? {
        guard move.mapping?.values[relationship] == EntityMapping.sameObject else { return nil }
        let other = moves.all.first {
            $0.old.number == move.old.number && $0.new.number != move.new.number
                && link.target.familyNumbers.contains($0.new.number)
        }
        guard let other else {
            throw StoreError(
                .invalidRequest,
                "The mapping of '\(move.new.name).\(relationship)' uses the object that another"
                    + " mapping of '\(move.old.name)' creates from the same object, but that "
                    + "mapping does not exist"
            )
        }
        let condition = try other.condition(alias: "t", moves.old)
        func chosen(_ value: String) -> SQLFragment {
            "CASE WHEN " + (condition + " THEN \(value) END")
        }
        return link.values(
            key: chosen("t.Z_PK + \(other.offset)"), entity: chosen("\(other.new.number)"),
            order: chosen("t.Z_PK * \(OrderPositions.step)"))
    }
}

extension ManagedObjectModel {
    /// Returns why a key path is not a path of to-one relationships; `nil` if it is one.
    package func problem(withToOnePath path: [String], of entity: String) -> String? {
        var here = entity
        for key in path {
            guard let relationship = relationship(key, of: here) else {
                return "'\(here)' has no relationship '\(key)'"
            }
            guard !relationship.isToMany else {
                return "'\(here).\(key)' is a to-many relationship"
            }
            here = relationship.destinationEntityName
        }
        return nil
    }
}
