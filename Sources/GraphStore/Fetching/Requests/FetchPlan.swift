import GraphModel

/// A fetch request resolved against the model, for SQL and for evaluation over objects.
struct FetchPlan {
    let layout: EntityLayout
    let predicate: GraphPredicate?
    let sortDescriptors: [GraphSortDescriptor]
    let limit: Int
    let offset: Int
    let numbers: [Int64]
    let includesSubentities: Bool
    /// Other root entities whose objects the predicate or the sort order reads.
    let otherRoots: Set<Int64>
    /// Root entities of objects with which the predicate only compares links.
    ///
    /// The values of these objects are not read, so only their deletion changes the result.
    let namedRoots: Set<Int64>
    /// The paths of relationships whose links the predicate compares, each with its destination's
    /// root entity.
    let namedPaths: [[String]: Int64]
    let objects: ObjectSupport
    /// The root entity's number for each entity number.
    var rootNumbers: [Int64: Int64] { objects.schema.rootNumbers }

    init<Object>(
        _ request: FetchRequest<Object>, _ objects: ObjectSupport
    ) throws(StoreError) {
        let layout = try objects.requiredLayout(named: request.entityName)
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
            ReferencedKeyPaths(predicate).paths.union(sortDescriptors.map(\.keyPath))
        (otherRoots, namedPaths) = Self.roots(of: paths, from: layout, objects)
        namedRoots = Set(namedPaths.values)
    }

    /// Returns the root entities along paths.
    ///
    /// The destination at the end of a path of to-ones is returned separately.
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

    /// Returns the root entities whose objects can affect the results, or a path from each result.
    func roots(alsoAt path: [String]) -> Set<Int64> {
        let (others, named) = Self.roots(of: [path], from: layout, objects)
        return otherRoots.union(namedRoots).union(others).union(named.values)
            .union([layout.entity.rootNumber])
    }

    // MARK: SQL

    /// Throws if the sort order uses a property that is not stored.
    func checkOrder() throws(StoreError) {
        var select = EntitySelect(layout.entity, in: objects.schema)
        try select.sort(by: sortDescriptors)
    }

    /// Returns the SELECT of the objects' rows, with the given columns.
    ///
    /// - Parameter limit: the maximum number of rows; `nil` means all.
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

    /// Returns the statement that counts the rows without the given objects, ignoring the limit.
    func counting(without ids: [ManagedObjectID]) throws(StoreError) -> SelectSQL {
        try checkOrder()
        var select = EntitySelect(layout.entity, in: objects.schema)
        if !ids.isEmpty {
            let list = TemporaryList(ids.map { .integer($0.primaryKey) })
            select.keep(list.excluding("t.Z_PK"))
        }
        try select.keep(predicate, withSubentities: includesSubentities)
        return select.statement.counting
    }
}
