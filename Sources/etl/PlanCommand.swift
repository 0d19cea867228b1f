import ArgumentParser
import Pipelines

/// Shows what a run would change: `etl plan SPEC`.
struct PlanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Show what a run of a spec would change, and change nothing.",
        discussion: """
            The whole run is done on a copy of the store, which needs as much room again; no file \
            is written but this copy, and exports are counted, not made. For each entity stdout \
            has the objects that would be inserted, updated (with the properties that differ) and \
            deleted. A store that is to be replaced is compared by the entities' unique keys.

            Where the run would fail, stdout has what it would have saved until then; with \
            `commit: stage`, where stages have begun, it has nothing.

            Exit status: that of the run, so 65 where it would have too many rejects, for one. \
            With --detailed-exit 2 where the store would change.
            """)

    @OptionGroup var flags: LaunchFlags

    @Flag(help: "End with 2 where the store would change.")
    var detailedExit = false

    func run() throws {
        let outcome = flags.run { $0.isDry = true }
        Self.show(outcome)
        if outcome.status != .ok { throw ExitCode(outcome.status.rawValue) }
        if detailedExit, outcome.wouldChangeStore { throw ExitCode(2) }
    }

    /// Prints the difference; of a run that would fail, what would stay of it.
    static func show(_ outcome: RunOutcome) {
        guard let difference = outcome.differenceText else { return }
        print(difference)
    }
}
