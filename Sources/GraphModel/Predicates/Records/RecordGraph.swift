#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The scheme of records, in which any key can exist and have any value.
struct RecordScheme: EvaluationScheme {
    private(set) var keys: [String] = []

    var hasIdentity: Bool { true }

    mutating func path(of keys: [String], from kind: Int) -> EvaluationPath? {
        var handles: [Int] = []
        for key in keys {
            if let handle = self.keys.firstIndex(of: key) {
                handles.append(handle)
            } else {
                handles.append(self.keys.count)
                self.keys.append(key)
            }
        }
        return EvaluationPath(handles, .unknown, kind: 0)
    }
}

/// A record with its bytes in the arena, and with its related records.
final class RecordObject {
    let id: ManagedObjectID
    fileprivate(set) var properties: [String: Property] = [:]

    enum Property {
        case value(EvaluatedValue)
        case object(RecordObject)
        case elements([EvaluatedElement<RecordObject>])
    }

    init(id: ManagedObjectID) {
        self.id = id
    }
}

/// The graph of records, for evaluating programs.
final class RecordGraph: EvaluationGraph {
    private let keys: [String]
    private let arena = EvaluationArena()
    private var anonymousCount: Int64 = 0

    /// Creates a graph.
    ///
    /// - Parameter keys: The keys of the scheme, indexed by handle.
    init(keys: [String]) {
        self.keys = keys
    }

    /// Returns the record as an object that is valid as long as the graph.
    func object(_ record: GraphRecord) -> RecordObject {
        // A negative number is never the entity number of a store.
        anonymousCount += 1
        let object = RecordObject(
            id: record.id ?? ManagedObjectID(entityNumber: -1, primaryKey: anonymousCount))
        for (key, value) in record.fields {
            switch value {
            case .value(let value):
                object.properties[key] = .value(EvaluatedValue(value, in: arena))
            case .record(let other): object.properties[key] = .object(self.object(other))
            case .list(let values): object.properties[key] = .elements(elements(values))
            }
        }
        return object
    }

    private func elements(
        _ values: [GraphRecord.Value]
    ) -> [EvaluatedElement<RecordObject>] {
        values.flatMap { value -> [EvaluatedElement<RecordObject>] in
            switch value {
            case .value(let value): [.value(EvaluatedValue(value, in: arena))]
            case .record(let record): [.object(object(record))]
            case .list(let inner): elements(inner)
            }
        }
    }

    func property(_ handle: Int, of node: RecordObject) -> EvaluatedProperty<RecordObject> {
        switch node.properties[keys[handle]] {
        case .value(let value): .value(value)
        case .object(let object): .object(object)
        case .elements: .elements
        case nil:
            // A record that represents an object has that object's primary key.
            node.id.entityNumber >= 0 && ObjectNumber.isSpelled(keys[handle])
                ? .value(.integer(node.id.primaryKey)) : .value(.null)
        }
    }

    func visit(
        _ handle: Int, of node: RecordObject,
        _ body: (EvaluatedElement<RecordObject>) throws(EvaluationError) -> Bool
    ) throws(EvaluationError) -> Bool {
        guard case .elements(let elements) = node.properties[keys[handle]] else { return true }
        for element in elements where try !body(element) { return false }
        return true
    }

    func identity(of node: RecordObject) -> EvaluatedValue { .object(node.id) }
}

/// The system's clock.
enum SystemTime {
    /// Returns the seconds since 2001-01-01 UTC.
    static func seconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec - 978_307_200) + Double(time.tv_nsec) / 1e9
    }
}
