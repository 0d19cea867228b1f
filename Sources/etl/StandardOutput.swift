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
    var columns: Int? {
        if let text = environment["COLUMNS"], let columns = Int(text), columns > 0 {
            return columns
        }
        var size = winsize()
        guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return isTerminal ? 80 : nil
        }
        return Int(size.ws_col)
    }

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
