public import GraphModel

/// What a typed batch update can set: an attribute, or a to-one relationship.
protocol SettableProperty {
    /// The keys on the way, outermost first.
    var names: [String] { get }
}

extension Key: SettableProperty {}

extension ToOnePath: SettableProperty {
    var names: [String] { path.names }
}

extension BatchDeleteRequest {
    /// Deletes what a typed request finds: `BatchDeleteRequest(Task.request.where(\.isDone == true))`.
    ///
    /// The request's predicate, variables, and `fetchLimit` count. It must have no order and no
    /// offset, and must include sub-entities.
    public init<Object>(_ request: FetchRequest<Object>, limit: ObjectLimit? = nil) {
        request.requireNoOrder()
        self.init(
            entityName: request.entityName, predicate: request.predicate,
            variables: request.variables, limit: limit)
        fetchLimit = request.fetchLimit == 0 ? nil : request.fetchLimit
    }
}

extension BatchUpdateRequest {
    /// Updates what a typed request finds.
    ///
    /// ```swift
    /// BatchUpdateRequest(
    ///     Task.request.where(\.isDone == false),
    ///     set: [\.isUrgent: false, \.priority: \.priority + 1, \.owner: .object(ada)])
    /// ```
    /// The request's predicate, variables, and `fetchLimit` count. It must have no order and no
    /// offset, and must include sub-entities. `execute` refuses values of another type than the
    /// property's.
    ///
    /// - Parameters:
    ///   - request: which objects.
    ///   - values: what each attribute or to-one becomes, over the object as it was.
    ///   - limit: more matches than this, and nothing is done.
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
    /// Ends the process where a batch request would silently do something else.
    fileprivate func requireNoOrder() {
        precondition(
            sortDescriptors.isEmpty && fetchOffset == 0 && includesSubentities,
            "A batch request has no order and no offset, and includes sub-entities")
    }
}
