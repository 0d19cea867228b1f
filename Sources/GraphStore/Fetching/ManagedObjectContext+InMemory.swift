/// Fetches with conditions that only Swift code can evaluate, on loaded objects.
extension ManagedObjectContext {
    /// Returns the objects that meet a request's predicate and that a closure accepts.
    ///
    /// The predicate runs in the store and should match few objects, since all its matches are
    /// loaded. The closure and the comparison run on these objects. The limit and the offset apply
    /// to the result.
    ///
    /// - Parameters:
    ///   - request: the objects to load, with the limit and the offset of the result.
    ///   - areInIncreasingOrder: an order that sort descriptors cannot express; objects that
    ///     compare as equal keep the order of the request.
    ///   - accepts: the closure.
    public func fetchInMemory<Object>(
        _ request: FetchRequest<Object>,
        sortedBy areInIncreasingOrder: ((Object, Object) throws -> Bool)? = nil,
        where accepts: (Object) throws -> Bool
    ) throws -> [Object] {
        var unlimited = request
        unlimited.fetchLimit = 0
        unlimited.fetchOffset = 0
        let window = (request.fetchOffset, request.fetchLimit)
        guard window.0 >= 0, window.1 >= 0 else {
            throw StoreError(.invalidRequest, "The limit and the offset must not be negative")
        }
        var found = try fetch(unlimited).filter(accepts)
        if let areInIncreasingOrder { try found.sort(by: areInIncreasingOrder) }
        let rest = found.dropFirst(window.0)
        return Array(window.1 > 0 ? rest.prefix(window.1) : rest)
    }
}
