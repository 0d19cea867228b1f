import ArgumentParser
import Diagnostics
import FoundationEssentials
import Logging
import Pipelines
import RecordStreams

/// Makes a model and a spec from data: `etl infer FILE…`.
struct InferCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "infer",
        abstract: "Make a model and a spec to begin with, from data or from a store.",
        discussion: """
            Reads NDJSON, JSON, CSV and TSV, also gzipped, and writes a model with a type for \
            every field, and a spec that imports the files: whole, but for records that cannot be \
            read, which are told here and rejected there. Each file name gives an entity: \
            tasks.ndjson.gz gives Tasks. So does each array of a JSON document, and each list of \
            objects in a record. No type loses a value, but its spelling may go, as that of \
            1.50, which exports write as 1.5, or of yes, which becomes true; leading zeros, long \
            numbers and mixed kinds stay text. Delimiters, encodings, dates, null texts and \
            missing headers are found out. Keys of up to three fields and references between the \
            files are guessed by name and content; a comment `# guessed:` stands beside every \
            guess. Where no key is found, one is made of the whole record, so that a second run \
            changes nothing. From a store come its model and a spec that exports every entity.

            Without --output the spec goes to stdout, with the model in it.

            Examples:
              etl infer tasks.csv > import-tasks.yaml
              etl infer Artist.csv Album.csv Track.csv --output chinook
              etl infer readings.csv --key station,day --type day=Date
              zcat tasks.ndjson.gz | etl infer - --entity Task
              etl infer tasks.sqlite --output .

            Exit status: 0 ok, 64 usage, 65 the data is damaged or has no records, 66 no such \
            file, 73 the files are there or cannot be written, 74 I/O error, 77 permission \
            denied, 78 the format cannot be told.
            """)

    @Argument(
        help: ArgumentHelp(
            "Files of records, or one store; `-` is standard input.", valueName: "file"),
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

    @OptionGroup var known: InferenceFlags

    @Option(
        help: ArgumentHelp(
            "Write a page that shows the values of every field, and why keys and links are guessed.",
            valueName: "file"),
        completion: .file())
    var html: String?

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit is 1 or more") }
        if force, output == nil, html == nil {
            throw ValidationError("--force is about files, so it needs --output or --html")
        }
    }

    func run() throws {
        SignalHandling.endAtOnce()
        let logger = Logger(label: "etl") { _ in StandardErrorLog() }
        var options = known.options
        options.limit = limit
        options.hasProfiles = html != nil
        do throws(RunFailure) {
            let inference = try Inference(from: files, options: options)
            for warning in inference.warnings {
                logger.notice("\(DiagnosticRenderer.text(warning))")
            }
            if let html {
                guard let page = inference.page else {
                    throw RunFailure(
                        .usage,
                        [
                            Diagnostic(
                                code: "infer.store",
                                "A store has no files to look at, so there is no page of them",
                                fix: "leave out --html; `etl fetch` shows what a store holds")
                        ])
                }
                try InferenceFolder.write(page, to: html, overwrites: force)
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
