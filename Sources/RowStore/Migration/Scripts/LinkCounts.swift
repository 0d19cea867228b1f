import GraphModel
import SQLite

/// The link counts that a new model requires of its to-many relationships.
///
/// They are checked in the finished store, because mappings, lookups, and dropped objects change
/// them. If the old model had the same requirement and the old store violated it, the violation is
/// not an obstacle.
struct LinkCounts {
    private let script: MigrationScript
    private let demands: [Demand]

    /// A minimum or maximum link count of one relationship.
    private struct Demand {
        let entity: StoreLayout.Entity
        let relationship: RelationshipDescription
        let problem: RelationshipDescription.CountProblem
        let limit: Int

        /// Returns a format for the objects that violate it, as a predicate over a relationship's
        /// name.
        func format(_ name: String) -> String {
            let count = "#'\(name)'.@count"
            switch problem {
            case .tooFew where relationship.isOptional:
                return "\(count) > 0 AND \(count) < \(limit)"
            case .tooFew: return "\(count) < \(limit)"
            case .tooMany: return "\(count) > \(limit)"
            }
        }

        func text(_ count: Int) -> String {
            let name = "\(entity.name).\(relationship.name)"
            let objects = count.counting("object has", "objects have")
            switch problem {
            case .tooFew where limit == 1:
                return "\(name) is required, and \(objects) none; link them in a mapping"
            case .tooFew:
                return "\(name) needs at least \(limit) objects, and \(objects) fewer; link more in"
                    + " a mapping"
            case .tooMany:
                return
                    "\(name) holds at most \(limit.counting("object", "objects")), and \(objects)"
                    + " more; link fewer in a mapping"
            }
        }
    }

    /// Whether the new model has no requirements.
    var isEmpty: Bool { demands.isEmpty }

    init(_ script: MigrationScript) {
        self.script = script
        var demands: [Demand] = []
        for entity in script.new.heldEntities {
            for relationship in script.new.model.ownRelationships(named: entity.name)
            where relationship.isToMany && entity.toManys[relationship.name] != nil {
                for problem in RelationshipDescription.CountProblem.allCases {
                    guard let limit = relationship.limit(problem) else { continue }
                    demands.append(
                        Demand(
                            entity: entity, relationship: relationship, problem: problem,
                            limit: limit))
                }
            }
        }
        self.demands = demands
    }

    /// Returns the requirements that more objects violate in the new store than in the old one.
    ///
    /// - Parameter connection: A reader of the new store.
    func obstacles(
        in connection: Connection, after source: MigrationSource
    ) throws(StoreError) -> [String] {
        var obstacles: [String] = []
        for demand in demands {
            let family = demand.entity.familyCondition(alias: "t.") ?? "1"
            let count = try count(
                demand.format(demand.relationship.name), of: demand.entity, in: script.new, family,
                on: connection)
            guard count > 0 else { continue }
            if try count > tolerated(demand, source) { obstacles.append(demand.text(count)) }
        }
        return obstacles
    }

    /// Returns how many old objects violated the requirement under a model that had it too.
    private func tolerated(
        _ demand: Demand, _ source: MigrationSource
    ) throws(StoreError) -> Int {
        var sum = 0
        for move in script.moves.all
        where demand.entity.familyNumbers.contains(move.new.number) {
            let partners = script.pairing.relationships(of: move.new.name, from: move.old.name)
            guard let partner = partners[demand.relationship.name], partner.isToMany,
                let limit = partner.limit(demand.problem),
                demand.problem == .tooFew ? limit >= demand.limit : limit <= demand.limit,
                demand.problem == .tooMany || !partner.isOptional
                    || demand.relationship.isOptional
            else { continue }
            sum += try count(
                demand.format(partner.name), of: move.old, in: source.schema,
                "t.Z_ENT = \(move.old.number)", on: source.connection)
        }
        return sum
    }

    private func count(
        _ format: String, of entity: StoreLayout.Entity, in schema: StoreLayout,
        _ condition: String, on connection: Connection
    ) throws(StoreError) -> Int {
        let predicate = try MappingExpression.predicate(format, for: entity.name, in: schema.model)
        var select = EntitySelect(
            entity, in: schema, rows: SQLFragment("main.\(entity.table)"), style: .subqueries)
        select.keep(SQLFragment(condition))
        let holds = try select.compiler.condition(predicate)
        select.keep("(" + holds + ")")
        return try select.statement.counting.integer(on: connection)
    }
}
