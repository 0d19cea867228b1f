import Foundation

/// A page of the documentation whose code blocks the tests run.
///
/// - `sh`: commands that succeed and print nothing on stderr. A `text` block after it is their output.
/// - `console`: commands after `$ `, continued after `> `, each with its output on a terminal below it.
/// - Other languages: a file, if the first line is a comment with its name, such as `# nightly.yaml`.
///
/// A comment `<!-- not run: REASON -->` above a block states why it is only shown.
struct GuidePage {
    /// A block between fences.
    struct Block {
        var language: String
        var text: String
        /// Why the block is not run.
        var reason: String?
        /// The position of the text in the page.
        var range: Range<String.Index>

        /// The file that the block contains, by its first line.
        var fileName: String? {
            guard reason == nil, !["sh", "text", "console"].contains(language) else { return nil }
            return text.firstMatch(of: #/^(?:#![^\n]*\n)?# ([A-Za-z0-9._-]+\.[a-z]+)\n/#).map {
                String($0.1)
            }
        }
    }

    /// The path in the repository.
    let file: String
    let blocks: [Block]
    private let source: String
    /// Whether to write the present output into the pages, instead of comparing it.
    private static let updates = ProcessInfo.processInfo.environment["ETL_UPDATE_GUIDES"] != nil

    /// - Parameter language: Only blocks of this language count.
    init(_ file: String, only language: String? = nil) throws {
        self.file = file
        let pattern = #/(?ms)(?:^<!-- not run: ([^\n]*) -->\n)?^```(\w+)\n(.*?)^```$/#
        source = try Repository.text(file)
        blocks = source.matches(of: pattern).map {
            Block(
                language: String($0.2), text: String($0.3), reason: $0.1.map { String($0) },
                range: $0.3.startIndex..<$0.3.endIndex)
        }.filter { language == nil || $0.language == language }
    }

    /// Writes the files that the page shows.
    func writeFiles(into folder: String) throws {
        for block in blocks {
            guard let name = block.fileName else { continue }
            try Data(block.text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
        }
    }

    /// Runs the page from top to bottom, starting in a folder.
    ///
    /// - Returns: The blocks whose output differs from the page; empty if the page is correct.
    func run(in start: String) throws -> [String] {
        var faults: [String] = []
        // `cd` in a block also applies to the blocks after it.
        var folder = start
        var updates: [(range: Range<String.Index>, text: String)] = []
        // The output of the last commands. A `text` block must show it.
        var printed: String?
        for block in blocks where block.reason == nil {
            if block.language != "text", let text = printed, !text.isEmpty {
                faults.append("\(file) does not show this output:\n\(text)")
            }
            switch block.language {
            case "sh":
                let result = try Self.bash("set -euo pipefail\n\(block.text)", in: &folder)
                if result.status != 0 || !result.standardError.isEmpty {
                    faults.append("\(block.text)\n\(result)")
                }
                printed = result.standardOutput
            case "text":
                if let printed, Self.masked(printed) != Self.masked(block.text) {
                    faults.append("printed:\n\(printed)\nshown in \(file):\n\(block.text)")
                    updates.append((block.range, printed))
                }
                printed = nil
            case "console":
                let shown = try Self.transcript(of: block.text, in: &folder)
                if Self.masked(shown) != Self.masked(block.text) {
                    faults.append("a terminal shows:\n\(shown)\nshown in \(file):\n\(block.text)")
                    updates.append((block.range, shown))
                }
                printed = nil
            default:
                if let name = block.fileName {
                    try Data(block.text.utf8)
                        .write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
                }
                printed = nil
            }
        }
        if let printed, !printed.isEmpty {
            faults.append("\(file) does not show this output:\n\(printed)")
        }
        if Self.updates, !updates.isEmpty {
            var text = source
            for update in updates.reversed() {
                text.replaceSubrange(update.range, with: update.text)
            }
            try Data(text.utf8).write(to: URL(fileURLWithPath: Repository.path(file)))
        }
        return faults
    }

    /// Returns a console block as a terminal would show it.
    private static func transcript(of text: String, in folder: inout String) throws -> String {
        var commands: [[Substring]] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("$ ") {
                commands.append([line.dropFirst(2)])
            } else if line.hasPrefix("> "), !commands.isEmpty {
                commands[commands.count - 1].append(line.dropFirst(2))
            }
        }
        // On a terminal, etl shows stages and tables without these flags.
        var script = """
            exec 2>&1
            etl() {
                case "$1 $*" in
                    *"--quiet"*) command etl "$@" ;;
                    "import "*|"run "*|"plan "*|"seed "*|"replay "*) command etl "$@" --verbose ;;
                    *"--format"*|*"--count"*) command etl "$@" ;;
                    "fetch "*) command etl "$@" --format table ;;
                    *) command etl "$@" ;;
                esac
            }

            """
        for command in commands {
            let shown = command.enumerated().map { ($0.offset == 0 ? "$ " : "> ") + $0.element }
                .joined(separator: "\n")
            script += "cat <<'SHOWN-COMMAND'\n\(shown)\nSHOWN-COMMAND\n"
            script += command.joined(separator: "\n") + "\n"
        }
        return try bash(script, in: &folder).standardOutput
    }

    /// Runs a script, and sets `folder` to the folder in which it ends.
    private static func bash(_ script: String, in folder: inout String) throws -> ToolResult {
        let bin = (Tool.etlPath as NSString).deletingLastPathComponent
        let scratch = try TemporaryFolder()
        let end = scratch.path + "/end"
        let head = """
            export PATH='\(bin)':"$PATH"
            trap 'pwd > "\(end)"' EXIT

            """
        let result = try Tool.run("bash", ["-c", head + script], in: folder)
        folder = try String(contentsOfFile: end, encoding: .utf8)
            .trimmingCharacters(in: .newlines)
        return result
    }

    /// Returns a string without the parts that differ between runs: run IDs, times, and durations.
    private static func masked(_ text: String) -> String {
        text.replacing(#/\d{8}T\d{6}Z-\d+/#, with: "RUN")
            .replacing(#/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/#, with: "TIME")
            .replacing(#/\d+(\.\d+)? (ms|s)\b/#, with: "DURATION")
    }
}
