/// Sorts objects as SQL's ORDER BY does, with the collations of `TextCollation`.
package final class GraphSorter {
    private struct Key {
        let descriptor: GraphSortDescriptor
        let path: CompiledGraphExpression
    }

    private let keys: [Key]

    /// Compiles the sort keys; `scheme` resolves their key paths.
    ///
    /// - Throws: `GraphPredicateError` if a key is unknown or a key path is to-many.
    package init<Scheme: EvaluationScheme>(
        _ descriptors: [GraphSortDescriptor], over scheme: inout Scheme
    ) throws(GraphPredicateError) {
        var keys: [Key] = []
        for descriptor in descriptors {
            let path = try CompiledGraphExpression(.keyPath(descriptor.keyPath), over: &scheme)
            guard path.isCollection != true else {
                throw GraphPredicateError(
                    .toMany,
                    "Objects cannot be sorted by '\(descriptor.keyPath.joined(separator: "."))'"
                        + ", which is to-many")
            }
            keys.append(Key(descriptor: descriptor, path: path))
        }
        self.keys = keys
    }

    /// Returns a negative or positive number if the first object comes before or after the second.
    ///
    /// Returns 0 if the sort keys are equal; the caller then decides the order.
    package func compare<Graph: EvaluationGraph>(
        _ left: Graph.Node, _ right: Graph.Node, in graph: Graph
    ) throws(EvaluationError) -> Int {
        for key in keys {
            let order = try Self.compare(
                key.path.evaluate(left, in: graph), key.path.evaluate(right, in: graph),
                key.descriptor)
            if order != 0 { return order }
        }
        return 0
    }

    /// Returns the order of two values under one sort key.
    package static func compare(
        _ left: EvaluatedValue, _ right: EvaluatedValue, _ descriptor: GraphSortDescriptor
    ) throws(EvaluationError) -> Int {
        switch (left.isNull, right.isNull) {
        case (true, true): return 0
        case (true, false): return descriptor.nullOrder == .first ? -1 : 1
        case (false, true): return descriptor.nullOrder == .first ? 1 : -1
        case (false, false): break
        }
        let order: Int
        if let left = left.textBytes, let right = right.textBytes {
            order = TextCollation.compare(left, right, order: descriptor.textOrder)
        } else if case .object(let left) = left, case .object(let right) = right {
            // Objects of one relationship have one root entity, within which primary keys are
            // unique.
            order =
                left.primaryKey < right.primaryKey
                ? -1 : left.primaryKey > right.primaryKey ? 1 : 0
        } else {
            order = try ValueOrder.compare(left, right, [])
        }
        return descriptor.isAscending ? order : -order
    }
}

extension GraphSortDescriptor {
    /// Returns the records in the order of the sort keys; equal records keep their order.
    ///
    /// - Throws: `GraphPredicateError` if a key path cannot be sorted by, `EvaluationError` if
    ///   values have no order.
    public static func sorted(
        _ records: [GraphRecord], by descriptors: [GraphSortDescriptor]
    ) throws -> [GraphRecord] {
        var scheme = RecordScheme()
        let sorter = try GraphSorter(descriptors, over: &scheme)
        let graph = RecordGraph(keys: scheme.keys)
        let objects = records.map(graph.object)
        return try records.indices.sorted { left, right in
            let order = try sorter.compare(objects[left], objects[right], in: graph)
            return order == 0 ? left < right : order < 0
        }.map { records[$0] }
    }
}
