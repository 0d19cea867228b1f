import Diagnostics
import GraphStore

/// The state that the stages of a run share.
struct StageEnvironment: Sendable {
    var spec: PipelineSpec
    var container: PersistentContainer
    var values: ParameterValues
    /// The conversion between paths of files and the form in which notes store them.
    var paths: NotedPaths
    var runID: String
    /// The start of the run for `$now`, in seconds since 2001-01-01 UTC.
    var now: Double
    /// The author in the store's history.
    var author: String { spec.store.author.map(values.shown) ?? spec.name }
    /// The `--set` flags.
    var sets: [String]
    /// The base folder of relative paths in `--set`.
    var workingFolder: String
    /// Whether no file is written.
    var isDry: Bool
    /// Whether `unmet` and `min-records` apply; a replay and a test read only some of the records.
    var checksInputs = true
    var progress: RunProgress
    var interruption: Interruption
    /// The progress of the run, for the next attempt.
    var journal: RunJournal
    /// The results of the run's stages so far, from which the report is created.
    var ledger: StageResults
    /// The check that prevents exports from replacing files of the run.
    var outputs: OutputGuard
    /// The rule by which output files get their final names: at once, or when the store is
    /// replaced.
    var publication = Publication.immediate
    /// The maximum number of records that each import reads, from `--limit`.
    var recordsMax: Int?
    /// The function that falsifies counts, to test the response to such a mistake.
    var miscount: (@Sendable (RecordCounts) -> RecordCounts)?
    /// The options for decoding inputs.
    var decoding = DecodingOptions()
    /// The text of a spec that is in no file.
    var specText: String?
    /// Whether the user has a spec file, so that messages may refer to its keys.
    var hasSpecFile: Bool { specText == nil }
    /// The function that prints a warning immediately.
    var warn: @Sendable (Diagnostic) -> Void
}
