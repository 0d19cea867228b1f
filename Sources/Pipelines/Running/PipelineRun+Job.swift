import Diagnostics
import GraphModel
import GraphStore

/// The job of a run, and the check of its spec against the model.
extension PipelineRun {
    /// The store, the stages, and the parameter values of a run, known after its spec is read.
    struct Job {
        var spec: PipelineSpec
        var values: ParameterValues
        var model: ManagedObjectModel?
        var target: StoreTarget
        /// The stages to run, in order.
        var stages: [Stage]
        /// The notes of the run: its own, or those of the run that it completes.
        var note: RunNote
        let ownNote: RunNote
        /// Whether the store did not exist when the run began.
        var makesStore = false

        /// The stages to run in groups; the stages of a group use one open store and are committed
        /// together.
        var groups: [[Stage]] {
            target.way == .workingCopy(.afterEachStage) ? stages.map { [$0] } : [stages]
        }

        /// Starts or continues the notes of the run.
        ///
        /// The notes on an existing store are kept next to it until something in the store is
        /// changed.
        func journal(
            _ beginning: RunJournal.Beginning, isSameAttempt: Bool = true,
            isAfterFailure: Bool = false, in container: PersistentContainer
        ) throws -> RunJournal {
            if container.path == target.path, !makesStore {
                try container.keepProgressNotesInFile()
            }
            return try RunJournal(
                note, paths, beginning, isSameAttempt: isSameAttempt,
                isAfterFailure: isAfterFailure, in: container)
        }

        /// The conversion between paths and their form in the notes.
        var paths: NotedPaths { NotedPaths(spec, values) }
    }

    /// Runs the checks that need the model, which may not have been available earlier.
    static func check(_ spec: PipelineSpec, against model: ManagedObjectModel) throws {
        try reject(SpecificationChecker.check(spec, model) + ExpressionChecker.check(spec, model))
    }

    static func reject(_ found: [Diagnostic]) throws {
        let errors = found.filter { $0.severity == .error }
        guard errors.isEmpty else {
            throw RunFailure(problems: DiagnosticList(errors).diagnostics)
        }
    }
}
