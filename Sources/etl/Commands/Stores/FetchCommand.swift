import ArgumentParser
import FoundationEssentials
import Pipelines

/// Shows objects of a store: `etl fetch STORE ENTITY`.
struct FetchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch",
        abstract: "Show the objects of a store that meet a predicate.",
        discussion: """
            Without ENTITY, it lists the entities with the number of their objects, sub-entities \
            included. The store is only read, also while another process writes it.

            Examples:
              etl fetch tasks.sqlite
              etl fetch tasks.sqlite Task --where "ANY tags.name == 'home'" --count
              etl fetch tasks.sqlite Task --sort "priority desc, title" --limit 10
              etl fetch tasks.sqlite Task --fields id,title,category.name,tags --format csv
              etl fetch tasks.sqlite Task --where 'dueOn < $d' --set 'd=today + 7d'
              etl fetch tasks.sqlite Task --where 'objectID IN {1, 2}' --fields objectID,title

            Exit status:
              0 ok, also if nothing matches
              64 usage, such as a predicate with a mistake
              65 a text is not UTF-8, or the external file of a value is missing
              66 the store is missing
              70 internal error
              71 out of descriptors or memory
              74 I/O error, or the file is damaged or not an SQLite file
              75 the store is in use
              77 permission denied
              78 the SQLite file is not a store
              129, 130, 143 stopped by a signal
            """)

    @Argument(help: "The store, an SQLite file.", completion: .file())
    var store: String

    @Argument(
        help: "The entity, by its name in the model or in the store.",
        completion: Completion.entities)
    var entity: String?

    @Option(
        help: ArgumentHelp(
            "The model for an app's store that contains none: YAML or .xcdatamodeld.",
            valueName: "model"),
        completion: .file())
    var model: String?

    @Option(
        name: .customLong("where"), parsing: .unconditional,
        help: ArgumentHelp("Show the objects that match this predicate.", valueName: "predicate"))
    var predicate: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The order, such as 'priority desc, title'; by default, the key's order.",
            discussion: """
                Key paths, each followed by asc or desc, or preceded by -. For text, add nocase, \
                [cd] (ignores case and accents), or localized (file 9 before file 10). For any \
                key, add nulls first or nulls last.
                """,
            valueName: "keys"))
    var sort: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Show at most N objects.", valueName: "n"))
    var limit: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Skip the first N objects.", valueName: "n"))
    var offset: Int?

    @Option(
        help: ArgumentHelp(
            "Show these key paths, such as id,title,category.name.",
            discussion: "objectID is the primary key, a number.", valueName: "paths"))
    var fields: String?

    @Option(
        help: """
            The format: table, ndjson, or csv; by default, table on a terminal, else ndjson. A \
            table fits the terminal (or COLUMNS) and truncates long values. Without a width, it \
            has all columns and at least 40 characters of a text. ndjson and csv truncate nothing.
            """)
    var format: FetchFormat?

    @Flag(help: "Print only the number of objects, sub-entities included.")
    var count = false

    @Flag(
        help: """
            Print the query plan and index suggestions instead of the objects.
            """)
    var explain = false

    @Option(
        name: .customLong("set"), parsing: .singleValue,
        help: ArgumentHelp(
            "Set a variable of the predicate, $name; may be repeated.",
            valueName: "name=value"))
    var sets: [String] = []

    @Flag(
        name: .customLong("no-color"), help: "Print no colors, as with NO_COLOR in the environment."
    )
    var isWithoutColor = false

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
            throw ValidationError("--count prints only a number, so \(flag) has no effect")
        }
        if explain, format != nil {
            throw ValidationError("--explain prints plain text, so --format has no effect")
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
        try runner.run(query).show(isVerbose: true)
    }

    private func queryFormat(on output: StandardOutput) -> QueryFormat {
        switch format ?? (output.isTerminal ? .table : .ndjson) {
        case .table:
            .table(
                TableStyle(
                    width: output.columns, isColored: output.takesColor && !isWithoutColor))
        case .ndjson: .ndjson
        case .csv: .csv
        }
    }
}

/// The formats of the output.
enum FetchFormat: String, ExpressibleByArgument, CaseIterable {
    case table, ndjson, csv
}
