import GraphModel
import SQLite

/// A fetch request resolved against the model: as SQL, and as what can be run over objects.
struct FetchPlan {
    let layout: EntityLayout
    let predicate: GraphPredicate?
    let sortDescriptors: [GraphSortDescriptor]
    let limit: Int
    let offset: Int
    let numbers: [Int64]
    let includesSubentities: Bool
    /// Root entities, besides its own, whose objects the predicate or the order look at.
    let otherRoots: Set<Int64>
    /// Root entities of objects that the predicate or the order only name: a deletion counts.
    let namedRoots: Set<Int64>
    /// The paths to such objects, with their roots.
    let namedPaths: [[String]: Int64]
    private let objects: ObjectSupport
    /// The root entity's number for that of each entity below it.
    var rootNumbers: [Int64: Int64] { objects.schema.rootNumbers }

    init<Object>(
        _ request: FetchRequest<Object>, _ objects: ObjectSupport
    ) throws(StoreError) {
        guard let layout = objects.layout(named: request.entityName) else {
            throw StoreError(.invalidRequest, "There is no entity '\(request.entityName)'")
        }
        try objects.schema.requireTable(layout.entity)
        guard request.fetchLimit >= 0, request.fetchOffset >= 0 else {
            throw StoreError(.invalidRequest, "The limit and the offset must not be negative")
        }
        self.layout = layout
        self.objects = objects
        limit = request.fetchLimit
        offset = request.fetchOffset
        sortDescriptors = request.sortDescriptors.map {
            $0.folded(for: layout.name, in: objects.schema.model)
        }
        includesSubentities = request.includesSubentities
        numbers =
            request.includesSubentities ? layout.entity.familyNumbers : [layout.entity.number]
        do {
            predicate = try request.predicate?.resolved(
                for: layout.name, in: objects.schema.model, variables: request.variables)
        } catch {
            throw StoreError(.invalidRequest, error.rendered)
        }
        let paths =
            LookedAtPaths(predicate).paths.union(sortDescriptors.map(\.keyPath))
        (otherRoots, namedPaths) = Self.roots(of: paths, from: layout, objects)
        namedRoots = Set(namedPaths.values)
    }

    /// Root entities on the way along paths; those at whose objects a path of to-ones ends, too,
    /// but by themselves.
    private static func roots(
        of paths: Set<[String]>, from layout: EntityLayout, _ objects: ObjectSupport
    ) -> (others: Set<Int64>, named: [[String]: Int64]) {
        var others: Set<Int64> = []
        var named: [[String]: Int64] = [:]
        for path in paths {
            var here: EntityLayout? = layout
            for (position, name) in path.enumerated() {
                var isNamed = false
                switch here?.properties[name] {
                case .toOne(let slot):
                    here = here.flatMap { objects.layout($0.toOnes[slot].destination) }
                    isNamed = position == path.count - 1
                case .toMany(let slot):
                    here = here.flatMap { objects.layout($0.toManys[slot].destination) }
                default: here = nil
                }
                guard let root = here?.entity.rootNumber else { break }
                if isNamed { named[path] = root } else { others.insert(root) }
            }
        }
        return (others, named)
    }

    /// The root entities whose objects have a say in the results, or in a path from each.
    func roots(alsoAt path: [String]) -> Set<Int64> {
        let (others, named) = Self.roots(of: [path], from: layout, objects)
        return otherRoots.union(namedRoots).union(others).union(named.values)
            .union([layout.entity.rootNumber])
    }

    /// The handle by which an evaluation over objects asks for a property, or for their number.
    func handle(entity: String, key: String) -> Int? {
        if key == ObjectNumber.explicitKey { return ObjectGraph.numberHandle }
        return objects.layout(named: entity)?.properties[key].map(ObjectGraph.handle)
    }

    // MARK: SQL

    /// Throws if the order is by what is not stored.
    func checkOrder() throws(StoreError) {
        var select = EntitySelect(layout.entity, in: objects.schema)
        try select.sort(by: sortDescriptors)
    }

    /// The select of rows, or of what stands for them.
    ///
    /// - Parameter limit: rows at most; nil is no limit.
    func select(
        _ columns: String, limit: Int?, offset: Int
    ) throws(StoreError) -> EntitySelect {
        var select = EntitySelect(layout.entity, in: objects.schema)
        try select.sort(by: sortDescriptors)
        select.clauses.columns = [SQLFragment(columns)]
        try select.keep(predicate, withSubentities: includesSubentities)
        select.clauses.take(limit, from: offset)
        return select
    }

    /// The number of rows, whatever the limit, without some objects.
    func counting(without ids: [ManagedObjectID]) throws(StoreError) -> SelectSQL {
        try checkOrder()
        var select = EntitySelect(layout.entity, in: objects.schema)
        if !ids.isEmpty {
            let list = TemporaryList(ids.map { .integer($0.primaryKey) })
            var condition = SQLFragment("t.Z_PK NOT IN (SELECT value FROM \(list.table))")
            condition.lists = [list]
            select.keep(condition)
        }
        try select.keep(predicate, withSubentities: includesSubentities)
        return select.statement.counting
    }
}
