import ArgumentParser
import Diagnostics
import Pipelines

import class GraphStore.PersistentContainer

/// The command with its subcommands, each of which has its own file.
@main
struct EtlCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "etl",
        abstract: "Imports, changes and exports the objects of a Core Data store, by YAML specs.",
        discussion: """
            A spec names a store, its model and a list of stages; `etl run spec.yaml` runs them. \
            Under cron, a successful run prints nothing. stdout carries only data; everything \
            else goes to stderr.
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
        PersistentContainer.setUpProcess()
        if let problem = ArgumentEncoding.problem {
            end(with: RunFailure(.usage, [problem]))
        }
        let words = Array(CommandLine.arguments.dropFirst())
        if let (spec, sets) = RunCommand.plain(words) {
            do { return try RunCommand.run(spec, sets: sets) } catch { end(with: error) }
        }
        if let problem = UnknownCommand.problem(in: words) {
            end(with: RunFailure(.usage, [problem]))
        }
        guard var command = only(in: words) else { return runWhole() }
        do {
            try command.run()
        } catch let error as ValidationError {
            exit(withError: ArgumentMistake.show("Error: \(error.message)"))
        } catch {
            end(with: error)
        }
        end(with: nil)
    }

    /// Ends the process; the errors of a failure are printed first.
    ///
    /// The status is 74 instead of 0 if text could not be written to stdout.
    private static func end(with error: (any Error)?) -> Never {
        let isLost = StandardOutput.reportFailure()
        if let failure = error as? RunFailure {
            failure.diagnostics.forEach(Terminal.write)
            exit(withError: ExitCode(failure.status.rawValue))
        }
        if isLost, error.map({ exitCode(for: $0) == .success }) ?? true {
            exit(withError: ExitCode(ExitStatus.ioError.rawValue))
        }
        exit(withError: error)
    }

    /// Parses the command line with all commands and runs it.
    ///
    /// Text that quotes the command line is escaped before it is printed.
    private static func runWhole() {
        do {
            var command = try parseAsRoot(nil)
            try command.run()
        } catch let failure as RunFailure {
            end(with: failure)
        } catch {
            if exitCode(for: error) == .validationFailure {
                let message = fullMessage(for: error, columns: Terminal().columns)
                guard !message.isEmpty else { exit(withError: error) }
                exit(withError: ArgumentMistake.show(message))
            }
            guard exitCode(for: error) == .success else { end(with: error) }
            let text = fullMessage(for: error, columns: StandardOutput.helpColumns) + "\n"
            // Scripts of completions keep their lines.
            let isHelp = ["OVERVIEW:", "USAGE:"].contains(where: text.hasPrefix)
            if isHelp { StandardOutput.show(text) } else { StandardOutput.write(text) }
        }
        end(with: nil)
    }

    /// Returns the parsed subcommand; `nil` for help, a mistake, or a command that has subcommands.
    ///
    /// Only this subcommand is parsed, because building the descriptions of all commands takes
    /// longer than a short run. If the result is `nil`, the complete command parses the line again.
    private static func only(in words: [String]) -> (any ParsableCommand)? {
        guard let name = words.first,
            let command = configuration.subcommands.first(where: {
                $0.configuration.commandName == name
            }), command.configuration.subcommands.isEmpty
        else { return nil }
        // For `--help`, the result is a command that prints the help and names this one as the root.
        guard let parsed = try? command.parseAsRoot(Array(words.dropFirst())),
            ObjectIdentifier(type(of: parsed)) == ObjectIdentifier(command)
        else { return nil }
        return parsed
    }
}
