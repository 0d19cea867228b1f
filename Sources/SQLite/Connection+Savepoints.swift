package import GraphModel

extension Connection {
    /// Begins a savepoint, to which a transaction can be rolled back.
    package func begin(savepoint name: String) throws(StoreError) {
        try execute("SAVEPOINT \(name)")
    }

    /// Ends a savepoint and keeps its changes.
    package func release(savepoint name: String) throws(StoreError) {
        try execute("RELEASE \(name)")
    }

    /// Undoes the changes since a savepoint.
    ///
    /// - Parameter ending: whether the savepoint ends, too.
    package func rollBack(toSavepoint name: String, ending: Bool = true) throws(StoreError) {
        try execute("ROLLBACK TO \(name)")
        if ending { try release(savepoint: name) }
    }
}
