import GraphModel

/// Turns sort descriptors into the terms of an ORDER BY.
struct OrderSQL {
    /// The terms, the object's key last, so that rows that tie come in the same order every time.
    let terms: [String]

    /// - Parameter paths: of the objects to be ordered; it learns the joins.
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
            if type == .decimal { term += " COLLATE \(DecimalSQL.collation)" }
            if !descriptor.isAscending { term += " DESC" }
            // Said only where SQLite would do otherwise, since that costs it an index.
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
