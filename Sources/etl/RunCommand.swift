import ArgumentParser
import Pipelines

/// Runs a spec: `etl run SPEC`.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run the stages of a spec, or what an unfinished run has left of them.",
        discussion: """
            A run that was stopped, was killed, or failed has left its place in the store, and the \
            next one goes on there: nothing is lost or done twice. It does so if the parameters, \
            the day, the stages that are done, and their inputs are the same; otherwise all stages \
            run again, and an import that stopped in the middle goes on where it stopped.

            A store that another program has locked is given a second, in the middle of a run \
            five, or as long as `--if-locked wait=` says. `--timeout` and signals end each wait.

            Each run writes a report, JSON and a page, into `report.to` of the spec, `./runs` by \
            default; a dry one does not.

            Exit status: 0 ok, 64 usage, 65 rejects over the limit, more matches than at-most, a \
            verify that failed, or damaged input, 66 an input is missing, 70 internal error, 71 \
            out of descriptors, threads or memory, 73 an output cannot be made, 74 disk full or \
            I/O error, 75 the store is in use or the time limit reached, 77 permission denied, 78 \
            the spec is wrong, 129, 130 and 143 stopped by a signal. Whatever was saved stays.
            """)

    @OptionGroup var flags: LaunchFlags

    @Flag(help: "Change nothing, and show what would change, as `etl plan` does.")
    var dryRun = false

    @OptionGroup var report: ReportFlag

    func validate() throws {
        guard !dryRun || report.file == nil else {
            throw ValidationError("--dry-run changes nothing, so it has no --report")
        }
    }

    func run() throws {
        let outcome = flags.run { options in
            options.isDry = dryRun
            options.reportFile = report.file
        }
        if dryRun { PlanCommand.show(outcome) }
        try Self.end(outcome)
    }

    /// The spec and the parameters of a line without other flags, such as cron has.
    ///
    /// It is told apart because to read the descriptions of the flags takes a quarter of a short
    /// run's time.
    static func plain(_ words: [String]) -> (spec: String, sets: [String])? {
        guard words.count >= 2, words.count % 2 == 0, words[0] == "run",
            words[1].first.map({ $0 != "-" }) ?? false
        else { return nil }
        var sets: [String] = []
        for place in stride(from: 2, to: words.count, by: 2) {
            guard words[place] == "--set", !words[place + 1].hasPrefix("-") else { return nil }
            sets.append(words[place + 1])
        }
        guard (try? SetFlags.validate(sets)) != nil else { return nil }
        return (spec: words[1], sets)
    }

    /// Runs what `plain` has found.
    static func run(_ spec: String, sets: [String]) throws {
        try end(Launch(sets: sets).show({ _ in }, { $0.run(spec) }))
    }

    private static func end(_ outcome: RunOutcome) throws {
        if outcome.status != .ok { throw ExitCode(outcome.status.rawValue) }
    }
}
