/// Puts objects in an order, as SQL's ORDER BY does with `TextCollation`'s collations.
package final class GraphSorter {
    private struct Key {
        let descriptor: GraphSortDescriptor
        let path: CompiledGraphExpression
    }

    private let keys: [Key]

    /// Compiles the sort keys; `scheme` says what their key paths mean.
    ///
    /// - Throws: an unknown key, or a to-many in a key path.
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

    /// Negative or positive as the first object comes before or after the second; zero where
    /// the sort keys are equal, and the caller's own tie-break decides.
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

    /// The order of two values under one sort key.
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
            // Those of one relationship are of one hierarchy, where keys are unique.
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
    /// The records in the order that the keys say; equal ones stay as they stand.
    ///
    /// - Throws: `GraphPredicateError` for a key path that cannot be sorted by,
    ///   `EvaluationError` for values that have no order between them.
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
