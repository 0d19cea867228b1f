import ArgumentParser
import Diagnostics
import FoundationEssentials
import Logging
import Pipelines

/// Makes a model and a spec from data: `etl infer FILE…`.
struct InferCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "infer",
        abstract: "Make a model and a spec to begin with, from data or from a store.",
        discussion: """
            Reads NDJSON, JSON, CSV and TSV, also gzipped, and writes a model with a type for \
            every field, and a spec that imports the files: whole, but for records that cannot be \
            read, which are told here and rejected there. Each file name gives an entity: \
            tasks.ndjson.gz gives Task. No type loses a value, but its spelling may go, as that of \
            1.50, which exports write as 1.5, or of yes, which becomes true; leading zeros, long \
            numbers and mixed kinds stay text. Keys and references between the files are \
            guessed by name and content; a comment `# guessed:` stands beside every guess. From \
            a store come its model and a spec that exports every entity.

            Without --output the spec goes to stdout, with the model in it.

            Examples:
              etl infer tasks.csv > import-tasks.yaml
              etl infer Artist.csv Album.csv Track.csv --output chinook
              etl infer tasks.sqlite --output .

            Exit status: 0 ok, 64 usage, 65 the data is damaged or has no records, 66 no such \
            file, 73 the files are there or cannot be written, 74 I/O error, 77 permission \
            denied, 78 the format cannot be told.
            """)

    @Argument(
        help: ArgumentHelp("Files of records, or one store.", valueName: "file"),
        completion: .file())
    var files: [String]

    @Option(
        help: ArgumentHelp(
            "Write model.yaml and pipeline.yaml into this folder, made where it is missing.",
            valueName: "dir"),
        completion: .directory)
    var output: String?

    @Flag(help: "Overwrite files that are there.")
    var force = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Read so many records of each entity at most; by default all.", valueName: "n"))
    var limit: Int?

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit is 1 or more") }
        if force, output == nil {
            throw ValidationError("--force is about files, so it needs --output")
        }
        if files.contains("-") {
            throw ValidationError(
                "stdin can be read but once, and the spec would have to name a file")
        }
    }

    func run() throws {
        SignalHandling.endAtOnce()
        let logger = Logger(label: "etl") { _ in StandardErrorLog() }
        do throws(RunFailure) {
            var options = InferenceOptions()
            options.limit = limit
            let inference = try Inference(from: files, options: options)
            for warning in inference.warnings {
                logger.notice("\(DiagnosticRenderer.text(warning))")
            }
            guard let output else {
                print(inference.spec(modelFile: nil), terminator: "")
                return
            }
            let folder = InferenceFolder(
                output, workingFolder: WorkingFolder.path)
            try folder.write(inference, overwrites: force)
        } catch {
            throw error.shown()
        }
    }
}
