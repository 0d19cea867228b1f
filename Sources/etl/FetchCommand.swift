import ArgumentParser
import FoundationEssentials
import Logging
import Pipelines

/// Asks a store: `etl fetch STORE ENTITY`.
struct FetchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch",
        abstract: "Show the objects of a store that meet a predicate.",
        discussion: """
            Without ENTITY it lists the entities and how many objects each has, those of \
            sub-entities included. The store is only read, also while another process writes it.

            Examples:
              etl fetch tasks.sqlite
              etl fetch tasks.sqlite Task --where "ANY tags.name == 'home'" --count
              etl fetch tasks.sqlite Task --sort "priority desc, title" --limit 10
              etl fetch tasks.sqlite Task --fields id,title,category.name,tags --format csv
              etl fetch tasks.sqlite Task --where 'dueOn < $d' --set 'd=today + 7d'
              etl fetch tasks.sqlite Task --where 'objectID IN {1, 2}' --fields objectID,title

            Exit status: 0 ok, also when nothing matches, 64 usage, such as a predicate that is \
            wrong, 65 a text that is not UTF-8, 66 the store is missing, 70 internal error, 71 out \
            of descriptors or memory, 74 I/O error, or a store that is damaged or no SQLite file, \
            75 the store is in use, 77 permission denied, 78 an SQLite file that is no store, 129, \
            130 and 143 stopped by a signal.
            """)

    @Argument(help: "The store, an SQLite file.", completion: .file())
    var store: String

    @Argument(
        help: "The entity, by the model's name or the store's own.",
        completion: Completion.entities)
    var entity: String?

    @Option(
        help: ArgumentHelp(
            "The model to read an app's store by, whose own is missing: YAML, .xcdatamodeld.",
            valueName: "model"),
        completion: .file())
    var model: String?

    @Option(
        name: .customLong("where"), parsing: .unconditional,
        help: ArgumentHelp("Which objects, by a predicate.", valueName: "predicate"))
    var predicate: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The order, such as 'priority desc, title'; by default that of the key.",
            discussion: """
                Key paths, each with asc or desc behind it or - before it. Behind that a text may \
                have nocase, [cd] (accents do not count either) or localized (file 9 before \
                file 10), and any key nulls first or nulls last.
                """,
            valueName: "keys"))
    var sort: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Show so many objects at the most.", valueName: "n"))
    var limit: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Pass over so many objects first.", valueName: "n"))
    var offset: Int?

    @Option(
        help: ArgumentHelp(
            "Show these key paths, such as id,title,category.name,tags.",
            discussion: "objectID is the primary key of an object, a number.", valueName: "paths"))
    var fields: String?

    @Option(
        help: """
            The form: table, ndjson or csv; by default table on a terminal and ndjson elsewhere. \
            A table fits the terminal (or COLUMNS) and cuts what is long, names last; without \
            either it has all columns, with texts of 40 characters at least. The others are whole.
            """)
    var format: FetchFormat?

    @Flag(help: "Print the number of objects, sub-entities included, and nothing else.")
    var count = false

    @Flag(
        help: """
            Print how the store would find the answer, and what would make that quicker, instead \
            of the answer.
            """)
    var explain = false

    @Option(
        name: .customLong("set"), parsing: .singleValue,
        help: ArgumentHelp(
            "Give a variable of the predicate, $name, its value; may be repeated.",
            valueName: "name=value"))
    var sets: [String] = []

    @Flag(name: .customLong("no-color"), help: "No colours, as with NO_COLOR in the environment.")
    var isWithoutColour = false

    func validate() throws {
        try SetFlags.validate(sets)
        for (name, value) in [("--limit", limit), ("--offset", offset)] {
            if let value, value < 0 { throw ValidationError("\(name) is 0 or more") }
        }
        let ofRows = [
            ("--sort", sort != nil), ("--limit", limit != nil), ("--offset", offset != nil),
            ("--fields", fields != nil), ("--format", format != nil),
        ]
        if count, let flag = ofRows.first(where: \.1)?.0 {
            throw ValidationError("--count prints a number alone, so \(flag) says nothing")
        }
        if explain, format != nil {
            throw ValidationError("--explain prints plain text, so --format says nothing")
        }
        let ofEntities =
            ofRows.dropLast() + [
                ("--where", predicate != nil), ("--set", !sets.isEmpty), ("--count", count),
                ("--explain", explain),
            ]
        if entity == nil, let flag = ofEntities.first(where: \.1)?.0 {
            throw ValidationError("\(flag) needs an ENTITY")
        }
    }

    func run() throws {
        let environment = ProcessInfo.processInfo.environment
        let standardOutput = StandardOutput(environment: environment)
        let isWatched = Terminal().isInteractive
        SignalHandling.endAtOnce()
        var query = Query(store: store, entity: entity, now: Date())
        query.model = try model.map { try ModelCommand.read($0, quiet: true) }
        query.modelFile = model
        query.wanted = count ? .count : .rows
        query.isExplained = explain
        query.predicate = predicate
        query.order = sort
        query.fields = fields
        query.limit = limit
        query.offset = offset ?? 0
        query.sets = sets
        let runner = QueryRunner(
            format: queryFormat(on: standardOutput), isTerminal: standardOutput.isTerminal,
            isWatched: isWatched)
        let outcome = runner.run(query)
        let logger = Logger(label: "etl") { _ in StandardErrorLog() }
        for error in outcome.errors { logger.error("\(error)") }
        for note in outcome.notes { logger.notice("\(note)") }
        if outcome.status != .ok { throw ExitCode(outcome.status.rawValue) }
    }

    private func queryFormat(on output: StandardOutput) -> QueryFormat {
        switch format ?? (output.isTerminal ? .table : .ndjson) {
        case .table:
            .table(
                TableStyle(
                    width: output.columns, isColoured: output.takesColour && !isWithoutColour))
        case .ndjson: .ndjson
        case .csv: .csv
        }
    }
}

/// The forms of an answer.
enum FetchFormat: String, ExpressibleByArgument, CaseIterable {
    case table, ndjson, csv
}
