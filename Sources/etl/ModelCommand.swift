import ArgumentParser
import Diagnostics
import GraphModel
import Logging
import Pipelines

/// Looks at models: `etl model show|diff|convert|diagram|swift`.
struct ModelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "model",
        abstract: "Show, compare, convert and draw models, and write their classes.",
        subcommands: [
            ModelShowCommand.self, ModelDiffCommand.self, ModelConvertCommand.self,
            ModelDiagramCommand.self, ModelSwiftCommand.self,
        ])

    /// Reads a model or the one that a store carries; tells every problem, and ends with 66 where
    /// there is no such file and with 78 where it is wrong.
    static func read(_ path: String, quiet: Bool = false) throws -> ManagedObjectModel {
        let logger = Logger(label: "etl") { _ in StandardErrorLog() }
        let (model, diagnostics) = ModelSource.readOrStored(path)
        for diagnostic in diagnostics
        where diagnostic.severity == .error || !quiet || diagnostic.code == "store.of-app" {
            logger.notice("\(DiagnosticRenderer.text(diagnostic))")
        }
        if let model { return model }
        let isMissing = diagnostics.contains { $0.code == "file.missing" }
        throw ExitCode((isMissing ? ExitStatus.noInput : .configuration).rawValue)
    }
}
