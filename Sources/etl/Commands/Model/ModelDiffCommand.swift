import ArgumentParser
import GraphModel
import Pipelines

/// Compares two models: `etl model diff A B`.
struct ModelDiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Show what differs between two models, and what a migration would need.",
        discussion: """
            Renaming identifiers of the second model are followed.

            Exit status: 0 the models are equal, 1 they differ, 66 a file is missing, 78 a model is \
            wrong.
            """)

    @Argument(help: "The model before: YAML, Xcode's, or a store.", completion: .file())
    var before: String

    @Argument(help: "The model after.", completion: .file())
    var after: String

    func run() throws {
        let diff = ModelDiff(
            from: try ModelCommand.read(before, quiet: true),
            to: try ModelCommand.read(after, quiet: true))
        StandardOutput.write(diff.text)
        if !diff.isEmpty { throw ExitCode(ExitStatus.check.rawValue) }
    }
}
