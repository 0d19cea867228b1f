import ArgumentParser
import FoundationEssentials
import Logging
import Pipelines

/// Tells what changed in a store: `etl history STORE`, and `etl history purge STORE`.
struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Show what changed in a store, or purge its history.",
        discussion: """
            `etl history STORE` shows; `etl help history show` lists its flags.

            A store keeps a history where a spec says `store: { history: { keep: 7d } }`.
            """,
        subcommands: [HistoryShowCommand.self, HistoryPurgeCommand.self],
        defaultSubcommand: HistoryShowCommand.self)
}

/// Shows the changes of a history.
struct HistoryShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show what changed in a store, oldest first, a line of JSON for each change.",
        discussion: """
            The word `show` may be left out. A line has the token, time and author of the change, \
            whether it was an insert, update or delete, the entity, the object's number and its \
            key, which properties an update set, and what was kept of a deleted object: the \
            attributes that the model preserves. So a deletion has a key where the model says \
            `preserve-on-delete: true` of the key's attributes.

            A token is a place in the history: --since with the last line's token gives what came \
            after that line. A job that asks now and then lets --place keep it:

              etl history tasks.sqlite --place tasks.place >> changes.ndjson

            The file is written after the lines are, so that no change is missed; one may come \
            twice where the machine stops in between.

            Exit status: 0 ok, also where nothing changed, 64 usage, 65 the token is of another \
            store, or what came after it has been purged: read the whole store, and go on from \
            what --token says; 66 the store is missing, 71 out of descriptors or memory, 73 the \
            file of the place cannot be made, 74 I/O error, 75 the store is in use, 77 permission \
            denied, 78 the store keeps no history, or is none, 129, 130 and 143 stopped by a signal.
            """)

    @Argument(help: "The store, an SQLite file.", completion: .file())
    var store: String

    @Option(
        help: ArgumentHelp(
            "The model to read an app's store by, whose own is missing: YAML, .xcdatamodeld.",
            valueName: "model"),
        completion: .file())
    var model: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Show what changed after this place, or this date, such as 'today - 1d'.",
            valueName: "token or date"))
    var since: String?

    @Option(
        help: ArgumentHelp(
            "Go on from the place in this file, and keep the new one there.", valueName: "file"),
        completion: .file())
    var place: String?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Only what this author saved; may be repeated.", valueName: "name"))
    var author: [String] = []

    @Option(
        help: ArgumentHelp(
            "Only objects of this entity and its sub-entities; may be repeated.",
            valueName: "entity"), completion: Completion.entities)
    var entity: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Show so many changes at the most.", valueName: "n"))
    var limit: Int?

    @Flag(help: "Wait for new changes, until a signal ends it.")
    var follow = false

    @Flag(name: .shortAndLong, help: "Tell on stderr what a terminal would be told, too.")
    var verbose = false

    @Flag(help: "Print the place behind the newest change, and nothing else.")
    var token = false

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("--limit is 0 or more") }
        guard since == nil || place == nil else {
            throw ValidationError("--since and --place contradict each other")
        }
        let others = [
            ("--since", since != nil), ("--place", place != nil), ("--author", !author.isEmpty),
            ("--entity", !entity.isEmpty), ("--limit", limit != nil), ("--follow", follow),
        ]
        if token, let flag = others.first(where: \.1)?.0 {
            throw ValidationError("--token prints a place alone, so \(flag) says nothing")
        }
    }

    func run() throws {
        // A line is written whole, and the place kept, before the end.
        let interruption = SignalHandling.install()
        var query = HistoryQuery(store: store, now: Date())
        query.model = try model.map { try ModelCommand.read($0, quiet: true) }
        query.since = since
        query.placeFile = place
        query.authors = author
        query.entities = entity
        query.limit = limit
        query.follows = follow
        query.wantsToken = token
        let output = StandardOutput(environment: ProcessInfo.processInfo.environment)
        let logger = Logger(label: "etl") { _ in StandardErrorLog() }
        let feed = HistoryFeed(
            isTerminal: output.isTerminal, interruption: interruption,
            note: { logger.notice("\($0)") })
        try feed.run(query).show(isVerbose: verbose)
    }
}

/// Takes old changes out of a history.
struct HistoryPurgeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge",
        abstract: "Take old changes out of a store's history.",
        discussion: """
            Where `store.history.keep` says for how long changes are kept, saves do this by \
            themselves.

            Exit status: 0 ok, 64 usage, 65 the token is of another store, 66 the store is \
            missing, 74 I/O error, 75 the store is in use, 77 permission denied, 78 the store \
            keeps no history, or is none.
            """)

    @Argument(help: "The store, an SQLite file.", completion: .file())
    var store: String

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "A date such as 'today - 30d', or a token: what a reader with that token has read.",
            valueName: "token or date"))
    var before: String

    @OptionGroup var ifLocked: StoreLockFlag

    func run() throws {
        SignalHandling.endAtOnce()
        try HistoryFeed.purge(
            store, before: before, now: Date(), ifLocked: ifLocked.flag?.policy
        ).show()
    }
}

extension QueryOutcome {
    /// Shows what went wrong and what is to be known.
    ///
    /// - Throws: how the command ends.
    fileprivate func show(isVerbose: Bool = false) throws {
        let logger = Logger(label: "etl") { _ in StandardErrorLog() }
        for error in errors { logger.error("\(error)") }
        if isVerbose || Terminal().isInteractive { for note in notes { logger.notice("\(note)") } }
        if status != .ok { throw ExitCode(status.rawValue) }
    }
}
