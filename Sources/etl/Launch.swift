import ArgumentParser
import Diagnostics
import FoundationEssentials
import Logging
import Pipelines

/// Runs stages and shows on stderr what happens meanwhile.
struct Launch {
    var sets: [String]
    var verbosity: Verbosity
    var progress = ProgressMode.auto

    /// Shows what happens while a runner does something.
    ///
    /// - Parameter configure: sets options beyond those of every run.
    func show(
        _ configure: (inout RunOptions) -> Void, _ body: (PipelineRunner) -> RunOutcome
    ) -> RunOutcome {
        let terminal = Terminal()
        let display = ProgressDisplay(
            isShown: progress.isShown(on: terminal) && !verbosity.quiet, terminal: terminal)
        let logger = Logger(label: "etl") { _ in StandardErrorLog() }
        let showsStages = (verbosity.verbose || terminal.isInteractive) && !verbosity.quiet
        let isQuiet = verbosity.quiet
        let interruption = SignalHandling.install()
        var options = RunOptions(
            sets: sets, environment: ProcessInfo.processInfo.environment,
            workingFolder: FileManager.default.currentDirectoryPath, now: Date())
        options.givesAdvice = showsStages
        configure(&options)
        let runner = PipelineRunner(
            options: options, progress: display.progress, interruption: interruption,
            warn: { warning in
                guard !isQuiet else { return }
                display.clear()
                logger.warning("\(DiagnosticRenderer.text(warning))")
            },
            stageDone: { report in
                display.clear()
                guard showsStages else { return }
                logger.info("\(report.line)")
                if let folder = report.rejectsFolder { logger.info("  rejects: \(folder)") }
            })
        display.start()
        let outcome = body(runner)
        display.stop()
        for diagnostic in outcome.diagnostics {
            logger.error("\(DiagnosticRenderer.text(diagnostic))")
        }
        return outcome
    }
}

/// When a progress bar is shown.
enum ProgressMode: String, ExpressibleByArgument, CaseIterable {
    case auto, always, never

    func isShown(on terminal: Terminal) -> Bool {
        switch self {
        case .auto: terminal.isInteractive
        case .always: true
        case .never: false
        }
    }
}
