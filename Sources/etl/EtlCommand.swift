import ArgumentParser
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
            FetchCommand.self, HistoryCommand.self, VerifyCommand.self, MigrateCommand.self,
            ModelCommand.self, ReferenceCommand.self,
        ])

    static func main() {
        Terminal.reserveStandardDescriptors()
        ProcessSettings.apply()
        if let problem = UnknownCommand.problem(in: Array(CommandLine.arguments.dropFirst())) {
            exit(withError: RunFailure(.usage, [problem]).shown())
        }
        main(nil)
    }
}
