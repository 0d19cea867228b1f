import ArgumentParser
import Diagnostics
import FoundationEssentials
import Pipelines
import RecordStreams

/// Writes a model and a spec from data: `etl infer FILE…`.
struct InferCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "infer",
        abstract: "Write a first model and spec from data or from a store.",
        discussion: """
            Reads NDJSON, JSON, CSV, and TSV, also gzipped. Writes a model with a type for every \
            field, and a spec that imports the files. It warns of records that it cannot read; the \
            import rejects them.

            - Entities: one per file (tasks.ndjson.gz gives Tasks), per array of a JSON document, \
            and per list of objects in a record.
            - Types: no type loses a value, but the spelling may change: exports write 1.50 as \
            1.5, and yes as true. Leading zeros, long numbers, and mixed kinds stay text.
            - Format: delimiters, encodings, dates, null texts, and missing headers are detected.
            - Keys of up to three fields, and references between the files, are guessed by name \
            and content. If no field is a key, the whole record is, so that a second run changes \
            nothing.

            Each guess has a comment `# guessed:`. For a store, it writes its model and a spec that \
            exports every entity.

            Without --output, the spec goes to stdout and contains the model.

            Examples:
              etl infer tasks.csv > import-tasks.yaml
              etl infer Artist.csv Album.csv Track.csv --output chinook
              etl infer readings.csv --key station,day --type day=Date
              zcat tasks.ndjson.gz | etl infer - --entity Task
              etl infer tasks.sqlite --output .

            Exit status:
              0 ok
              64 usage
              65 the data is damaged or has no records
              66 a file is missing
              73 the output exists or cannot be written
              74 I/O error
              77 permission denied
              78 the format is unknown
            """)

    @Argument(
        help: ArgumentHelp(
            "Files of records, or one store; `-` is standard input.", valueName: "file"),
        completion: .file())
    var files: [String]

    @Option(
        help: ArgumentHelp(
            "Write model.yaml and pipeline.yaml into this folder, which is created if missing.",
            valueName: "dir"),
        completion: .directory)
    var output: String?

    @Flag(help: "Overwrite existing files.")
    var force = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Read at most N records of each entity; by default, all.", valueName: "n"))
    var limit: Int?

    @OptionGroup var known: InferenceFlags

    @Option(
        help: ArgumentHelp(
            "Write a page with the values of every field and the evidence for keys and links.",
            valueName: "file"),
        completion: .file())
    var html: String?

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit is 1 or more") }
        if force, output == nil, html == nil {
            throw ValidationError("--force overwrites files, so it needs --output or --html")
        }
    }

    func run() throws {
        SignalHandling.endAtOnce()
        var options = known.options
        options.limit = limit
        options.hasProfiles = html != nil
        let inference = try Inference(from: files, options: options)
        for warning in inference.warnings { Terminal.write(warning) }
        if let html {
            guard let page = inference.page else {
                throw RunFailure(
                    .usage, code: "infer.store",
                    "A store has no input files, so --html cannot write a page",
                    fix: "leave out --html; `etl fetch` shows what a store holds")
            }
            try InferenceFolder.write(page, to: html, overwrites: force)
        }
        guard let output else {
            return StandardOutput.write(inference.spec(modelFile: nil))
        }
        try InferenceFolder(output, workingFolder: WorkingFolder.path)
            .write(inference, overwrites: force)
    }
}
