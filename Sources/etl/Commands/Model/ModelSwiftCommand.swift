import ArgumentParser
import ClassGeneration
import Diagnostics
import Pipelines

/// Writes the classes of a model: `etl model swift MODEL --output DIR`.
struct ModelSwiftCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "swift",
        abstract: "Write Swift classes for a model's entities, or check existing files.",
        discussion: """
            Writes a file per entity with its class, keys, row, and predicates, and a file that \
            lists the classes. Files from an earlier run are removed if their entity was removed; \
            other files are not touched. If an entity has the code generation `manual` or \
            `category` (Xcode's Codegen; in YAML `xcode: { codeGenerationType: category }`), you \
            write its class.

            Exit status: 0 ok, 1 --check found outdated files, 66 the model is missing, 73 a file \
            cannot be written or was not generated, 78 the model is wrong.
            """)

    @Argument(help: "A YAML model, one of Xcode's, a store, or a spec.", completion: .file())
    var model: String

    @Option(name: .shortAndLong, help: "The folder of the files.", completion: .directory)
    var output: String

    @Flag(help: "Write nothing; list outdated files, and exit with 1 if there are any.")
    var check = false

    @Option(help: "For every entity: class, category (only an extension), or manual (nothing).")
    var mode: ClassGenerator.Mode?

    @Option(help: "The access level of the classes: internal, package, or public.")
    var access = ClassGenerator.Access.internal

    @Flag(help: "Overwrite files that were not generated from this model.")
    var force = false

    func run() throws {
        try URLCheck.reject(folder: output)
        let generator = ClassGenerator(
            try ModelCommand.read(model, quiet: true),
            source: ClassGenerator.sourceName(ofModelAt: model), mode: mode, access: access)
        let (files, problems) = generator.files()
        for problem in problems { Terminal.write(problem) }
        if problems.contains(where: { $0.severity == .error }) {
            throw ExitCode(ExitStatus.configuration.rawValue)
        }
        let folder = GeneratedFolder(output, header: generator.header)
        let changes: [GeneratedFolder.Drift]
        do throws(Diagnostic) {
            changes =
                try check
                ? folder.drift(from: files) : folder.write(files, overwrites: force)
        } catch {
            throw RunFailure(.cannotCreate, [error])
        }
        guard check, !changes.isEmpty else { return }
        for change in changes { StandardOutput.write(change.text + "\n") }
        throw ExitCode(ExitStatus.check.rawValue)
    }
}

extension ClassGenerator.Mode: ExpressibleByArgument {}
extension ClassGenerator.Access: ExpressibleByArgument {}
