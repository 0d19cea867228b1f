import ArgumentParser
import FoundationEssentials
import Pipelines
import Processes

/// Runs stages and shows their progress on stderr.
struct Launch {
    var sets: [String] = []
    var verbosity = Verbosity()
    var progress = ProgressMode.auto
    /// Whether a line is printed for each stage, if the verbosity allows it.
    var showsStages = true

    /// Runs a closure with a configured runner, shows its progress, and then prints its errors.
    ///
    /// - Parameter configure: sets options that not every run has.
    func show(
        _ configure: (inout RunOptions) -> Void, _ body: (PipelineRunner) -> RunOutcome
    ) -> RunOutcome {
        let terminal = Terminal()
        let interruption = SignalHandling.install()
        var options = RunOptions(
            sets: sets, environment: ProcessInfo.processInfo.environment,
            workingFolder: WorkingFolder.path, now: Date())
        configure(&options)
        let log = RunLog(verbosity, isInteractive: terminal.isInteractive, isDry: options.isDry)
        let showsStages = showsStages
        let identity = RunIdentity()
        options.givesAdvice = log.showsStages && showsStages
        let display = ProgressDisplay(
            isShown: progress.isShown(on: terminal, verbosity.format) && log.showsWarnings,
            terminal: terminal)
        let runner = PipelineRunner(
            options: options, progress: display.progress, interruption: interruption,
            warn: { warning in
                guard log.shows(warning) else { return }
                display.clear { log.emit(warning, of: identity) }
            },
            stageEnded: { stage in
                guard showsStages else { return }
                display.clear { log.emit(stage, of: identity) }
            }, identity: identity)
        display.start()
        let outcome = body(runner)
        // A command may still run if its stage could not wait for it.
        ChildProcess.endAll()
        display.stop()
        outcome.diagnostics.forEach { log.emit($0, of: identity) }
        outcome.failureCommand?.run(interruption) {
            if log.shows($0) { log.emit($0, of: identity) }
        }
        return outcome
    }
}

/// When a progress bar is shown.
enum ProgressMode: String, ExpressibleByArgument, CaseIterable {
    case auto, always, never

    func isShown(on terminal: Terminal, _ format: TextFormat) -> Bool {
        switch self {
        case .auto: terminal.isInteractive && format == .text
        case .always: true
        case .never: false
        }
    }
}
