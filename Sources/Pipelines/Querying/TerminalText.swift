/// Formats text for a terminal: wraps lines between words, and makes paths below the current folder
/// relative.
package enum TerminalText {
    // MARK: Words

    /// Wraps lines that are wider than the terminal.
    ///
    /// Continuation lines are indented by two more columns, or aligned with the second column of a
    /// table. A word that is longer than a line is not broken, and neither is a line with a caret
    /// below it.
    package static func wrapped(_ text: String, columns: Int) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.enumerated().map { place, line in
            let next = place + 1 < lines.count ? lines[place + 1] : ""
            let isExcerpt = next.last == "^" && next.dropLast().allSatisfy { $0 == " " }
            return isExcerpt ? String(line) : wrapped(line: String(line), columns)
        }.joined(separator: "\n")
    }

    private static func wrapped(line: String, _ columns: Int) -> String {
        guard DisplayWidth.columns(line) > columns else { return line }
        let indent = line.prefix { $0 == " " }.count
        let margin = margin(of: line, indent: indent, columns)
        var result = String(repeating: " ", count: indent)
        var width = indent
        var isFirst = true
        var rest = line.dropFirst(indent)
        while !rest.isEmpty {
            let gap = rest.prefix { $0 == " " }
            let word = rest.dropFirst(gap.count).prefix { $0 != " " }
            rest = rest.dropFirst(gap.count + word.count)
            let length = DisplayWidth.columns(String(word))
            if isFirst || width + gap.count + length <= columns {
                result += gap + word
                width += gap.count + length
            } else if !word.isEmpty {
                result += "\n" + String(repeating: " ", count: margin) + word
                width = margin + length
            }
            isFirst = false
        }
        return result
    }

    /// Returns the indentation of continuation lines.
    private static func margin(of line: String, indent: Int, _ columns: Int) -> Int {
        let text = line.dropFirst(indent)
        if let gap = text.firstRange(of: "  ") {
            let value = text[gap.upperBound...].drop { $0 == " " }
            let place = DisplayWidth.columns(String(line[..<value.startIndex]))
            if !value.isEmpty, place <= columns / 2 { return place }
        }
        return indent + 2 <= columns / 2 ? indent + 2 : 0
    }

    // MARK: Colors

    /// Colors counts by the result for records and objects: `2 inserted` green, `1 superseded`
    /// yellow, and `1 rejected` red.
    package static func withColoredCounts(_ text: String) -> String {
        text.replacing(#/\b([0-9][0-9,]*) (?:nested objects? )?([a-z]+)\b/#) { match in
            let color: Int
            switch match.2 {
            case "inserted", "updated", "linked", "replayed": color = 32
            case "deleted", "skipped", "superseded", "discarded": color = 33
            case "rejected": color = 31
            default: return String(match.0)
            }
            return "\u{1B}[\(color)m\(match.0)\u{1B}[0m"
        }
    }

    /// Returns whether a line reports the result of a stage.
    package static func isLineOfStage(_ text: String) -> Bool {
        text.starts(with: #/(?:would )?(?:import|update|delete|export|verify) [^\n]*: /#)
    }

    // MARK: Paths

    /// Shortens paths below folders.
    ///
    /// Text in quotation marks can be data, and is unchanged.
    ///
    /// - Parameter folders: absolute paths of the current folder.
    package static func withRelativePaths(_ text: String, below folders: [String]) -> String {
        var text = text
        for folder in folders where folder.first == "/" && folder.count > 1 {
            text = shortened(text, folder + "/")
        }
        return text
    }

    private static func shortened(_ text: String, _ beginning: String) -> String {
        guard text.contains(beginning) else { return text }
        var result = ""
        var rest = text[...]
        while let range = rest.firstRange(of: beginning) {
            result += rest[..<range.lowerBound]
            rest = rest[range.upperBound...]
            let isPath = result.last.map { $0.isWhitespace || "(`=[:".contains($0) } ?? true
            let isFolder = rest.first.map(\.isWhitespace) ?? true
            result += isPath ? (isFolder ? "./" : "") : beginning
        }
        return result + rest
    }

    /// Returns the paths of the current folder: from the system and from the shell.
    package static func currentFolders(environment: [String: String]) -> [String] {
        let own = WorkingFolder.path
        guard let named = environment["PWD"], named != own,
            FileDescriptor.resolved(named) == own
        else { return [own] }
        return [own, named]
    }
}
