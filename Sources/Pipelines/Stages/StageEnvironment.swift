import Diagnostics
import GraphStore

/// What every stage of a run shares.
struct StageEnvironment: Sendable {
    var spec: PipelineSpec
    var container: PersistentContainer
    var values: ParameterValues
    /// How notes name files.
    var paths: NotedPaths
    var runID: String
    /// When the run began, in seconds since 2001-01-01 UTC: `$now`.
    var now: Double
    /// Who is named in the store's history.
    var author: String { spec.store.author.map(values.shown) ?? spec.name }
    /// `--set`, and where relative paths in it start.
    var sets: [String]
    var workingFolder: String
    /// No file is written.
    var isDry: Bool
    /// Whether `unmet` and `min-records` count: a replay and a test read only some of the records.
    var judgesInputs = true
    var progress: RunProgress
    var interruption: Interruption
    /// How far the run has come, for the next attempt.
    var journal: RunJournal
    /// What the stages have come to, for the report.
    var ledger: RunLedger
    /// Keeps exports from what the run works with.
    var outputs: OutputGuard
    /// When what the stages make gets its name.
    var publication = Publication.immediate
    /// `--limit`: records that each import reads at most.
    var recordsMax: Int?
    /// Makes counts wrong, for tests of what becomes of such a mistake.
    var miscount: (@Sendable (RecordCounts) -> RecordCounts)?
    /// How inputs are decoded.
    var decoding = DecodingOptions()
    /// The spec, if it is in no file.
    var specText: String?
    /// Whether the user has the spec, so that messages may name its keys.
    var hasSpecFile: Bool { specText == nil }
    /// Shows a warning at once.
    var warn: @Sendable (Diagnostic) -> Void
}
