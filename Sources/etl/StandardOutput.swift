import FoundationEssentials
import Pipelines

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What stdout is connected to.
struct StandardOutput {
    /// A person may be watching.
    let isTerminal: Bool
    private let environment: [String: String]

    init(environment: [String: String]) {
        isTerminal = isatty(1) == 1
        self.environment = environment
    }

    /// The width in columns: that of `COLUMNS`, then the window's; nil where there is none.
    var columns: Int? { Terminal.columns(of: 1, environment) ?? (isTerminal ? 80 : nil) }

    /// Prints text for people.
    ///
    /// On a terminal, its lines end at words and its paths are relative.
    static func show(_ text: String) {
        let output = StandardOutput(environment: ProcessInfo.processInfo.environment)
        guard output.isTerminal, let columns = output.columns else {
            return print(text, terminator: "")
        }
        let shown = TerminalText.withRelativePaths(text, below: Terminal.currentFolders)
        print(TerminalText.wrapped(shown, columns: columns), terminator: "")
    }

    /// Colours are wanted; see https://no-color.org.
    var takesColour: Bool {
        isTerminal && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }
}
