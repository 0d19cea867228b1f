import Diagnostics
import GraphModel
import GraphStore

/// The end of an import that mirrors its input: the objects that no record names go.
///
/// Only after a read that was complete, of at least one record, and without any reject; what was
/// left out would look as if it were gone. Records that `keep-if` leaves out count as gone.
struct MirrorDeletion {
    private let mirror: MirrorSpec
    private let entity: String
    private let environment: StageEnvironment

    init(_ mirror: MirrorSpec, entity: String, _ environment: StageEnvironment) {
        self.mirror = mirror
        self.entity = entity
        self.environment = environment
    }

    /// Deletes in the context, which its caller saves.
    ///
    /// - Returns: what became of the objects that match and that no record names.
    /// - Throws: `RunFailure` (65) where the read was not clean or too many would go; nothing was
    ///   deleted then.
    func run(
        after load: BulkWriter, _ counts: RecordCounts, grown: String?,
        in context: ManagedObjectContext
    ) throws -> BatchDeleteResult {
        if let grown {
            throw failure(
                "\(grown) grew while it was read, so it may not be whole; nothing was deleted",
                fix: "run again when it is whole")
        }
        guard counts.rejected == 0 else {
            throw failure(
                "\(counts.rejectedOfRead), so a missing record "
                    + "cannot be told from a rejected one; nothing was deleted",
                fix: "correct the records and run again")
        }
        guard counts.read > 0 else {
            throw failure(
                "The input has no record at all; nothing was deleted",
                fix: "see whether the input is whole")
        }
        let request = BatchDeleteRequest(
            entityName: entity,
            predicate: try mirror.selection.predicate(
                environment.values, of: entity, in: environment.container.model),
            variables: environment.values.graphValues, limit: mirror.atMost.objectLimit)
        do {
            return try context.write(request, sparing: load)
        } catch let error as StoreError where error.code == .tooMany {
            throw failure(
                error.message, fix: "see whether the input is whole, or raise `mirror.at-most`")
        }
    }

    private func failure(_ message: String, fix: String) -> RunFailure {
        RunFailure(.dataError, code: "mirror.refused", message, fix: fix)
    }
}
