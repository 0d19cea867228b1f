import ArgumentParser
import Pipelines

/// Fills a store that need not be there: `etl seed SPEC`.
struct SeedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seed",
        abstract: "Run a spec whose store is made where it is missing, such as one for tests.",
        discussion: """
            As `etl run`, with `store.open: create` unless the spec says `replace`. Records may come from \
            files or from `read: { generate: 1000, seed: 7 }`, whose equal seeds make equal \
            stores but for their UUID.
            """)

    @OptionGroup var flags: LaunchFlags

    @Flag(help: "Build the store anew and swap it in at the end.")
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
