import Diagnostics
import Dispatch
import Pipelines
import Synchronization

/// A line on stderr that shows the progress of a run, drawn at most ten times a second.
///
/// Stages shorter than half a second have no line.
final class ProgressDisplay: Sendable {
    let progress = RunProgress()
    private let isShown: Bool
    private let terminal: Terminal
    /// The state of the line, locked while the line is drawn or cleared.
    ///
    /// The lock prevents a progress line from being drawn after the last message.
    private let state = Mutex(State())

    /// The minimum duration of a stage before its line is drawn; a shorter line would only flash.
    private static let secondsMin = 0.5

    private struct State {
        var isRunning = false
        var isDrawn = false
    }

    init(isShown: Bool, terminal: Terminal) {
        self.isShown = isShown
        self.terminal = terminal
    }

    func start() {
        guard isShown else { return }
        state.withLock { $0.isRunning = true }
        // Without a thread, there is no progress line, but the run continues.
        try? WorkerThread.start { [self] in drawUntilStopped() }
    }

    func stop() {
        state.withLock { state in
            state.isRunning = false
            clear(&state)
        }
    }

    /// Clears the progress line and calls a closure that prints something else.
    ///
    /// No line is drawn until the closure returns.
    func clear(toPrint body: () -> Void) {
        state.withLock { state in
            clear(&state)
            body()
        }
    }

    private func clear(_ state: inout State) {
        if state.isDrawn { Terminal.redraw("") }
        state.isDrawn = false
    }

    private func drawUntilStopped() {
        let pause = DispatchSemaphore(value: 0)
        while true {
            _ = pause.wait(timeout: .now() + .milliseconds(150))
            let isRunning = state.withLock { state in
                if state.isRunning { draw(&state) }
                return state.isRunning
            }
            guard isRunning else { return }
        }
    }

    private func draw(_ state: inout State) {
        let snapshot = progress.snapshot
        guard !snapshot.stage.isEmpty else { return }
        let elapsed = (ContinuousClock().now - snapshot.started).components
        let seconds = Double(elapsed.seconds) + Double(elapsed.attoseconds) / 1e18
        guard seconds >= Self.secondsMin else { return }
        state.isDrawn = true
        let line = ProgressLine.text(snapshot, seconds: seconds, columns: terminal.columns)
        Terminal.redraw(OutputText(line))
    }
}
