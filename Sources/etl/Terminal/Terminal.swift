import Diagnostics
import FoundationEssentials
import Pipelines

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The standard error of the process.
struct Terminal: Sendable {
    /// Whether stderr is a terminal.
    let isInteractive: Bool

    init() {
        isInteractive = isatty(2) == 1
    }

    /// The width of stderr in columns, read on each access because windows can be resized.
    var columns: Int {
        Self.columns(of: 2, ProcessInfo.processInfo.environment) ?? 80
    }

    /// The width in columns: `COLUMNS`, else the width of the window; `nil` if neither is known.
    static func columns(of descriptor: Int32, _ environment: [String: String]) -> Int? {
        if let text = environment["COLUMNS"], let columns = Int(text), columns > 0 {
            return columns
        }
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Opens the descriptors 0, 1, and 2 if the process was started with them closed.
    ///
    /// Otherwise, a store or an export could get one of these numbers, and messages would be
    /// written into it.
    ///
    /// Reading or writing there fails, as on a closed descriptor.
    static func reserveStandardDescriptors() {
        for (number, flags) in [(Int32(0), O_WRONLY), (1, O_RDONLY), (2, O_RDONLY)]
        where fcntl(number, F_GETFD) < 0 {
            // `open` returns the lowest free number; the lower ones are in use here.
            _ = open("/dev/null", flags)
        }
    }

    /// Writes a message to stderr; on a terminal, its severity is colored, its paths are relative, and
    /// its lines end at words.
    static func writeMessage(_ message: String) {
        let terminal = Terminal()
        let text = OutputText(message + "\n").lines
        guard terminal.isInteractive else { return write(text) }
        let shown = TerminalText.wrapped(
            TerminalText.withRelativePaths(text, below: currentFolders), columns: terminal.columns)
        write(showsColor ? painted(shown) : shown)
    }

    /// Writes a line that programs may parse to stderr, without wrapping it on a terminal.
    static func writeLine(_ line: String) { write(OutputText(line + "\n").lines) }

    /// Writes an error, a warning, or a note to stderr.
    static func write(_ diagnostic: Diagnostic) {
        writeMessage(DiagnosticRenderer.text(diagnostic))
    }

    /// The paths of the current folder, by the system and by the shell; messages omit them.
    static let currentFolders = TerminalText.currentFolders(
        environment: ProcessInfo.processInfo.environment)

    /// Whether stderr shows colors.
    private static let showsColor =
        isatty(2) == 1 && allowsColors(ProcessInfo.processInfo.environment)

    /// Whether the environment allows colors: https://no-color.org.
    static func allowsColors(_ environment: [String: String]) -> Bool {
        environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }

    /// Returns the message with its `error:` or `warning:`, or the counts of a stage, in color.
    ///
    /// Only the first two lines are searched, because a long path before `error:` may fill the
    /// first.
    private static func painted(_ text: String) -> String {
        guard !TerminalText.isLineOfStage(text) else { return TerminalText.withColoredCounts(text) }
        let lines = text.split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: false)
        let first = text[..<(lines.prefix(2).last?.endIndex ?? text.endIndex)]
        for (word, color) in [("error:", 31), ("warning:", 33)] {
            guard let range = first.firstRange(of: word),
                range.lowerBound == first.startIndex || first[..<range.lowerBound].last == " "
            else { continue }
            return text[..<range.lowerBound] + "\u{1B}[1;\(color)m\(word)\u{1B}[0m"
                + text[range.upperBound...]
        }
        return text
    }

    /// Waits without using the processor.
    static func wait(milliseconds: UInt32) { usleep(milliseconds * 1_000) }

    /// Replaces the current line of the terminal.
    static func redraw(_ line: OutputText) { write("\r\(line.text)\u{1B}[K") }

    private static func write(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { writeBytes(2, $0.baseAddress, $0.count) }
            // An error of stderr cannot be reported.
            guard count > 0 || errno == EINTR else { return }
            bytes = bytes.dropFirst(max(0, count))
        }
    }
}

// The system's call, whose name the method has taken.
private func writeBytes(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(file, bytes, count)
}
