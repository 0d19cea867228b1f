import ArgumentParser
import Diagnostics

/// Reports a first word that is not a command, and suggests the nearest command.
enum UnknownCommand {
    /// Returns the error for a command line; `nil` if it begins with a command or a flag.
    static func problem(in words: [String]) -> Diagnostic? {
        problem(in: words[...], of: EtlCommand.self, named: "etl")
    }

    private static func problem(
        in words: ArraySlice<String>, of command: any ParsableCommand.Type, named name: String
    ) -> Diagnostic? {
        let commands = command.configuration.subcommands
        // The first word may be an argument of the default command.
        guard !commands.isEmpty, command.configuration.defaultSubcommand == nil,
            let word = words.first, !word.hasPrefix("-"), word != "help"
        else { return nil }
        let names = commands.compactMap { $0.configuration.commandName }
        if let found = commands.first(where: { $0.configuration.commandName == word }) {
            return problem(in: words.dropFirst(), of: found, named: "\(name) \(word)")
        }
        return Diagnostic(
            code: "usage.command",
            "\(name) has no command '\(word)'" + Suggestion.phrase(for: word, among: names),
            fix: "`\(name) --help` lists the commands")
    }
}
