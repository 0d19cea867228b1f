import GraphStore

/// The keys of a spec beside its stages.
extension SpecificationMapping {
    static let specKeys = [
        KeyDescription(
            "etl", .integer(1...SpecificationReader.version), .error,
            "The version of the format.", example: "1"),
        KeyDescription(
            "name", .pattern("^[a-z0-9-]{1,64}$", "1 to 64 of the characters a-z, 0-9 and -"),
            .means("the file's name"), "Names the lock, the reject folders and the reports.",
            example: "nightly-tasks"),
        KeyDescription(
            "params", .named("NAME", .mapping(.parameter)), .nothing,
            """
            Values that are given when the spec runs: `${NAME}` in texts, `$NAME` in predicates \
            and expressions.
            """, example: "{ cutoff: { type: date, default: today - 90d } }"),
        KeyDescription(
            "store", .mapping(.store), .error, "The store that the stages work on.",
            example: "{ at: tasks.sqlite }"),
        KeyDescription(
            "budget", .mapping(.budget), .nothing, "Limits for a run.",
            example: "{ save-every: 5000 }"),
        KeyDescription(
            "rejects", .mapping(.rejects), .nothing,
            "Where refused records go, and how many there may be.", example: "{ allow: 1% }"),
        KeyDescription(
            "report", .mapping(.report), .nothing, "Where the reports of runs go.",
            example: "{ keep: 10 }"),
        KeyDescription(
            "on-failure", .either([.list(.scalar), .mapping(.onFailure)]), .nothing,
            """
            A program and its arguments, without a shell. etl starts it after the report is \
            written, unless the run ends with 0. It runs in the spec's folder. The last argument \
            is the absolute path of the report (JSON); if the run has written none, for example \
            because another run has the store, this argument is missing. The variable `ETL_EXIT` \
            is the exit code. The command has five minutes. If it fails, etl prints a warning; the \
            exit code of the run does not change. It may contain parameters, but no secrets. \
            `plan` does not start it, and `--no-commands` does not allow it.
            """, example: "[./tell-the-team.sh, nightly]"),
        KeyDescription(
            "stages", .list(.either(stages.map(ValueForm.mapping))), .error,
            "The stages, in order; a stage that fails ends the run.",
            example: "[{ export: Task, to: tasks.csv }]"),
        KeyDescription(
            "tests", .list(.mapping(.test)), .nothing,
            "What `etl test` shows about the spec, on a store in memory.",
            example: "[{ name: nothing comes of nothing, then: { Task: [] } }]"),
    ]

    static let onFailureKeys = [
        KeyDescription(
            "command", .list(.scalar), .error,
            "The program and its arguments; the path of the report is added.",
            example: "[./tell-the-team.sh, nightly]"),
        KeyDescription(
            "env", .named("NAME", .text), .nothing,
            "Environment variables, added to those of etl and `ETL_EXIT`; secrets are allowed.",
            example: "{ LANG: C }"),
    ]

    static let parameterKeys = [
        KeyDescription(
            "type", .choice(ParameterSpec.Kind.self), .error, "The type of the parameter's values.",
            example: "date"),
        KeyDescription(
            "default", .oneOrMore(.scalar), .means("a value must be given"),
            "The value where no other is given; a secret has none, and a list may have several.",
            example: "today - 90d"),
        KeyDescription(
            "from",
            .oneOrMore(.pattern("^(env|file):.+", "`env:NAME` or `file:PATH`")), .nothing,
            "Where else a value is looked for, first to last; `--set` goes before.",
            example: "[\"file:/run/secrets/tasks\", \"env:TASKS_TOKEN\"]"),
    ]

    static let storeKeys = [
        KeyDescription(
            "at", .path, .error, "The SQLite file of the store.", example: "tasks.sqlite"),
        KeyDescription(
            "model", .either([.path, .record]), .means("the store's own"),
            "A YAML model, an Xcode model, or the model itself; `create` and `replace` need one.",
            example: "task-model.yaml"),
        KeyDescription(
            "open", .either([.choice(StoreSpec.OpenMode.self), .mapping(.template)]),
            .same(as: "existing"),
            "What to do if the file exists or is missing.", example: "create"),
        KeyDescription(
            "commit", .choice(StoreSpec.CommitMode.self), .same(as: "batch"),
            "When what a run does becomes visible in the store.", example: "run"),
        KeyDescription(
            "history", .either([.words([historyOff]), .mapping(.history)]),
            .means("as the store has it"),
            "Keeps Core Data's persistent history of changes.", example: "{ keep: 7d }"),
        KeyDescription(
            "author", .text, .means("the spec's name"), "Who made the changes, in the history.",
            example: "nightly"),
        KeyDescription(
            "exact-decimals", .boolean, .means("as the store has it; a new one: false"),
            """
            All digits of Decimal attributes are kept, 38 at most, as texts that Core Data does \
            not read; else what a double has not the digits for is rejected. Conditions compare \
            all digits, and `+`, `-`, `*`, `/` and rounding keep 38; `@sum` and `@avg` are those \
            of doubles.
            """, example: "true"),
        KeyDescription(
            "views", .boolean, .means("as the store has it"),
            """
            Keeps a view for each entity, with the model's names, for use with `sqlite3`; `false` \
            drops these views, but no others.
            """,
            example: "true"),
        KeyDescription(
            "backups", .mapping(.backups), .means("`{ keep: \(StoreBackups.keepDefault) }`"),
            "How many backups of the store to keep.", example: "{ keep: 5 }"),
    ]

    private static let historyOff = ValueForm.Word(
        text: "off",
        meaning: """
            Keeps no history. An existing history is deleted with its contents, and `etl history` \
            then reports that the history is off.
            """)

    static let templateKeys = [
        KeyDescription(
            "template", .path, .error,
            "A store, such as an app's empty one. If no store exists at `at`, a copy of it is used.",
            example: "empty.sqlite")
    ]

    static let historyKeys = [
        KeyDescription(
            "keep", .duration, .error, "For how many days changes are kept.", example: "7d")
    ]

    static let backupsKeys = [
        KeyDescription(
            "keep", .integer(1...1_000_000), .error,
            """
            A run that made a backup removes all but the newest N after the new store has opened.
            """, example: "5")
    ]

    static let budgetKeys = [
        KeyDescription(
            "save-every", .integer(1...1_000_000_000), .same(as: "\(BudgetSpec().saveEvery)"),
            """
            Records between two saves; one that changes nothing in the store counts for a tenth, \
            as do its bytes. A save comes sooner where those before tell that more would fill half \
            of the page cache, a part of `memory`.
            """, example: "5000"),
        KeyDescription(
            "bytes", .size, .same(as: "\(BudgetSpec().bytes >> 20)MiB"),
            "Plain bytes of input between two saves; what comes first counts.", example: "1MiB"),
        KeyDescription(
            "memory", .size, .same(as: "\(BudgetSpec().memory >> 20)MiB"),
            """
            What caches, maps and queues may hold, from 32MiB on; the process needs 48 MiB more \
            at most.
            """, example: "128MiB"),
        KeyDescription(
            "time", .duration, .means("no limit"),
            "After this time, the run saves and exits with 75; the next run resumes.",
            example: "30m"),
    ]

    static let rejectsKeys = [
        KeyDescription(
            "dir", .path, .same(as: "./rejects"),
            """
            The folder where refused records go, each run's in a folder of its own, with the \
            reasons beside them in `.why.ndjson`. Their `byte`, `line` and `column` are those of \
            the text in UTF-8, also where the input has another encoding.
            """, example: "../rejects"),
        KeyDescription(
            "allow", .limit, .same(as: "0"),
            "Refused records of an import that do not make it fail; judged at its end, and by the next run again.",
            example: "1%"),
        KeyDescription(
            "abort", .limit, .same(as: "1000"),
            "With more rejects than this, the stage stops at once. The next run resumes there and "
                + "counts from 0.",
            example: "100"),
        KeyDescription(
            "keep", .duration, .same(as: "30d"), "Older folders of rejects are removed.",
            example: "90d"),
    ]

    static let reportKeys = [
        KeyDescription(
            "to", .path, .means("`./runs`, where that can be written"),
            "The folder of the reports, JSON and a page for each run, failed ones too.",
            example: "../runs"),
        KeyDescription(
            "keep", .integer(1...100_000), .same(as: "60"), "How many runs are kept.",
            example: "10"),
        KeyDescription(
            "metrics", .path, .nothing, "A textfile for Prometheus, rewritten by each run.",
            example: "/var/lib/node_exporter/tasks.prom"),
    ]

    static let testKeys = [
        KeyDescription(
            "name", .text, .error, "What the test shows.", example: "drafts are left out"),
        KeyDescription(
            "params", .named("NAME", .scalar), .nothing, "Parameters for this test.",
            example: "{ cutoff: 2026-01-01 }"),
        KeyDescription(
            "now", .text, .means("the time at which it runs"), "When the test plays.",
            example: "2026-01-31"),
        KeyDescription(
            "given", .named("STAGE or ENTITY", .list(.record)), .nothing,
            "Records of an import by its stage's name, or objects that are there before.",
            example: "{ Task: [{ title: One }] }"),
        KeyDescription(
            "then", .mapping(.then), .error,
            "All objects of each entity that is named, and no others.",
            example: "{ Task: [{ title: One }] }"),
    ]

    static let thenKeys = [
        KeyDescription(
            "rejects", .list(.either([.text, .record])), .same(as: "[]"),
            "The refused records, each as its code or as stage, code, field and more.",
            example: "[link]"),
        KeyDescription(
            "fails", .text, .nothing, "The stage that is to fail.", example: "sane"),
    ]
}
