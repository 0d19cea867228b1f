package import Diagnostics
package import GraphModel
import GraphStore
import YAML

/// The keys of `store`.
enum StoreKeys {
    static let at = Key(
        required: "at", .path, "The SQLite file of the store.", example: "tasks.sqlite")
    static let model = Key(
        "model", StoreSpec.modelForm, without: "the store's own",
        "A model in YAML, an Xcode model, or the model itself. `create` and `replace` need one.",
        example: "task-model.yaml")
    static let open = Key(
        "open",
        .either(
            StoreSpec.Opening.plain,
            or: .mapping(template) { StoreSpec.Opening(mode: .create, template: $0[templateFile]) }),
        default: StoreSpec.Opening(), "What to do if the file exists or is missing.",
        example: "create")
    static let commit = Key(
        "commit", .choice(StoreSpec.CommitMode.self), default: .batch,
        "When other programs see the changes of a run.", example: "run")
    static let history = Key(
        "history",
        .either(StoreSpec.History.offForm, or: .mapping(historyMapping) { $0[historyKeep] }),
        without: "as the store has it", "Keeps Core Data's persistent history of changes.",
        example: "{ keep: 7d }")
    static let author = Key(
        "author", .template, without: "the spec's name",
        "The author of the changes in the history.", example: "nightly")
    static let exactDecimals = Key(
        "exact-decimals", .boolean, without: "as the store has it; a new one: false",
        """
        Keeps all digits of Decimal attributes, 38 at most, as texts that Core Data does not \
        read. If it is false, a value that needs more digits than a double has is rejected. \
        Conditions compare all digits; `+`, `-`, `*`, `/`, and rounding keep 38; `@sum` and \
        `@avg` compute with doubles.
        """, example: "true")
    static let views = Key(
        "views", .boolean, without: "as the store has it",
        """
        Keeps a view for each entity, with the model's names, for use with `sqlite3`; `false` \
        drops these views, but no others.
        """, example: "true")
    static let backups = Key(
        "backups", .mapping(backupsMapping) { $0[backupsKeep] },
        without: "`{ keep: \(StoreBackups.keepDefault) }`",
        "How many backups of the store to keep.",
        example: "{ keep: 5 }")
    static let mapping = DescribedMapping(
        "store", "The store of the stages: an SQLite file in Core Data's layout.",
        example: """
            store: { at: tasks.sqlite, model: task-model.yaml, open: create, commit: run }
            """,
        keys: [at, model, open, commit, history, author, exactDecimals, views, backups])

    static let templateFile = Key(
        required: "template", .path,
        "A store, such as an app's empty one. If no store exists at `at`, it is copied there.",
        example: "empty.sqlite", fix: "name the store to be copied")
    static let template = DescribedMapping(
        "template", title: "store.open", "Creates the store as a copy of another one.",
        keys: [templateFile])

    static let historyKeep = Key(
        required: "keep", StoreSpec.History.daysForm, "How many days to keep changes.",
        example: "7d",
        fix: "say how long, such as `keep: 7d`")
    static let historyMapping = DescribedMapping(
        "history", title: "store.history",
        "The store keeps its changes, for apps that follow them.", keys: [historyKeep])

    static let backupsKeep = Key(
        required: "keep", .integer(1...1_000_000),
        "A run that made a backup removes all but the newest N after the new store has opened.",
        example: "5", fix: "set a number, such as `keep: 3`")
    static let backupsMapping = DescribedMapping(
        "backups", title: "store.backups",
        """
        Before etl changes an app's store, or migrates a store, it keeps the old one as \
        `STORE.bak-v1`, `STORE.bak-v2`, and so on.
        """, keys: [backupsKeep])
}

/// The store of a pipeline.
package struct StoreSpec: Sendable, Hashable {
    /// The action if the file at `at` exists or is missing.
    package enum OpenMode: String, ExplainedChoice {
        case existing, create, replace

        /// The effect of the mode on the store file, as in the generated reference.
        package var meaning: String {
            switch self {
            case .existing: "The file must exist."
            case .create: "Creates the store if the file is missing."
            case .replace:
                "Builds a new store next to the file and replaces it at the end, when no other "
                    + "program may have it open. Exports and rejects get their final names at "
                    + "the same time."
            }
        }
    }

    /// The way the file is opened.
    struct Opening {
        var mode = OpenMode.existing
        /// A store to copy if the file is missing.
        var template: TemplateText?
    }

    /// The time when a run's changes become visible in the store.
    package enum CommitMode: String, ExplainedChoice {
        case batch, stage, run

        /// The time of the commit, as in the generated reference.
        package var meaning: String {
            switch self {
            case .batch: "After each save."
            case .stage:
                "After each stage. The run works on a copy, as for `run`, and replaces the store "
                    + "each time."
            case .run:
                "At the end, all or nothing. The run works on a copy; exports and rejects get "
                    + "their final names with the store. If another program writes to the store "
                    + "during the run, it exits with 75, and the next run starts over. It also "
                    + "exits with 75 if another program, even one that only reads, has the store "
                    + "open when the copy replaces it."
            }
        }
    }

    /// The setting for the store's history of changes.
    package enum History: Sendable, Hashable {
        /// The store has no history, and existing history is deleted.
        case off
        /// The store keeps its history for this number of days.
        case days(Int)
    }

    /// The source of the model.
    package enum ModelSource: Sendable, Hashable {
        case file(TemplateText)
        /// The model itself; its problems are reported with the problems of the spec.
        case inline(ModelReading)
    }

    /// The result of reading a model's file.
    struct KnownModel: Sendable, Hashable {
        /// The path in the spec.
        var path: String
        /// The file that was read: `path`, or the version in that bundle that matches the store.
        var file: String
        /// The store that determined the version; `nil` if its path was not known yet.
        var store: String?
        var reading: ModelReading
    }

    /// The SQLite file.
    package var at: TemplateText
    /// The model; if `nil`, the store's own model is used.
    package var model: ModelSource?
    /// The model that was read when the spec was checked, so that a run reads the file only once.
    var knownModel: KnownModel?
    /// The action if the file exists or is missing.
    package var open: OpenMode
    /// The time when changes become visible.
    package var commit = StoreKeys.commit.default
    /// The setting for the history of changes; `nil` leaves it to the store.
    package var history: History?
    /// The author in the store's history; `nil` for the spec's name.
    package var author: TemplateText?
    /// The store to copy when a new store is created; `nil` for an empty store.
    package var template: TemplateText?
    /// Whether the store keeps all digits of decimals; `nil` leaves it to the store.
    package var keepsExactDecimals: Bool?
    /// Whether the store has a view for each entity, for use with `sqlite3`.
    ///
    /// `false` drops the views of earlier runs, and `nil` leaves them unchanged.
    package var hasViews: Bool?
    /// The number of backups of the store to keep.
    package var backupsKept = StoreBackups.keepDefault
    /// The location of the store's settings in the spec.
    package var location: SourceLocation
}

extension StoreSpec {
    /// Reads `store`.
    init(_ keys: KeyedMapping) {
        let at = keys[StoreKeys.at]
        let opening = keys[StoreKeys.open]
        let model = keys[StoreKeys.model]
        if opening.mode != .existing, opening.template == nil,
            keys.source(of: StoreKeys.model) == nil
        {
            keys.source.miss(
                "model",
                "The key 'model' is missing: `open: \(opening.mode.rawValue)` makes a store",
                fix: "add `model:` with a model file")
        }
        let commit = keys[StoreKeys.commit]
        if opening.mode == .replace, commit != .run {
            keys.source(of: StoreKeys.commit)?.fail(
                "rule", "`open: replace` replaces the store completely at the end",
                fix: "leave `commit` out")
        }
        self.init(
            at: at ?? TemplateText(literal: "", at: keys.location), model: model,
            open: opening.mode, commit: commit, history: keys[StoreKeys.history],
            author: keys[StoreKeys.author], template: opening.template,
            keepsExactDecimals: keys[StoreKeys.exactDecimals], hasViews: keys[StoreKeys.views],
            backupsKept: keys[StoreKeys.backups] ?? StoreBackups.keepDefault,
            location: keys.location)
    }

    /// The allowed values of `model`: the path of a file, or the model itself.
    fileprivate static let modelForm = Form<ModelSource>(.either([.path, .record])) {
        value, reader in
        guard value.isMapping else { return reader.template(value).map { .file($0) } }
        var reading = ModelFile.reading(
            node: value.node, file: reader.problems.file, keyPath: value.location.keyPath)
        reading.diagnostics.forEach(reader.problems.report)
        reading.diagnostics = []
        return .inline(reading)
    }
}

extension StoreSpec.Opening {
    fileprivate static let plain = Form<StoreSpec.Opening>(
        .choice(StoreSpec.OpenMode.self), write: { $0.mode.rawValue }
    ) { value, _ in
        value.choice(StoreSpec.OpenMode.self).map { StoreSpec.Opening(mode: $0) }
    }
}

extension StoreSpec.History {
    fileprivate static let offForm = Form<StoreSpec.History>(
        .words([
            .init(
                text: "off",
                meaning: """
                    Keeps no history. An existing history is deleted with its contents, and \
                    `etl history` then reports that the history is off.
                    """)
        ])
    ) { value, _ in
        guard value.scalar?.text != "off" else { return .off }
        return value.wrong("off, or a mapping such as { keep: 7d }")
    }

    /// The allowed values of `history.keep`: a duration in full days.
    fileprivate static let daysForm = Form<StoreSpec.History>(.duration) { value, reader in
        guard let seconds = Form<Int64>.duration.read(value, reader) else { return nil }
        guard seconds % 86_400 == 0 else {
            return value.wrong("a whole number of days such as 7d")
        }
        return .days(Int(seconds / 86_400))
    }
}
