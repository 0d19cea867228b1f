import FoundationEssentials

/// A command as the argument parser tells about itself, for reference pages.
package struct CommandDescription: Decodable, Sendable {
    /// A flag, an option or an argument.
    package struct Argument: Decodable, Sendable {
        /// A way to write a flag.
        package struct Name: Decodable, Sendable {
            var kind: String
            var name: String

            /// With its hyphens.
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

        /// What stands for a value in texts.
        var placeholder: String {
            let name = valueName ?? "value"
            // What looks like a value, such as 30m, stays one.
            guard !name.contains(where: \.isNumber) else { return name }
            return name.uppercased().replacing(" OR ", with: " or ")
        }

        /// How it is written: `-v, --verbose`, `--only STAGE`, or `SPEC`.
        var term: String {
            guard kind != "positional" else { return placeholder }
            let names = (names ?? []).map(\.text).sorted { $0.count < $1.count }
            return names.joined(separator: ", ") + (kind == "option" ? " \(placeholder)" : "")
        }

        /// What it does, in whole sentences.
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

    /// Reads what `--experimental-dump-help` prints.
    package init(dump: String) throws {
        self = try JSONDecoder().decode(Dump.self, from: Data(dump.utf8)).command
    }

    /// The words that call it: `etl model show`.
    var name: String { ((superCommands ?? []) + [commandName]).joined(separator: " ") }

    /// The commands below it, but those that are not for everyone.
    var commands: [CommandDescription] {
        (subcommands ?? []).filter { $0.shouldDisplay && $0.commandName != "help" }
    }

    var positionals: [Argument] { shown.filter { $0.kind == "positional" } }

    /// Flags and options, but those that every command has.
    var flags: [Argument] {
        shown.filter { argument in
            argument.kind != "positional"
                && !["help", "version"].contains(argument.names?.last?.name)
        }
    }

    private var shown: [Argument] { (arguments ?? []).filter(\.shouldDisplay) }

    /// How it is called: `etl model diff A B`.
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

    /// The discussion in paragraphs; those whose lines are indented are examples.
    var paragraphs: [(text: String, isExample: Bool)] {
        var paragraphs: [(text: String, isExample: Bool)] = []
        for line in (discussion ?? "").split(separator: "\n", omittingEmptySubsequences: false) {
            let isExample = line.hasPrefix("  ")
            let text = isExample ? line.dropFirst(2) : line
            if let last = paragraphs.last, last.isExample == isExample, !text.isEmpty,
                !last.text.isEmpty
            {
                paragraphs[paragraphs.count - 1].text += (isExample ? "\n" : " ") + text
            } else {
                paragraphs.append((String(text), isExample))
            }
        }
        return paragraphs.filter { !$0.text.isEmpty }
    }
}
