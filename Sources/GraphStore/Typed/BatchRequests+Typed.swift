public import GraphModel

/// A property that a typed batch update can set: an attribute or a to-one relationship.
protocol SettableProperty {
    /// The keys of the path, outermost first.
    var names: [String] { get }
}

extension Key: SettableProperty {}

extension ToOnePath: SettableProperty {
    var names: [String] { path.names }
}

extension BatchDeleteRequest {
    /// Creates a batch delete from a typed request.
    ///
    /// Example: `BatchDeleteRequest(Task.request.where(\.isDone == true))`. The request's
    /// predicate, variables, and `fetchLimit` apply. It must have no order and no offset, and must
    /// include sub-entities; otherwise the process traps.
    public init<Object>(_ request: FetchRequest<Object>, limit: ObjectLimit? = nil) {
        request.requireNoOrder()
        self.init(
            entityName: request.entityName, predicate: request.predicate,
            variables: request.variables, limit: limit)
        fetchLimit = request.fetchLimit == 0 ? nil : request.fetchLimit
    }
}

extension BatchUpdateRequest {
    /// Creates a batch update from a typed request.
    ///
    /// ```swift
    /// BatchUpdateRequest(
    ///     Task.request.where(\.isDone == false),
    ///     set: [\.isUrgent: false, \.priority: \.priority + 1, \.owner: .object(ada)])
    /// ```
    /// The request's predicate, variables, and `fetchLimit` apply. It must have no order and no
    /// offset, and must include sub-entities; otherwise the process traps. `execute` rejects values whose types differ from the
    /// property's.
    ///
    /// - Parameters:
    ///   - request: The request for the objects to update.
    ///   - values: The new value of each property, as an expression over the unchanged object.
    ///   - limit: The maximum number of matches; if there are more, nothing is updated.
    public init<Object>(
        _ request: FetchRequest<Object>,
        set values: [PartialKeyPath<ObjectKeys<Object>>: TypedExpression<Object>],
        limit: ObjectLimit? = nil
    ) {
        request.requireNoOrder()
        let named = values.map { path, value in
            guard let property = ObjectKeys<Object>()[keyPath: path] as? any SettableProperty else {
                preconditionFailure("A batch update sets attributes and to-one relationships")
            }
            return (property.names.joined(separator: "."), value.graphExpression)
        }
        self.init(
            entityName: request.entityName, predicate: request.predicate,
            propertiesToUpdate: Dictionary(named) { $1 }, variables: request.variables,
            limit: limit)
        fetchLimit = request.fetchLimit == 0 ? nil : request.fetchLimit
    }
}

extension FetchRequest {
    /// Traps if a batch request would silently ignore a part of the request.
    fileprivate func requireNoOrder() {
        precondition(
            sortDescriptors.isEmpty && fetchOffset == 0 && includesSubentities,
            "A batch request has no order and no offset, and includes sub-entities")
    }
}
