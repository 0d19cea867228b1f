import FoundationEssentials
import Pipelines

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
            return print(text, terminator: "")
        }
        let shown = TerminalText.withRelativePaths(text, below: Terminal.currentFolders)
        let lines = TerminalText.wrapped(shown, columns: columns)
        print(
            output.takesColor ? TerminalText.withColoredCounts(lines) : lines, terminator: "")
    }

    /// Flushes the buffer of `print`.
    static func flush() { fflush(nil) }

    /// Whether the output may have colors.
    var takesColor: Bool { isTerminal && Terminal.allowsColors(environment) }
}
