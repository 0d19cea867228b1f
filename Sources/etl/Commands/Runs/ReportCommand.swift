import ArgumentParser
import Diagnostics
import Pipelines

/// Shows the report of a run: `etl report RUN`.
struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Show the report of a run.",
        discussion: """
            Each run writes a report into the folder `report.to` of its spec, `./runs` by default. \
            A run that continues another one has its own report, with the totals of both.

            Of a spec or a store, the last report is shown. If a later run was killed or is in \
            progress, a warning states it, and with --format json the keys `unended` and \
            `toComplete`.

            For a stage that did not finish, `waiting` counts the records that the next run \
            writes. The table "Objects changed" counts an object once for each save that changed \
            its row, its links, or its derived attributes. An object that the run inserted is only \
            inserted, even if later saves of the run change it.

            Exit status: 0 ok, whatever the status of the run, 66 the report is missing, 78 it \
            cannot be read.
            """)

    @Argument(
        help: ArgumentHelp(
            """
            The report's file, the run's reject folder, or the run's ID if its report is in \
            ./runs. A folder of reports, a spec, or a store with reports in the folder runs next \
            to it means its last run.
            """, valueName: "run"), completion: .file())
    var target: String

    @Option(help: "The format: text, json (the report's file), or html.")
    var format = StoredReport.Format.text

    @OptionGroup var parameters: SetFlags

    func run() throws {
        SignalHandling.endAtOnce()
        let context = SetFlags.context(parameters.sets)
        let (stored, status) = try PipelineStatus.report(of: target, context)
        if let warning = status?.warning(now: context.now) { Terminal.write(warning) }
        do {
            let text =
                format == .json ? try stored.json(with: status) : try stored.text(as: format)
            if format == .text {
                StandardOutput.show(
                    TerminalText.withRelativePaths(text, below: Terminal.currentFolders))
            } else {
                StandardOutput.write(text)
            }
        } catch {
            throw RunFailure(
                .ioError, code: "report.unreadable", "\(error)", at: .file(stored.path))
        }
    }
}

extension StoredReport.Format: ExpressibleByArgument {}
