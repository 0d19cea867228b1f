import ArgumentParser
import FoundationEssentials
import Pipelines

/// Imports the rejects of a run: `etl replay RUN`.
struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Import the rejects of a run with the current spec.",
        discussion: """
            The folder of rejects names the spec and the parameters of its run. You can correct \
            the records in this folder. A replay removes each imported record from the folder; the \
            others stay with their new reasons. Other stages do not run. The next replay completes \
            one that was stopped or killed. No record is lost or imported twice.

            Warning: a rejected record may be older than the object in the store, and overwrites \
            it. If a later run has imported records, and the replay updates objects, it prints a \
            warning with their number. With `when-found: skip`, existing objects are not updated.

            Several runs are replayed one after another, as in `etl replay rejects/*`, which names \
            the runs of a pipeline with the oldest first. If one of them fails, the others still \
            run, and the exit status is that of the first failure.

            Exit status:
              0 no more rejects are left than allowed
              65 more are left
              66 the rejects are missing
              75 another replay or the run itself must be completed first
              others as for run
            """)

    @Argument(
        help: ArgumentHelp(
            """
            The run's reject folder, its report, or its ID if the folder is in ./rejects; or a \
            spec, for its last run that has rejects left.
            """,
            valueName: "run"), completion: .file())
    var rejects: [String]

    @OptionGroup var parameters: SetFlags

    @OptionGroup var conditions: RunConditions
    @OptionGroup var verbosity: VerbosityFlags

    func run() throws {
        var failure: ExitStatus?
        var last: Int64?
        for run in rejects {
            // A run is named by the second of its start and its process.
            while last == Self.second() { Terminal.wait(milliseconds: 20) }
            last = Self.second()
            let outcome = Launch(sets: parameters.sets, verbosity: verbosity.verbosity)
                .show({ conditions.apply(to: &$0) }, { $0.replay(run) })
            if outcome.status != .ok { failure = failure ?? outcome.status }
            // A signal stops the other replays, too.
            if [.hungUp, .interrupted, .terminated].contains(outcome.status) { break }
        }
        if let failure { throw ExitCode(failure.rawValue) }
    }

    private static func second() -> Int64 { Int64(Date().timeIntervalSince1970) }
}
