import Diagnostics
import GraphModel
import GraphStore

/// The deletion at the end of an import that mirrors its input: the objects that no record names.
///
/// It requires a complete read of at least one record without rejects, because objects of missing
/// records would otherwise be deleted. Objects whose records `keep-if` filters out are deleted,
/// too. Objects that a link with `missing: create` names are kept: without them, the link would be
/// empty until the next run creates them again.
struct MirrorDeletion {
    private let mirror: MirrorSpec
    private let entity: String
    private let stage: Stage
    private let environment: StageEnvironment

    init(
        _ mirror: MirrorSpec, entity: String, of stage: Stage, _ environment: StageEnvironment
    ) {
        self.mirror = mirror
        self.entity = entity
        self.stage = stage
        self.environment = environment
    }

    /// Deletes the objects in the context; the caller saves.
    ///
    /// - Returns: The result for the objects that match and that no record names; `nil` if nothing
    ///   was deleted, because a replay has imported records whose objects the load does not know.
    /// - Throws: `RunFailure` (65) if the read was incomplete or had rejects, or if too many
    ///   objects would be deleted; nothing is deleted then.
    func run(
        after load: BulkWriter, _ counts: RecordCounts, grown: String?,
        in context: ManagedObjectContext
    ) throws -> BatchDeleteResult? {
        if let grown {
            throw failure(
                "\(grown) grew while it was read, so it may be incomplete; nothing was deleted",
                fix: "run again when it is complete")
        }
        guard counts.rejected == 0 else {
            throw failure(
                "\(counts.rejectedOfRead), so a missing record cannot be distinguished from a "
                    + "rejected one; nothing was deleted",
                fix: "correct the records and run again")
        }
        guard counts.read > 0 else {
            throw failure(
                "The input has no record at all; nothing was deleted",
                fix: "check that the input is complete")
        }
        if let replayed = counts.replayed, replayed > 0 {
            environment.warn(
                Diagnostic(
                    .warning, code: "mirror.replayed",
                    ReportNumbers.several(replayed, "record") + " "
                        + (replayed == 1 ? "was" : "were")
                        + " imported by a replay, and this stage does not know which objects have"
                        + " them; nothing was deleted",
                    stage: stage.reportLocation,
                    fix: "correct the input, too; the next run reads it from the start, and deletes"
                ))
            return nil
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
                error.message, fix: "check that the input is complete, or raise `mirror.at-most`")
        }
    }

    private func failure(_ message: String, fix: String) -> RunFailure {
        RunFailure(.dataError, code: "mirror.refused", message, fix: fix)
    }
}
