import Diagnostics
import Files
import FoundationEssentials
import Pipelines
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The standard output of the process.
struct StandardOutput {
    /// Whether stdout is a terminal.
    let isTerminal: Bool
    private let environment: [String: String]

    init(environment: [String: String]) {
        isTerminal = isatty(1) == 1
        self.environment = environment
    }

    /// The width in columns; `nil` if stdout is not a terminal and `COLUMNS` is not set.
    ///
    /// `COLUMNS` comes first, then the width of the window, then 80.
    var columns: Int? { Terminal.columns(of: 1, environment) ?? (isTerminal ? 80 : nil) }

    /// The width of help texts in columns; `nil` for the default of 80.
    ///
    /// A pager reads the text from a pipe, so the width of stderr is used if stdout has none.
    static var helpColumns: Int? {
        let environment = ProcessInfo.processInfo.environment
        return Terminal.columns(of: 1, environment)
            ?? Terminal.columns(of: 2, environment).map { min($0, 80) }
    }

    /// Prints text for human readers.
    ///
    /// On a terminal, its lines end at words and its paths are relative.
    static func show(_ text: String) {
        let output = StandardOutput(environment: ProcessInfo.processInfo.environment)
        guard output.isTerminal, let columns = output.columns else {
            return write(text)
        }
        let shown = TerminalText.withRelativePaths(text, below: Terminal.currentFolders)
        let lines = TerminalText.wrapped(shown, columns: columns)
        write(output.takesColor ? TerminalText.withColoredCounts(lines) : lines)
    }

    /// The first failure to write text.
    private static let failure = Mutex<SystemFault?>(nil)

    /// Writes text at once, unlike `print`, which loses text without a message if the disk is full.
    ///
    /// `reportFailure()` shows a failure at the end of the process. If the reader has closed the
    /// pipe, it needs no more text.
    static func write(_ text: String) {
        do throws(SystemFault) {
            try FileSystem.write(Array(text.utf8), to: STDOUT_FILENO)
        } catch  where !error.isBrokenPipe {
            failure.withLock { $0 = $0 ?? error }
        } catch {}
    }

    /// Reports that text could not be written; returns false if all was.
    static func reportFailure() -> Bool {
        guard let fault = failure.withLock(\.self) else { return false }
        Terminal.write(
            Diagnostic(
                .error, code: "output.not-written", "stdout cannot be written: \(fault.text)",
                fix: fault.isFull ? "check the free space" : nil))
        return true
    }

    /// Whether the output may have colors.
    var takesColor: Bool { isTerminal && Terminal.allowsColors(environment) }
}
