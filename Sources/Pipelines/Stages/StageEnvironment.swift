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
    /// How far the run has come, for the next attempt.
    var journal: RunJournal
    /// `--limit`: records that each import reads at most.
    var recordsMax: Int?
    /// Shows a warning at once.
    var warn: @Sendable (Diagnostic) -> Void
}
