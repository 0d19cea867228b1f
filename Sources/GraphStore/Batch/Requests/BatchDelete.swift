import GraphModel
import SQLite

extension ManagedObjectContext {
    /// Deletes all objects that match the request's predicate, and by default applies the delete
    /// rules set by set.
    ///
    /// Objects that a Deny rule protects are kept, as are objects whose deletion would reach them.
    /// The request fails without any change if a deletion would clear a required to-one
    /// relationship.
    ///
    /// The request is committed before this method returns, unless it runs inside a unit of work.
    /// Its changes are merged into this context: `isDeleted` is true for the deleted objects.
    public func execute(_ request: BatchDeleteRequest) throws -> BatchDeleteResult {
        try committing { try $0.write(request) }
    }

    /// Deletes in the open transaction, which `save()` commits.
    ///
    /// After a load, deletes only objects that the load did not read a record of and did not
    /// create.
    ///
    /// The request's limit counts all objects that match its predicate.
    ///
    /// - Parameter load: A load of the same entity in this context, after `finish()`.
    package func write(
        _ request: BatchDeleteRequest, sparing load: BulkWriter? = nil
    ) throws -> BatchDeleteResult {
        let entity = try container.schema.requiredEntity(named: request.entityName)
        let predicate = try request.predicate?.resolved(
            for: request.entityName, in: container.model, variables: request.variables)
        return try whole { session in
            let match = try BatchMatch(
                entity, where: predicate, limit: request.limit,
                fetchLimit: request.fetchLimit, sparing: load, in: session)
            var deletion = try Deletion(session, request)
            return try deletion.run(match, of: entity)
        }
    }
}
