import GraphModel
import SQLite

/// Evaluates a fetch's predicate and sort order over objects in memory.
struct ObjectEvaluation {
    private let predicate: CompiledGraphPredicate?
    private let sorter: GraphSorter
    private let graph = ObjectGraph()

    init(_ plan: FetchPlan, _ model: ManagedObjectModel) throws(StoreError) {
        var scheme = ModelScheme(
            model, entityName: plan.layout.name, rootNumbers: plan.rootNumbers,
            handle: plan.handle)
        do throws(GraphPredicateError) {
            if let tree = plan.predicate {
                predicate = try CompiledGraphPredicate(tree, over: &scheme)
            } else {
                predicate = nil
            }
            sorter = try GraphSorter(plan.sortDescriptors, over: &scheme)
        } catch {
            throw StoreError(.invalidRequest, error.rendered)
        }
    }

    /// Returns whether an object, with its values in memory, meets the predicate.
    func matches(_ object: ManagedObject) throws(StoreError) -> Bool {
        guard let predicate else { return true }
        graph.begin(object.link.context?.interruptFlag)
        do throws(EvaluationError) {
            let matches = try predicate.evaluate(object, in: graph)
            if let problem = graph.problem { throw problem }
            return matches
        } catch .stopped {
            throw StoreError(.cancelled, "The task was canceled")
        } catch {
            throw StoreError(.invalidRequest, error.description)
        }
    }

    /// Returns whether the first object sorts before the second; ties are sorted by primary key.
    func precedes(_ left: ManagedObject, _ right: ManagedObject) throws(StoreError) -> Bool {
        graph.begin()
        do throws(EvaluationError) {
            let order = try sorter.compare(left, right, in: graph)
            if let problem = graph.problem { throw problem }
            return order == 0
                ? left.objectID.primaryKey < right.objectID.primaryKey : order < 0
        } catch {
            throw StoreError(.invalidRequest, error.description)
        }
    }

    /// Sorts objects with a merge sort, because comparing may throw.
    func sorted(_ objects: [ManagedObject]) throws(StoreError) -> [ManagedObject] {
        guard objects.count > 1 else { return objects }
        let middle = objects.count / 2
        let left = try sorted(Array(objects[..<middle]))
        let right = try sorted(Array(objects[middle...]))
        return try merged(left, right)
    }

    /// Merges two sorted runs; positions in `left` are found by binary search.
    func merged(
        _ left: [ManagedObject], _ right: [ManagedObject]
    ) throws(StoreError) -> [ManagedObject] {
        var result: [ManagedObject] = []
        result.reserveCapacity(left.count + right.count)
        var start = 0
        for object in right {
            var low = start
            var high = left.count
            while low < high {
                let middle = (low + high) / 2
                if try precedes(left[middle], object) { low = middle + 1 } else { high = middle }
            }
            result.append(contentsOf: left[start..<low])
            result.append(object)
            start = low
        }
        result.append(contentsOf: left[start...])
        return result
    }
}

/// An evaluation graph over the objects of a context, which loads missing values on access.
final class ObjectGraph: EvaluationGraph {
    private let texts = ArenaBox()
    /// The error of an access that cannot throw.
    private(set) var problem: EvaluationError?

    /// The flag that stops the evaluation early.
    private(set) var stop: (any EvaluationStop)?

    /// Resets the graph; call it before each evaluation.
    func begin(_ flag: InterruptFlag? = nil) {
        stop = flag
        texts.reset()
        problem = nil
    }

    /// Returns the handle of a property: its kind and slot, which sub-entities share.
    static func handle(_ property: EntityLayout.Property) -> Int {
        switch property {
        case .attribute(let slot): slot
        case .toOne(let slot): 1 << 16 | slot
        case .toMany(let slot): 2 << 16 | slot
        }
    }

    /// The handle of an object's primary key.
    static let numberHandle = 3 << 16

    func property(
        _ handle: Int, of object: ManagedObject
    ) -> EvaluatedProperty<ManagedObject> {
        let slot = handle & 0xFFFF
        switch handle >> 16 {
        case 0:
            // A sibling entity without the property has no value there, as in SQL.
            guard slot < object.layout.attributes.count, isThere(object) else {
                return .value(.null)
            }
            let type = object.layout.attributes[slot].description.type
            return .value(texts.evaluated(object.values[slot], type))
        case 1:
            guard slot < object.layout.toOnes.count, isThere(object),
                let id = object.links[slot], let context = object.link.context
            else { return .value(.null) }
            return .object(context.object(with: id))
        case 3:
            // A new object may get another primary key when it is saved.
            return .value(object.isStored ? .integer(object.objectID.primaryKey) : .null)
        default: return .elements
        }
    }

    func visit(
        _ handle: Int, of object: ManagedObject,
        _ body: (EvaluatedElement<ManagedObject>) throws(EvaluationError) -> Bool
    ) throws(EvaluationError) -> Bool {
        let slot = handle & 0xFFFF
        guard slot < object.layout.toManys.count else { return true }
        let objects: [ManagedObject]
        do throws(StoreError) {
            objects = try object.toMany(slot)
            try object.live().fault(objects)
        } catch {
            throw .unreadable(error.message)
        }
        for other in objects where try !body(.object(other)) {
            return false
        }
        return true
    }

    func identity(of object: ManagedObject) -> EvaluatedValue { .object(object.objectID) }

    /// Fires the object, and returns `false` if its row is missing: it then has no values, as in a
    /// LEFT JOIN.
    private func isThere(_ object: ManagedObject) -> Bool {
        guard object.presence != .realized else { return true }
        do throws(StoreError) {
            try object.realize()
            return true
        } catch {
            if error.code != .inaccessible { problem = .unreadable(error.message) }
            return false
        }
    }
}

extension FetchPlan {
    /// Returns the handle of a property, or of the object's primary key, for an evaluation.
    fileprivate func handle(entity: String, key: String) -> Int? {
        if key == ObjectNumber.explicitKey { return ObjectGraph.numberHandle }
        return objects.layout(named: entity)?.properties[key].map(ObjectGraph.handle)
    }
}
