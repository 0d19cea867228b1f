import ArgumentParser
import Diagnostics
import Logging
import Pipelines

/// Shows the report of a run: `etl report RUN`.
struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Show the report of a run.",
        discussion: """
            Each run writes a report into the folder that its spec names under `report.to`, \
            `./runs` by default.

            Of a stage that did not come to its end, records that wait are those that the next run \
            writes. Under "Objects changed" an object counts once for each save that changed it.

            Exit status: 0 ok, whatever the run ended with; 66 there is no such report, 78 it \
            cannot be read.
            """)

    @Argument(
        help: ArgumentHelp(
            """
            The report's file; the run's id where its report is in ./runs; a folder of reports or \
            a spec, for the last run; or the folder of the run's rejects.
            """, valueName: "run"), completion: .file())
    var target: String

    @Option(help: "The form: text, json (as the run wrote it), or html, a page.")
    var format = StoredReport.Format.text

    @OptionGroup var parameters: SetFlags

    func run() throws {
        SignalHandling.endAtOnce()
        do throws(RunFailure) {
            let stored = try StoredReport.find(
                target, SetFlags.context(parameters.sets))
            do {
                let text = try stored.text(as: format)
                if format == .text {
                    StandardOutput.show(text)
                } else {
                    print(text, terminator: "")
                }
            } catch {
                throw RunFailure(
                    .ioError,
                    [Diagnostic(code: "report.unreadable", "\(error)", at: .file(stored.path))])
            }
        } catch {
            throw error.shown()
        }
    }
}

extension StoredReport.Format: ExpressibleByArgument {}

extension RunFailure {
    /// Shows what went wrong, and tells how the command ends.
    func shown() -> ExitCode {
        let logger = Logger(label: "etl") { _ in StandardErrorLog() }
        for diagnostic in diagnostics { logger.error("\(DiagnosticRenderer.text(diagnostic))") }
        return ExitCode(status.rawValue)
    }
}
