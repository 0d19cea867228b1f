import Diagnostics
import GraphModel
import GraphStore

/// What a run is about, and whether its spec fits the model.
extension PipelineRun {
    /// What the stages of a run share, besides the container.
    struct Job {
        var spec: PipelineSpec
        var values: ParameterValues
        var model: ManagedObjectModel?
        var target: StoreTarget
        /// The stages that are to run, in their order.
        var stages: [Stage]
        /// What the notes say of the run: as it began, or of the one that it completes.
        var note: RunNote
        let ownNote: RunNote
        /// The store was not there when the run began.
        var makesStore = false

        /// The stages that share a container, and whose work gets its place together.
        var groups: [[Stage]] {
            target.way == .workingCopy(.afterEachStage) ? stages.map { [$0] } : [stages]
        }

        /// Begins, or goes on with, the notes of the run.
        ///
        /// Those of a store that was there stand next to it until something in it is changed.
        func journal(
            _ beginning: RunJournal.Beginning, isSameAttempt: Bool = true,
            isAfterFailure: Bool = false, in container: PersistentContainer
        ) throws -> RunJournal {
            if container.path == target.path, !makesStore {
                try container.keepProgressNotesBeside()
            }
            return try RunJournal(
                note, paths, beginning, isSameAttempt: isSameAttempt,
                isAfterFailure: isAfterFailure, in: container)
        }

        /// How notes name files.
        var paths: NotedPaths { NotedPaths(spec, values) }
    }

    /// The checks that need the model, which may have been out of reach until now.
    static func check(_ spec: PipelineSpec, against model: ManagedObjectModel) throws {
        try refuse(SpecificationChecker.check(spec, model) + ExpressionChecker.check(spec, model))
    }

    static func refuse(_ found: [Diagnostic]) throws {
        let errors = found.filter { $0.severity == .error }
        guard errors.isEmpty else {
            throw RunFailure(problems: DiagnosticList(errors).diagnostics)
        }
    }
}
