import ArgumentParser
import Pipelines

/// Fills a store, and creates it if it is missing: `etl seed SPEC`.
struct SeedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seed",
        abstract: "Run a spec and create its store if missing, such as a store for tests.",
        discussion: """
            Works as `etl run` with `store.open: create`, unless the spec has `replace`. Records \
            come from files or from `read: { generate: 1000, seed: 7 }`. Equal seeds give equal \
            stores, except for their UUID.
            """)

    @OptionGroup var flags: LaunchFlags

    @Flag(help: "Build a new store, and replace the old one at the end.")
    var fresh = false

    @OptionGroup var report: ReportFlag

    func run() throws {
        let outcome = flags.run { options in
            options.opening = fresh ? .replace : .create
            options.reportFile = report.file
        }
        if outcome.status != .ok { throw ExitCode(outcome.status.rawValue) }
    }
}
