public import GraphModel

extension PersistentContainer {
    /// Verifies a store without changing anything in its folder.
    ///
    /// A store with a log is verified in a copy, into which the log is merged.
    ///
    /// - Parameters:
    ///   - path: the store's file.
    ///   - level: the level of detail.
    ///   - model: the expected model; `nil` uses the store's own.
    /// - Throws: `StoreError` if the file cannot be read at all.
    public static func verify(
        at path: String, _ level: StoreVerification.Level = .quick,
        model: ManagedObjectModel? = nil
    ) throws(StoreError) -> StoreVerification {
        try StoreVerification.verify(at: path, level, model: model)
    }
}
