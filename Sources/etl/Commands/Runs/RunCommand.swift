import ArgumentParser
import Pipelines

/// Runs a spec: `etl run SPEC`.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run the stages of a spec, or complete an unfinished run.",
        discussion: """
            If a run is stopped or killed, or fails, the next one resumes after the last save. No \
            record is lost or imported twice. The next run resumes if the parameters, the day, the \
            completed stages, and their inputs are the same. Otherwise, all stages run again, and \
            an import that stopped in the middle continues there.

            If another program has locked the store, etl waits 1 s before a run and 5 s during it, \
            or as long as `--if-locked wait=DURATION` allows. `--timeout` and signals end the wait.

            Each run writes a report as JSON and HTML into `report.to` of the spec, `./runs` by \
            default; with --dry-run, it writes none.

            Exit status:
              0 ok
              64 usage
              65 rejects over the limit, more matches than at-most, a failed verify, damaged input
              66 an input is missing
              70 internal error
              71 out of descriptors, threads, or memory
              73 an output cannot be created
              74 disk full or I/O error
              75 the store is in use, or the time limit was reached
              77 permission denied
              78 the spec is wrong
              129, 130, 143 stopped by a signal

            After any status, saved changes are kept.
            """)

    @OptionGroup var flags: LaunchFlags

    @Flag(help: "Change nothing, and show the changes that a run would make, as `etl plan` does.")
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

    /// Returns the spec and the `--set` values of a command line that has no other flags.
    ///
    /// Returns `nil` for any other command line. Such lines are usual in cron. They bypass the
    /// argument parser, because building its descriptions of all flags takes a quarter of the time
    /// of a short run.
    static func plain(_ words: [String]) -> (spec: String, sets: [String])? {
        guard words.count >= 2, words.count % 2 == 0, words[0] == "run",
            words[1].first.map({ $0 != "-" }) ?? false
        else { return nil }
        var sets: [String] = []
        for place in stride(from: 2, to: words.count, by: 2) {
            guard words[place] == "--set", !words[place + 1].hasPrefix("-") else { return nil }
            sets.append(words[place + 1])
        }
        // If a value is invalid, parsing the command reports it.
        guard (try? SetFlags.validate(sets)) != nil else { return nil }
        return (spec: words[1], sets)
    }

    /// Runs the spec of a command line that `plain` has parsed.
    static func run(_ spec: String, sets: [String]) throws {
        try end(Launch(sets: sets).show({ _ in }, { $0.run(spec) }))
    }

    private static func end(_ outcome: RunOutcome) throws {
        if outcome.status != .ok { throw ExitCode(outcome.status.rawValue) }
    }
}
