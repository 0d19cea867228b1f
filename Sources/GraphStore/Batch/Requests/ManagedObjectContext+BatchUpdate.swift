import GraphModel

extension ManagedObjectContext {
    /// Sets attributes and to-one relationships of all objects that match the request's predicate.
    ///
    /// Objects that already have the values are not written. The new values are validated against
    /// the model; an invalid value makes the complete request fail without any change.
    ///
    /// The request is committed before this method returns, unless it runs inside a unit of work.
    /// Its changes are merged into this context. It does not save pending changes of objects.
    public func execute(_ request: BatchUpdateRequest) throws -> BatchUpdateResult {
        try committing { try $0.write(request) }
    }

    /// Updates in the open transaction, which `save()` commits.
    package func write(_ request: BatchUpdateRequest) throws -> BatchUpdateResult {
        let model = container.model
        let predicate = try request.predicate?.resolved(
            for: request.entityName, in: model, variables: request.variables)
        var assignments: [(StoreLayout.AttributeColumn, GraphExpression)] = []
        let entity = try container.schema.requiredEntity(named: request.entityName)
        guard !request.propertiesToUpdate.isEmpty else {
            throw StoreError(.invalidRequest, "The update of '\(entity.name)' sets nothing")
        }
        var links: [BatchLink] = []
        for (name, expression) in request.propertiesToUpdate.sorted(by: { $0.key < $1.key }) {
            if let toOne = entity.toOnes[name] {
                links.append(
                    try BatchLink(toOne, expression, request.variables, container.schema))
                continue
            }
            guard let column = entity.attributes[name] else {
                throw StoreError(
                    .invalidRequest, "'\(entity.name)' has no stored attribute '\(name)'")
            }
            let resolved = try expression.resolved(
                for: request.entityName, in: model, variables: request.variables,
                assignedTo: column.attribute)
            if let number = resolved.nonFinite {
                try column.attribute.requireFinite(number, of: entity.name)
            }
            guard column.attribute.takesValues else {
                throw StoreError(
                    .invalidRequest, "'\(entity.name).\(name)' is derived, so nothing can set it")
            }
            guard !column.attribute.allowsExternalBinaryDataStorage else {
                throw StoreError(
                    .invalidRequest,
                    "'\(entity.name).\(name)' may be in files, which a batch update does not write")
            }
            try container.schema.requireEncoding(of: column.attribute, in: entity.name)
            assignments.append((column, resolved))
        }
        return try whole { session in
            try BatchUpdate(
                entity: entity, assignments: assignments, links: links, session: session
            )
            .run(where: predicate, request)
        }
    }
}
