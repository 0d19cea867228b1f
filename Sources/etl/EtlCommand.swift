import ArgumentParser
import Diagnostics
import Pipelines

/// The command as a whole; each subcommand has a file of its own.
@main
struct EtlCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "etl",
        abstract: "Imports, changes and exports the objects of a Core Data store, by YAML specs.",
        discussion: """
            A spec names a store, its model and a list of stages; `etl run spec.yaml` runs them. \
            Success prints nothing when nobody watches, so it suits cron. stdout carries only \
            data; everything else goes to stderr.
            """,
        version: Release.version,
        subcommands: [
            RunCommand.self, PlanCommand.self, SeedCommand.self, ReplayCommand.self,
            CheckCommand.self, PreviewCommand.self, TestCommand.self, StatusCommand.self,
            ReportCommand.self, ExplainCommand.self, SchemaCommand.self, InferCommand.self,
            ImportCommand.self,
            FetchCommand.self, HistoryCommand.self, VerifyCommand.self, MigrateCommand.self,
            ModelCommand.self, ReferenceCommand.self,
        ])

    static func main() {
        Terminal.reserveStandardDescriptors()
        ProcessSettings.apply()
        if let problem = ArgumentEncoding.problem {
            exit(withError: RunFailure(.usage, [problem]).shown())
        }
        let words = Array(CommandLine.arguments.dropFirst())
        if let (spec, sets) = RunCommand.plain(words) {
            do { return try RunCommand.run(spec, sets: sets) } catch { exit(withError: error) }
        }
        if let problem = UnknownCommand.problem(in: words) {
            exit(withError: RunFailure(.usage, [problem]).shown())
        }
        guard var command = only(in: words) else { return runWhole() }
        do {
            try command.run()
        } catch {
            exit(withError: error)
        }
    }

    /// Runs the command as a whole; what a message repeats of the line leaves as `OutputText`.
    private static func runWhole() {
        do {
            var command = try parseAsRoot(nil)
            try command.run()
        } catch {
            let message = fullMessage(for: error)
            guard exitCode(for: error) == .validationFailure, !message.isEmpty else {
                exit(withError: error)
            }
            Terminal.writeToStandardError(OutputText(message + "\n"))
            exit(withError: ExitCode.validationFailure)
        }
    }

    /// The command of a line in which everything is as it should be.
    ///
    /// Parsed alone, since to read the descriptions of all commands takes longer than a short run
    /// does. Whatever there is to be told, of a mistake or as help, is told by the whole command.
    private static func only(in words: [String]) -> (any ParsableCommand)? {
        guard let name = words.first,
            let command = configuration.subcommands.first(where: {
                $0.configuration.commandName == name
            }), command.configuration.subcommands.isEmpty
        else { return nil }
        // Asked for help it gives a command that prints it, and calls this one the whole.
        guard let parsed = try? command.parseAsRoot(Array(words.dropFirst())),
            ObjectIdentifier(type(of: parsed)) == ObjectIdentifier(command)
        else { return nil }
        return parsed
    }
}
