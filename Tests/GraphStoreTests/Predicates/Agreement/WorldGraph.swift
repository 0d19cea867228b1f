import GraphModel

@testable import GraphStore

/// An object of a generated world, for the evaluator.
final class WorldObject {
    let entity: StoreLayout.Entity
    let primaryKey: Int64
    var values: [String: GraphValue] = [:]
    var toOnes: [String: WorldObject] = [:]
    var toManys: [String: [WorldObject]] = [:]

    init(_ entity: StoreLayout.Entity, _ primaryKey: Int64) {
        self.entity = entity
        self.primaryKey = primaryKey
    }

    var id: ManagedObjectID {
        ManagedObjectID(entityNumber: entity.number, primaryKey: primaryKey)
    }
}

/// A graph that runs the evaluator over a generated world; a handle is a name's index in `names`.
final class WorldGraph: EvaluationGraph {
    let names: [String]
    private let arena = EvaluationArena()

    init(names: [String]) {
        self.names = names
    }

    func property(_ handle: Int, of node: WorldObject) -> EvaluatedProperty<WorldObject> {
        let name = names[handle]
        if name == ObjectNumber.explicitKey { return .value(.integer(node.primaryKey)) }
        if let value = node.values[name] { return .value(evaluated(value)) }
        if let object = node.toOnes[name] { return .object(object) }
        return node.toManys[name] == nil ? .value(.null) : .elements
    }

    func visit(
        _ handle: Int, of node: WorldObject,
        _ body: (EvaluatedElement<WorldObject>) throws(EvaluationError) -> Bool
    ) throws(EvaluationError) -> Bool {
        for element in node.toManys[names[handle]] ?? [] where try !body(.object(element)) {
            return false
        }
        return true
    }

    func identity(of node: WorldObject) -> EvaluatedValue { .object(node.id) }

    func reset() { arena.reset() }

    private func evaluated(_ value: GraphValue) -> EvaluatedValue {
        EvaluatedValue(value, in: arena)
    }
}
