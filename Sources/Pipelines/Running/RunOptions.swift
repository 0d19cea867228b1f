package import Diagnostics
import Files
package import FoundationEssentials
package import GraphStore
import RecordStreams

/// What a run is started with.
package struct RunOptions: Sendable {
    /// What to do where another run holds the store's lock, or another program has its file locked.
    package enum LockedPolicy: Sendable, Hashable {
        /// End with 75.
        case fail
        /// End with 0, having done nothing.
        case skip
        /// Wait so long, then end with 75; also for a program that locks the file later.
        case wait(seconds: Int64)
    }

    /// `name=value`, as given on the command line.
    package var sets: [String]
    package var environment: [String: String]
    package var workingFolder: String
    /// When the run begins.
    package var now: Date
    /// The only stage that runs.
    package var only: String?
    /// The first stage that runs.
    package var from: String?
    /// Records that each import reads at most.
    package var recordsMax: Int?
    /// What may be wrong with the spec or the model is told, although the run goes well.
    package var givesAdvice = true
    /// Wins over the spec's `store.open`; but `create` leaves `replace`, which makes a store, too.
    package var opening: StoreSpec.OpenMode?
    /// Nothing is changed: the stages run on a copy of the store, and no file is written.
    package var isDry = false
    /// What an interrupted run has left is not gone on with.
    package var isRestart = false
    /// What to do where another is at work; nil fails, but lets a dry run go on beside it.
    package var ifLocked: LockedPolicy?
    /// Seconds after which the run saves and stops; wins over the spec's `budget.time`.
    package var timeoutSeconds: Int64?
    /// Wins over the spec's `rejects.allow`.
    package var allowedRejects: CountLimit?

    /// Whether the spec's commands may be started.
    package var allowsCommands = true

    /// Apps' stores are written although their app mirrors them to CloudKit.
    package var allowsCloudKit = false

    /// Another file that gets the run's report; `-` is stdout.
    package var reportFile: String?

    /// Makes counts wrong, for tests of what becomes of such a mistake.
    var miscount: (@Sendable (RecordCounts) -> RecordCounts)?

    /// How inputs are decoded, which shows in nothing but the time.
    var decoding = DecodingOptions()

    /// The rejects that are to be read in place of the inputs.
    var replay: Replay?

    package init(
        sets: [String] = [], environment: [String: String] = [:], workingFolder: String, now: Date
    ) {
        self.sets = sets
        self.environment = environment
        self.workingFolder = workingFolder
        self.now = now
    }

    /// A duration such as `30m` or `1h30m`, in seconds; nil where the text is none.
    package static func seconds(_ text: String) -> Int64? { TimeText.duration(text) }
}

/// How an import's inputs are decoded; tests make it other than it is.
struct DecodingOptions: Sendable {
    /// The processors there are; nil asks the system.
    var processors: Int?
    /// The amount of input that a batch is filled from; nil for the reader's own.
    var chunkBytes: Int?
    /// The size from which an input, as it is stored, may be decoded in pieces.
    ///
    /// What is smaller is mostly in a lane's batches when its turn comes.
    var largeInputBytes = 1 << 20
    /// Up to which size the inputs of a stage together, as they are stored, are read before the
    /// first is written, without a thread, and no index is put off for them.
    var smallInputBytes = 16 << 10
    /// Whether an import saves when nothing has come for a second, which on a busy machine happens
    /// to a reader that gets no processor, too.
    var savesAtPause = true

    /// Whether records that come in no order are written in that of their objects' rows.
    var sortsByRow = true

    var processorCount: Int { processors ?? SystemProcess.processorCount }
}

extension CountLimit {
    /// Reads `100` or `5%`; nil where the text is neither.
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

/// How a run ended.
package struct RunOutcome: Sendable {
    package var status: ExitStatus
    /// The stages that ran to their end, in earlier attempts of the run too.
    package var stages: [StageReport] = []
    /// Stages that failed or were stopped, with what they have saved.
    var unfinished: [StageReport] = []
    /// What went wrong, in the order to be shown.
    package var diagnostics: [Diagnostic] = []
    /// Names the run, whatever attempt this was.
    package var runID = ""
    /// What is to be started once all this is told.
    package var failureCommand: FailureCommand?
    /// What a dry run would change in the store.
    package var difference: StoreDifference?
    /// 1, or more where the run goes on with what earlier ones left.
    package var attempts = 1
}
