import ArgumentParser
import Pipelines

/// Shows what a run would change: `etl plan SPEC`.
struct PlanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Show what a run of a spec would change, and change nothing.",
        discussion: """
            The run works on a copy of the store, which needs the same space again. It writes no \
            other file, and only counts the rows of exports. For each entity, stdout has the number \
            of objects that would be inserted, updated (with the changed properties), and deleted. \
            With `store.open: replace`, objects are compared by the entities' unique keys.

            If the run would fail, stdout has the changes that it would have saved before. With \
            `commit: stage`, stdout is empty if a stage has begun.

            Exit status: the status of the run, such as 65 for too many rejects. With \
            --detailed-exit, 2 if the store would change.
            """)

    @OptionGroup var flags: LaunchFlags

    @Flag(help: "Exit with 2 if the store would change.")
    var detailedExit = false

    func run() throws {
        let outcome = flags.run { $0.isDry = true }
        Self.show(outcome)
        if outcome.status != .ok { throw ExitCode(outcome.status.rawValue) }
        if detailedExit, outcome.wouldChangeStore { throw ExitCode(2) }
    }

    /// Prints the changes that a real run would save, including those before a failure.
    static func show(_ outcome: RunOutcome) {
        guard let difference = outcome.differenceText else { return }
        StandardOutput.write(difference + "\n")
    }
}
