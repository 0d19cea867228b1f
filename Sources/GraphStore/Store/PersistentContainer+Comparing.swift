import GraphModel

extension PersistentContainer {
    /// Compares the store with another one of the same model, which is not changed.
    ///
    /// Links between a to-one and a to-many are reported for the to-one, other links for both ends.
    ///
    /// - Parameters:
    ///   - path: The path of the other store; `nil` compares with an empty one.
    ///   - identity: The key by which objects of both stores are matched.
    /// - Throws: `.busy` if the first load of one of the stores has not finished, because its links
    ///   are written at its end.
    public func difference(
        from path: String?, by identity: StoreDifference.Identity = .primaryKey
    ) throws(StoreError) -> StoreDifference {
        let comparison = StoreComparison(schema: schema, identity: identity)
        return try comparison.run(storeDescription, from: path) { () throws(StoreError) in
            try newReader()
        }
    }
}

extension PersistentContainer {
    /// Creates a view for each entity, for users of `sqlite3`, and drops the views of an earlier
    /// model.
    ///
    /// - Parameter isWanted: Whether to create the views; `false` drops all of them. Other views
    ///   are kept.
    /// - Returns: Whether anything changed.
    @discardableResult
    package func renewViews(isWanted: Bool = true) throws(StoreError) -> Bool {
        guard schema.isOurs else {
            throw StoreError(
                .invalidRequest, "\(path) was created by an app, so etl does not add views")
        }
        let session = try beginWriting()
        defer { endWriting() }
        session.rollback()
        let views = StoreViews(schema)
        return try views.renew(on: session.connection, isWanted: isWanted)
    }
}
