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
    /// Root entities, besides its own, whose objects the predicate or the order look at.
    let otherRoots: Set<Int64>
    private let objects: ObjectSupport
    /// The root entity's number for that of each entity below it.
    var rootNumbers: [Int64: Int64] { objects.schema.rootNumbers }

    init<Object>(
        _ request: FetchRequest<Object>, _ objects: ObjectSupport
    ) throws(StoreError) {
        guard let layout = objects.layout(named: request.entityName) else {
            throw StoreError(.invalidRequest, "There is no entity '\(request.entityName)'")
        }
        guard request.fetchLimit >= 0, request.fetchOffset >= 0 else {
            throw StoreError(.invalidRequest, "A limit or an offset is less than nothing")
        }
        self.layout = layout
        self.objects = objects
        limit = request.fetchLimit
        offset = request.fetchOffset
        sortDescriptors = request.sortDescriptors
        numbers =
            request.includesSubentities ? layout.entity.familyNumbers : [layout.entity.number]
        do {
            predicate = try request.predicate?.resolved(
                for: layout.name, in: objects.schema.model, variables: request.variables)
        } catch {
            throw StoreError(.invalidRequest, error.rendered)
        }
        let paths = (predicate?.keyPaths ?? []) + request.sortDescriptors.map(\.keyPath)
        otherRoots = Self.roots(of: paths, from: layout, objects)
    }

    private static func roots(
        of paths: [[String]], from layout: EntityLayout, _ objects: ObjectSupport
    ) -> Set<Int64> {
        var roots: Set<Int64> = []
        for path in paths {
            var here: EntityLayout? = layout
            for name in path.dropLast() {
                let destination: Int64? =
                    switch here?.properties[name] {
                    case .toOne(let slot): here?.toOnes[slot].destination
                    case .toMany(let slot): here?.toManys[slot].destination
                    default: nil
                    }
                here = destination.flatMap { objects.layout($0) }
                if let here { roots.insert(here.entity.rootNumber) }
            }
        }
        return roots
    }

    /// The handle by which an evaluation over objects asks for a property.
    func handle(entity: String, key: String) -> Int? {
        objects.layout(named: entity)?.properties[key].map(ObjectGraph.handle)
    }

    // MARK: SQL

    /// The select of rows, or of what stands for them.
    ///
    /// - Parameter limit: rows at most; nil is no limit.
    func select(_ columns: String, limit: Int?, offset: Int) throws(StoreError) -> SQLFragment {
        var paths = KeyPathSQL(objects.schema, layout.entity, style: .joins)
        let order = try OrderSQL(sortDescriptors, &paths).terms.joined(separator: ", ")
        var compiler = PredicateSQL(paths)
        var conditions: [SQLFragment] = []
        if numbers.count < familyOfRoot {
            let list = numbers.map(String.init).joined(separator: ",")
            conditions.append(SQLFragment("t.Z_ENT IN (\(list))"))
        }
        if let predicate { conditions.append(try compiler.condition(predicate)) }
        let filter =
            conditions.isEmpty
            ? SQLFragment("") : " WHERE " + conditions.joined(separator: " AND ")
        var sql =
            "SELECT \(columns) FROM \(layout.entity.table) t\(compiler.joins)" + filter
            + " ORDER BY \(order)"
        if limit != nil || offset > 0 { sql = sql + " LIMIT \(limit ?? -1) OFFSET \(offset)" }
        return sql
    }

    private var familyOfRoot: Int {
        objects.layout(layout.entity.rootNumber)?.entity.familyNumbers.count ?? 1
    }
}
