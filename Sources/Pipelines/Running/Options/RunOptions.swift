package import Diagnostics
import Files
package import FoundationEssentials
package import GraphStore

/// The options of a run.
package struct RunOptions: Sendable {
    /// The policy for a store whose lock another run holds, or whose file another program has
    /// locked.
    package enum LockedPolicy: Sendable, Hashable {
        /// Exit with 75.
        case fail
        /// Exit with 0 without doing anything.
        case skip
        /// Wait for the given time, then exit with 75; applies also if a program locks the file
        /// later.
        case wait(seconds: Int64)
    }

    /// The parameters as `name=value`, as given on the command line.
    package var sets: [String]
    /// The environment variables, from which parameters with `from: env:NAME` take their values.
    package var environment: [String: String]
    /// The absolute path of the folder to which relative paths on the command line refer.
    package var workingFolder: String
    /// The start time of the run.
    package var now: Date
    /// The name of the only stage to run.
    package var only: String?
    /// The name of the first stage to run.
    package var from: String?
    /// The maximum number of records that each import reads.
    package var recordsMax: Int?
    /// Whether to print advice about the spec or the model even if the run succeeds.
    package var givesAdvice = true
    /// The open mode, which overrides the spec's `store.open`, except that `create` does not
    /// override `replace`.
    package var opening: StoreSpec.OpenMode?
    /// Whether nothing is changed: the stages run on a copy of the store, and no file is written.
    package var isDry = false
    /// Whether the run belongs to `etl import`, which has no spec file.
    package var isOfImport = false
    /// Whether to start over instead of resuming an interrupted run.
    package var isRestart = false
    /// What to do if the store is locked; `nil` fails, but a dry run continues while another run is
    /// active.
    package var ifLocked: LockedPolicy?
    /// The seconds after which the run saves and stops; overrides the spec's `budget.time`.
    package var timeoutSeconds: Int64?
    /// The limit that overrides the spec's `rejects.allow`, and is the least for `rejects.abort`.
    package var allowedRejects: CountLimit?

    /// Whether the spec's commands may be started.
    package var allowsCommands = true

    /// Whether to write to an app's store even if the app mirrors it to CloudKit.
    package var allowsCloudKit = false

    /// An additional file for the run's report; `-` is stdout.
    package var reportFile: String?

    /// A function that falsifies the counts of records, so that tests can check the detection of
    /// errors.
    var miscount: (@Sendable (RecordCounts) -> RecordCounts)?

    /// The decoding of inputs, which affects only the time.
    var decoding = DecodingOptions()

    /// The replay whose reject files are read instead of the inputs; `nil` for a normal run.
    var replay: Replay?

    /// Creates the options for a run that executes all stages and resumes an interrupted run.
    package init(
        sets: [String] = [], environment: [String: String] = [:], workingFolder: String, now: Date
    ) {
        self.sets = sets
        self.environment = environment
        self.workingFolder = workingFolder
        self.now = now
    }

    /// Returns the seconds of a duration such as `30m` or `1h30m`; `nil` if the text is not a
    /// duration.
    package static func seconds(_ text: String) -> Int64? { TimeText.duration(text) }
}

/// Options for decoding an import's inputs; tests change them.
struct DecodingOptions: Sendable {
    /// The number of processors; `nil` queries the system.
    var processors: Int?
    /// The amount of input from which a batch is filled; `nil` for the default of the reader.
    var chunkBytes: Int?
    /// The stored size from which an input may be decoded in pieces.
    ///
    /// A smaller input is usually in a lane's batches before its turn to be written.
    var largeInputBytes = 1 << 20
    /// The total stored size up to which the inputs of a stage are read without a thread.
    ///
    /// They are read completely before the first one is written, and no index is deferred for them.
    var smallInputBytes = 16 << 10
    /// Whether an import saves if no record has arrived for 1 s.
    ///
    /// On a busy machine, this also happens to a reader without processor time.
    var savesAtPause = true

    /// Whether unordered records are written in the order of their objects' rows.
    var sortsByRow = true

    var processorCount: Int { processors ?? SystemProcess.processorCount }
}

extension CountLimit {
    /// Parses `100` or `5%`; `nil` if the text is neither.
    package init?(_ text: String) {
        if text.hasSuffix("%") {
            guard let percent = Double(text.dropLast()), (0...100).contains(percent) else {
                return nil
            }
            self = .percent(percent)
        } else {
            guard let count = Int(text), count >= 0 else { return nil }
            self = .count(count)
        }
    }
}

/// The result of a run.
package struct RunOutcome: Sendable {
    /// The exit status of the process.
    package var status: ExitStatus
    /// The completed stages, also those of earlier attempts of the run.
    package var stages: [StageReport] = []
    /// The stages that failed or were stopped, with their saved work.
    var unfinished: [StageReport] = []
    /// The problems, in display order.
    package var diagnostics: [Diagnostic] = []
    /// The name of the run, which all its attempts share.
    package var runID = ""
    /// The command to start after the outcome is reported.
    package var failureCommand: FailureCommand?
    /// The changes to the store that a dry run has found.
    package var difference: StoreDifference?
    /// The number of attempts: 1, or more if the run continues earlier attempts.
    package var attempts = 1
}
