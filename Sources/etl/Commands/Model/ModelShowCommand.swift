import ArgumentParser
import GraphModel

/// Shows a model: `etl model show MODEL`.
struct ModelShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show a model's entities, attributes, relationships, and constraints.",
        discussion: "Exit status: 0 ok, 66 the file is missing, 78 the model is not valid.")

    @Argument(
        help: "A YAML model, an .xcdatamodeld, .xcdatamodel, .momd, or .mom, a store, or a spec.",
        completion: .file())
    var model: String

    @Flag(help: "Show the version hash of each entity, the digest, and the checksum.")
    var hashes = false

    func run() throws {
        let model = try ModelCommand.read(model, quiet: true)
        StandardOutput.write(ModelText.text(of: model, hashes: hashes))
    }
}
