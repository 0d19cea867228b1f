import ArgumentParser
import Diagnostics
import GraphModel
import Pipelines

/// Shows, compares, and converts models: `etl model show|diff|convert|diagram|swift`.
struct ModelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "model",
        abstract: "Show, compare, convert, and draw models, and write their classes.",
        subcommands: [
            ModelShowCommand.self, ModelDiffCommand.self, ModelConvertCommand.self,
            ModelDiagramCommand.self, ModelSwiftCommand.self,
        ])

    /// Reads a model file, or the model that a store contains, and prints its problems to stderr.
    ///
    /// With `quiet`, only errors and the remark about an app's store are printed.
    ///
    /// - Throws: the status 66 if the file is missing, 78 if the model is wrong.
    static func read(_ path: String, quiet: Bool = false) throws -> ManagedObjectModel {
        let (model, diagnostics) = ModelSource.readOrStored(path)
        for diagnostic in diagnostics
        where diagnostic.severity == .error || !quiet || diagnostic.code == "store.of-app" {
            Terminal.write(diagnostic)
        }
        if let model { return model }
        let isMissing = diagnostics.contains { $0.code == "file.missing" }
        throw ExitCode((isMissing ? ExitStatus.noInput : .configuration).rawValue)
    }
}
