import GraphModel
import SQLite

extension ManagedObjectContext {
    /// Deletes all objects that meet the request's predicate; delete rules are honoured set by set,
    /// unless the request says otherwise.
    ///
    /// What a Deny rule protects stays, and so does whatever would have led to it. A required
    /// to-one that a deletion would clear makes the whole request fail, with nothing done.
    ///
    /// The request is committed before this returns, unless it runs inside a unit of work, and its
    /// change is merged into this context: its objects that are gone are `isDeleted`.
    public func execute(_ request: BatchDeleteRequest) throws -> BatchDeleteResult {
        try committing { try $0.write(request) }
    }

    /// Deletes in the open transaction, which `save()` commits; after a load, those of the objects
    /// that it had no record of, and did not make either.
    ///
    /// The request's limit counts of all that meet its predicate.
    ///
    /// - Parameter load: of the same entity, in this context, after `finish()`.
    package func write(
        _ request: BatchDeleteRequest, sparing load: BulkWriter? = nil
    ) throws -> BatchDeleteResult {
        guard let entity = container.schema.entity(named: request.entityName) else {
            throw StoreError(.invalidRequest, "There is no entity '\(request.entityName)'")
        }
        let predicate = try request.predicate?.resolved(
            for: request.entityName, in: container.model, variables: request.variables)
        return try whole { session in
            let match = try BatchMatch(
                entity, where: predicate, limit: request.limit,
                fetchLimit: request.fetchLimit, sparing: load, in: session)
            var deletion = Deletion(session, request)
            return try deletion.run(match, of: entity)
        }
    }
}
