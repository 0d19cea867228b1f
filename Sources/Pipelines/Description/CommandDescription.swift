import FoundationEssentials

/// A command as described by the argument parser, for reference pages.
package struct CommandDescription: Decodable, Sendable {
    /// A flag, an option, or an argument.
    package struct Argument: Decodable, Sendable {
        /// One spelling of a flag.
        package struct Name: Decodable, Sendable {
            var kind: String
            var name: String

            /// The name with its hyphens.
            var text: String { (kind == "long" ? "--" : "-") + name }
        }

        var kind: String
        var abstract: String?
        var discussion: String?
        var isOptional: Bool
        var isRepeating: Bool
        var shouldDisplay: Bool
        var names: [Name]?
        var valueName: String?
        var defaultValue: String?
        var allValues: [String]?

        /// The placeholder of the value in documentation.
        var placeholder: String {
            let name = valueName ?? "value"
            // An example value such as 30m stays lowercase.
            guard !name.contains(where: \.isNumber) else { return name }
            return name.uppercased().replacing(" OR ", with: " or ")
        }

        /// The argument in usage notation: `-v, --verbose`, `--only STAGE`, or `SPEC`.
        var term: String {
            guard kind != "positional" else { return placeholder }
            let names = (names ?? []).map(\.text).sorted { $0.count < $1.count }
            return names.joined(separator: ", ") + (kind == "option" ? " \(placeholder)" : "")
        }

        /// The effect of the argument, in complete sentences.
        var meaning: String {
            var text = abstract ?? ""
            if let last = text.last, !".!?".contains(last) { text += "." }
            if let discussion { text += " \(discussion)" }
            if let allValues, !allValues.allSatisfy({ text.contains($0) }) {
                text += " One of \(allValues.joined(separator: ", "))."
            }
            if let defaultValue { text += " By default \(defaultValue)." }
            return text
        }
    }

    var commandName: String
    var abstract: String?
    var discussion: String?
    var shouldDisplay: Bool
    var superCommands: [String]?
    var defaultSubcommand: String?
    private var arguments: [Argument]?
    private var subcommands: [CommandDescription]?

    private struct Dump: Decodable {
        var command: CommandDescription
    }

    /// Decodes the output of `--experimental-dump-help`.
    package init(dump: String) throws {
        self = try JSONDecoder().decode(Dump.self, from: Data(dump.utf8)).command
    }

    /// The name with its parent commands: `etl model show`.
    var name: String { ((superCommands ?? []) + [commandName]).joined(separator: " ") }

    /// The subcommands, except hidden subcommands and `help`.
    var commands: [CommandDescription] {
        (subcommands ?? []).filter { $0.shouldDisplay && $0.commandName != "help" }
    }

    var positionals: [Argument] { shown.filter { $0.kind == "positional" } }

    /// Flags and options, except `help` and `version`, which every command has.
    var flags: [Argument] {
        shown.filter { argument in
            argument.kind != "positional"
                && !["help", "version"].contains(argument.names?.last?.name)
        }
    }

    private var shown: [Argument] { (arguments ?? []).filter(\.shouldDisplay) }

    /// The usage line: `etl model diff A B`.
    var usage: String {
        var words = [name]
        if !commands.isEmpty {
            words.append(defaultSubcommand == nil ? "COMMAND" : "[COMMAND]")
        }
        if !flags.isEmpty { words.append("[FLAGS]") }
        words += positionals.map { argument in
            let word = argument.placeholder + (argument.isRepeating ? "…" : "")
            return argument.isOptional ? "[\(word)]" : word
        }
        return words.joined(separator: " ")
    }

    /// The paragraphs of the discussion.
    ///
    /// - A paragraph with indented lines is an example.
    /// - A line that begins with `- ` is an item of a list, and starts a line of the paragraph.
    var paragraphs: [(text: String, isExample: Bool)] {
        var paragraphs: [(text: String, isExample: Bool)] = []
        for line in (discussion ?? "").split(separator: "\n", omittingEmptySubsequences: false) {
            let isExample = line.hasPrefix("  ")
            let text = isExample ? line.dropFirst(2) : line
            if let last = paragraphs.last, last.isExample == isExample, !text.isEmpty,
                !last.text.isEmpty
            {
                let startsLine = isExample || text.hasPrefix("- ")
                paragraphs[paragraphs.count - 1].text += (startsLine ? "\n" : " ") + text
            } else {
                paragraphs.append((String(text), isExample))
            }
        }
        return paragraphs.filter { !$0.text.isEmpty }
    }
}
