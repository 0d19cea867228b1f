import ArgumentParser
import Diagnostics
import Pipelines

/// Writes a model in another form: `etl model convert IN OUT`.
struct ModelConvertCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Convert a model between YAML and Xcode's .xcdatamodeld.",
        discussion: """
            The extension of OUT is the format: .xcdatamodeld, .xcdatamodel, .yaml, or .yml. A \
            warning names each part of the model that the format cannot express.

            Exit status: 0 ok, 64 OUT has another extension, 66 the file is missing, 73 OUT exists \
            or cannot be written, 78 the model is wrong.
            """)

    @Argument(help: "A YAML model, one of Xcode's, a store, or a spec.", completion: .file())
    var input: String

    @Argument(help: "The file or bundle to write.", completion: .file())
    var output: String

    @Flag(help: "Overwrite OUT if it exists.")
    var force = false

    func validate() throws {
        guard ModelSource.canWrite(output) else {
            throw ValidationError(
                "'\(output)' must end in .xcdatamodeld, .xcdatamodel, .yaml, or .yml")
        }
    }

    func run() throws {
        let model = try ModelCommand.read(input)
        do throws(Diagnostic) {
            for warning in try ModelSource.write(model, to: output, overwrites: force) {
                Terminal.write(warning)
            }
        } catch {
            throw RunFailure(.cannotCreate, [error])
        }
    }
}
