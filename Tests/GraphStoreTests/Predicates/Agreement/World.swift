import GraphModel
import SQLite
import TestSeeds

@testable import GraphStore

/// A generated model and its objects, in a store and in memory.
struct World {
    let model: ManagedObjectModel
    let store: TestStore
    let objects: [WorldObject]
    /// IDs of objects, some with another entity of their hierarchy.
    let variables: [String: GraphValue]
    private let graph: WorldGraph
    private let connection: Connection
    var schema: StoreLayout { store.container.schema }

    init(_ generator: inout WorldGenerator) throws {
        model = try GraphStoreTests.model(generator.entities())
        store = try TestStore(model)
        objects = try generator.fill(store)
        try generator.rewrite(objects, in: store)
        connection = try store.container.newReader()
        let names = objects.flatMap { object in
            Array(object.values.keys) + object.entity.toOnes.keys + object.entity.toManys.keys
        }
        graph = WorldGraph(names: Set(names + [ObjectNumber.explicitKey]).sorted())
        var variables: [String: GraphValue] = [:]
        for (number, object) in objects.enumerated() {
            let family = store.container.schema.entities.filter {
                $0.rootNumber == object.entity.rootNumber
            }
            let entity = number % 3 == 0 ? generator.random.pick(family) : object.entity
            variables["o\(number)"] = .object(
                ManagedObjectID(entityNumber: entity.number, primaryKey: object.primaryKey))
        }
        self.variables = variables
    }

    private func members(of entity: StoreLayout.Entity) -> [WorldObject] {
        objects.filter { entity.familyNumbers.contains($0.entity.number) }
    }

    /// Returns the objects that the evaluator finds, by key.
    func evaluate(
        _ predicate: GraphPredicate, _ order: [GraphSortDescriptor],
        over entity: StoreLayout.Entity
    ) throws -> [Int64] {
        var scheme = ModelScheme(
            model, entityName: entity.name, rootNumbers: schema.rootNumbers
        ) { _, key in
            graph.names.firstIndex(of: key)
        }
        let compiled = try CompiledGraphPredicate(predicate, over: &scheme)
        let sorter = try GraphSorter(order, over: &scheme)
        graph.reset()
        var found: [WorldObject] = []
        for object in members(of: entity) where try compiled.evaluate(object, in: graph) {
            found.append(object)
        }
        return try found.sorted { left, right in
            let order = try sorter.compare(left, right, in: graph)
            return order == 0 ? left.primaryKey < right.primaryKey : order < 0
        }.map(\.primaryKey)
    }

    /// Returns the objects that SQL finds, by key.
    func select(
        _ predicate: GraphPredicate, _ order: [GraphSortDescriptor],
        over entity: StoreLayout.Entity
    ) throws -> [Int64] {
        let keys = order.isEmpty ? [GraphSortDescriptor([ObjectNumber.key])] : order
        let request = RowRequest(entityName: entity.name, order: keys, fields: [])
        let select = try request.select(of: entity, where: predicate, columns: [], schema)
        let rows = try select.prepare(on: connection)
        var found: [Int64] = []
        while try rows.step() { found.append(rows.integer(0)) }
        return found
    }

    /// The objects as text, for failure messages.
    var description: String {
        objects.map { object in
            let values = object.values.sorted { $0.key < $1.key }
                .map { "\($0.key): \(GraphExpression.constant($0.value))" }
            let toOnes = object.toOnes.sorted { $0.key < $1.key }
                .map { "\($0.key): \($0.value.entity.name)\($0.value.primaryKey)" }
            let toManys = object.toManys.sorted { $0.key < $1.key }
                .map { "\($0.key): \($0.value.map { "\($0.entity.name)\($0.primaryKey)" })" }
            return "\(object.entity.name)\(object.primaryKey) "
                + (values + toOnes + toManys).joined(separator: ", ")
        }.joined(separator: "\n")
    }
}
