import Diagnostics
import GraphStore

/// What every stage of a run shares.
struct StageEnvironment: Sendable {
    var spec: PipelineSpec
    var container: PersistentContainer
    var values: ParameterValues
    var runID: String
    /// When the run began, in seconds since 2001-01-01 UTC: `$now`.
    var now: Double
    var progress: RunProgress
    var interruption: Interruption
    /// Shows a warning at once.
    var warn: @Sendable (Diagnostic) -> Void
}

/// A run that was asked to stop, and did so after saving.
struct Interrupted: Error {
    var signal: Int32
}
