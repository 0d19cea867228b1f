import ArgumentParser
import FoundationEssentials
import Pipelines

/// Shows what changed in a store: `etl history STORE`, and `etl history purge STORE`.
struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Show what changed in a store, or purge its history.",
        discussion: """
            `etl history STORE` shows the changes; `etl help history show` lists its flags.

            A store keeps a history if its spec has `store: { history: { keep: 7d } }`.
            """,
        subcommands: [HistoryShowCommand.self, HistoryPurgeCommand.self],
        defaultSubcommand: HistoryShowCommand.self)
}

/// Shows the changes of a history.
struct HistoryShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show the changes of a store as JSON lines, oldest first.",
        discussion: """
            You can omit the word `show`. Each line has:

            - the token, time, and author of the change
            - insert, update, or delete
            - the entity, the primary key, and the key
            - the properties that an update set
            - the attributes of a deleted object that the model preserves. A deletion has a key \
            only if the model sets `preserve-on-delete: true` for the key's attributes.

            A token is a position in the history: --since TOKEN shows the changes after that line. \
            For a periodic job, --place keeps the token in a file:

              etl history tasks.sqlite --place tasks.place >> changes.ndjson

            The file is written after the lines, so that no change is missed. If the machine stops \
            in between, changes are printed twice.

            After 65, read the whole store, and continue with the position that --token prints.

            Exit status:
              0 ok, also if nothing changed
              64 usage
              65 the token is of another store, or later changes were purged
              66 the store is missing
              71 out of descriptors or memory
              73 the file of --place cannot be created
              74 I/O error
              75 the store is in use
              77 permission denied
              78 the store keeps no history, or the file is not a store
              129, 130, 143 stopped by a signal
            """)

    @Argument(help: "The store, an SQLite file.", completion: .file())
    var store: String

    @Option(
        help: ArgumentHelp(
            "The model for an app's store that contains none: YAML or .xcdatamodeld.",
            valueName: "model"),
        completion: .file())
    var model: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Show the changes after this token, or this date, such as 'today - 1d'.",
            valueName: "token or date"))
    var since: String?

    @Option(
        help: ArgumentHelp(
            "Continue from the position in this file, and save the new one there.",
            valueName: "file"),
        completion: .file())
    var place: String?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Show only changes by this author; may be repeated.", valueName: "name"))
    var author: [String] = []

    @Option(
        help: ArgumentHelp(
            "Show only objects of this entity and its sub-entities; may be repeated.",
            valueName: "entity"), completion: Completion.entities)
    var entity: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Show at most N changes.", valueName: "n"))
    var limit: Int?

    @Flag(help: "Wait for new changes until a signal ends the command.")
    var follow = false

    @Flag(name: .shortAndLong, help: "Print on stderr the notes that a terminal shows.")
    var verbose = false

    @Flag(help: "Print only the position after the newest change.")
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
            throw ValidationError("--token prints only a position, so \(flag) has no effect")
        }
    }

    func run() throws {
        // Before the process ends, it finishes the line and saves the position.
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
        let feed = HistoryFeed(
            isTerminal: output.isTerminal, interruption: interruption,
            note: { Terminal.writeMessage($0) })
        try feed.run(query).show(isVerbose: verbose)
    }
}

/// Removes old changes from a history.
struct HistoryPurgeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge",
        abstract: "Remove old changes from a store's history.",
        discussion: """
            If `store.history.keep` has a duration, saves remove older changes by themselves. The history of
            an app's store is only read.

            Exit status:
              0 ok
              64 usage
              65 the token is of another store
              66 the store is missing
              74 I/O error
              75 the store is in use
              77 permission denied
              78 the store keeps no history, an app created it, or the file is not a store
            """)

    @Argument(help: "The store, an SQLite file.", completion: .file())
    var store: String

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Remove the changes up to this date, such as 'today - 30d', or token.",
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
    /// Prints errors, and notes on a terminal or if the output is verbose.
    ///
    /// - Throws: how the command ends.
    func show(isVerbose: Bool = false) throws {
        for error in errors { Terminal.writeMessage(error) }
        if isVerbose || Terminal().isInteractive {
            for note in notes { Terminal.writeMessage(note) }
        }
        if status != .ok { throw ExitCode(status.rawValue) }
    }
}
