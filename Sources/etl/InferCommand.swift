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

    @Option(
        help: ArgumentHelp(
            "The fields that tell records apart, with commas between them.", valueName: "fields"))
    var key: String?

    @Option(
        help: ArgumentHelp("The entity of the records; one for all files.", valueName: "name"))
    var entity: String?

    @Option(
        name: .customLong("type"),
        help: ArgumentHelp(
            "The type of a field, such as day=Date; may be repeated.", valueName: "field=type"))
    var types: [String] = []

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp(
            "The format of the files; by default by name and first byte.", valueName: "format"))
    var format: RecordFormat?

    @Flag(help: "The first row of a table holds values, not names of columns.")
    var noHeader = false

    @Option(
        help: ArgumentHelp("How the bytes of the files stand for text.", valueName: "encoding"))
    var encoding: TextEncoding?

    @Option(
        name: .customLong("null"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A text of tables that stands for no value; may be repeated.", valueName: "text"))
    var nullTexts: [String] = []

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
        _ = try options()
    }

    /// What the command line says of the data.
    private func options() throws -> InferenceOptions {
        var options = InferenceOptions()
        options.limit = limit
        options.hasProfiles = html != nil
        options.key = key.map { $0.split(separator: ",").map(String.init) } ?? []
        options.entity = entity
        options.format = format
        options.hasHeader = noHeader ? false : nil
        options.encoding = encoding
        options.nullTexts = nullTexts
        for text in types {
            guard let place = text.lastIndex(of: "="), place > text.startIndex else {
                throw ValidationError("--type is FIELD=TYPE, such as day=Date, and not '\(text)'")
            }
            let name = text[text.index(after: place)...]
            guard let type = InferenceOptions.type(named: String(name)) else {
                let names = InferenceOptions.typeNames.joined(separator: ", ")
                throw ValidationError("'\(name)' is no type; types are \(names)")
            }
            options.types[String(text[..<place])] = type
        }
        return options
    }

    func run() throws {
        SignalHandling.endAtOnce()
        let logger = Logger(label: "etl") { _ in StandardErrorLog() }
        let options = try options()
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

extension RecordFormat: ExpressibleByArgument {}
extension TextEncoding: ExpressibleByArgument {}
