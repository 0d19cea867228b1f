/// What only Swift can judge, over objects that are loaded for it.
extension ManagedObjectContext {
    /// The objects that a request's predicate leaves and a closure accepts.
    ///
    /// The predicate runs in the store and should leave few, since all that it leaves are loaded.
    /// The closure, and the order that it may come with, run over them; the window of limit and
    /// offset lies over their result, which no limit in SQL could do.
    ///
    /// - Parameters:
    ///   - request: the objects that are loaded, and the window over the result.
    ///   - areInIncreasingOrder: an order that no sort descriptor can say; objects that are equal
    ///     in it stay in the order of the request.
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
