public import ArgumentParser
import GraphModel

/// Draws a model: `etl model diagram MODEL`.
struct ModelDiagramCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diagram",
        abstract: "Draw a model as Mermaid, Graphviz, or SVG, on stdout.",
        discussion: "Exit status: 0 ok, 66 the file is missing, 78 the model is not valid.")

    @Argument(help: "A YAML model, one of Xcode's, a store, or a spec.", completion: .file())
    var model: String

    @Option(help: "The format: mermaid, dot, or svg.")
    var format = ModelDiagram.Format.mermaid

    func run() throws {
        let model = try ModelCommand.read(model, quiet: true)
        StandardOutput.write(ModelDiagram.text(of: model, format: format))
    }
}

extension ModelDiagram.Format: ExpressibleByArgument {}
