import GraphModel

/// The ORDER BY terms of sort descriptors.
struct OrderSQL {
    /// The terms, ending with the object's key, so that ties always have the same order.
    let terms: [String]

    /// Compiles sort descriptors to the terms of an ORDER BY clause.
    ///
    /// - Parameter paths: The key paths of the objects to sort; the initializer adds the joins.
    init(_ order: [GraphSortDescriptor], _ paths: inout KeyPathSQL) throws(StoreError) {
        var terms: [String] = []
        for descriptor in order {
            let path = descriptor.keyPath
            let type = try paths.type(of: path)
            guard type != .opaque else {
                throw StoreError(
                    .invalidRequest,
                    "'\(path.joined(separator: "."))' is a transformable, which has no order")
            }
            var term = try paths.column(path)
            if type == .text, let collation = TextCollations.name(descriptor.textOrder) {
                term += " COLLATE \(collation)"
            }
            if type == .decimal { term += " COLLATE \(DecimalCollation.name)" }
            if !descriptor.isAscending { term += " DESC" }
            // Only if SQLite's default differs, because an explicit order of NULLs prevents the use
            // of an index.
            if descriptor.nullOrder != (descriptor.isAscending ? .first : .last) {
                term += descriptor.nullOrder == .first ? " NULLS FIRST" : " NULLS LAST"
            }
            terms.append(term)
        }
        if !terms.contains(where: { $0 == paths.key || $0 == paths.key + " DESC" }) {
            terms.append(paths.key)
        }
        self.terms = terms
    }
}
