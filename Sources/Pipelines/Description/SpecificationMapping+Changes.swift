import RecordStreams

/// The keys of the stages that work on what is in the store.
extension SpecificationMapping {
    /// Those of every stage.
    static let stageKeys = [
        KeyDescription(
            "always", .boolean, .same(as: "false"),
            """
            Runs this stage even if an earlier stage failed. It sees the store as that stage left \
            it; with `commit: run`, the store before the run, or an empty store if there was none.
            """, example: "true")
    ]

    static let updateKeys =
        [
            KeyDescription(
                "update", stageName, .error, "The stage's name.", example: "calm-down"),
            KeyDescription(
                "entity", .text, .error, "The entity, sub-entities included.", example: "Task"),
            wherever,
            KeyDescription(
                "set", .named("ATTRIBUTE", .constant), .error,
                """
                What attributes become: [an expression](predicates.md) in text, or a constant. A date \
                is an expression, too: `due: "cast('2026-05-05', 'Date')"`. It is moved by seconds: \
                `due: "cast(cast(due, 'Double') + 7 * 86400, 'Date')"`. Relationships are not set \
                here, but by `link` of an import.
                """,
                example: "{ priority: priority + 1 }"),
        ] + extent

    static let deleteKeys =
        [
            KeyDescription(
                "delete", stageName, .error, "The entity, or the stage's name beside `entity`.",
                example: "Task"),
            entity, wherever,
        ] + extent

    static let exportKeys = [
        KeyDescription(
            "export", stageName, .error, "The entity, or the stage's name beside `entity`.",
            example: "Task"),
        entity,
        KeyDescription(
            "where", .predicate, .same(as: "ALL"), "Which objects.",
            example: "\"isCompleted == NO\""),
        KeyDescription(
            "fields", .list(.text), .means("the key, attributes by name, and links by their key"),
            #"""
            Key paths in the order of the columns. A composite is an object in JSON, and its elements \#
            in tables; `magnitude.richter` is one of them alone. A link is the key of its object; where \#
            that has several attributes, a to-one is `up.a` and `up.b`, and a to-many a list of objects \#
            `{"a": 1, "b": 2}` in JSON, and in tables two lists, `peers.a` and `peers.b`, in one order. \#
            Tables join the values of a list by `|`, with `\|` for one inside a text, as `split: "|"` \#
            reads them back; a list of one empty text comes back as an empty one. `objectID` is the \#
            primary key of an object; it differs in another store.
            """#, example: "[id, title, category.name]"),
        KeyDescription(
            "order", .oneOrMore(.text), .means("by the key"),
            """
            Key paths, each with `asc` or `desc`, and if need be `nocase`, `[cd]` or `localized` \
            and `nulls first` or `nulls last`; `objectID` is the order of the table, the quickest.
            """, example: "[priority desc, title nocase]"),
        KeyDescription(
            "to", .either([.path, .mapping(.output)]), .error,
            """
            The file; a name that ends in `.gz` compresses, `-` is stdout. Or a command that reads what \
            is exported, which needs `as`; not with `commit: run` or `open: replace`.
            """,
            example: "out/tasks.csv.gz"),
        KeyDescription(
            "as", .choice(RecordFormat.self), .means("by the name"), "The format.",
            example: "ndjson"),
        KeyDescription(
            "compression", .choice(ReadSpec.Compression.self), .same(as: "auto"),
            "Whether the file is compressed.", example: "gzip"),
        KeyDescription(
            "level", .integer(1...9), .same(as: "6"), "How hard gzip tries.", example: "9"),
        KeyDescription(
            "shape", .choice(ExportSpec.Shape.self), .same(as: "flat"),
            "How relationships are written.", example: "nested"),
        KeyDescription(
            "manifest", .boolean, .same(as: "false"),
            "Writes rows and SHA-256 of the file into `FILE.manifest.json`.", example: "true"),
        KeyDescription(
            "parts", .integer(1...Int64(ExportParts.countMax)), .means("one file"),
            """
            Writes `NAME-001-of-008.ndjson.gz` and so on, and `NAME.manifest.json` with the files, their \
            rows, and their SHA-256, which gets its name last. An object's part follows from its key alone: \
            the first eight bytes of the SHA-256 of the key's text, as a number, modulo the number of parts. \
            Several attributes of a key have a tab between them; without a key it is `objectID`. Each \
            part keeps the order. If the number of parts changes, the parts that only the manifest before \
            lists are removed, after the new manifest has its name.
            """, example: "8"),
        KeyDescription(
            "missing-files", .choice(ExportSpec.MissingFiles.self), .same(as: "fail"),
            "What to do if the external file of a large binary value is missing.",
            example: "\"null\""),
    ]

    static let verifyKeys = [
        KeyDescription("verify", stageName, .error, "The stage's name.", example: "sane"),
        KeyDescription(
            "expect",
            .named(
                "ENTITY [where PREDICATE]",
                .either([
                    .integer(0...Int64.max),
                    .pattern("^(==|!=|>=|<=|>|<)? *[0-9]+$", "a comparison such as `\">= 1\"`"),
                ])), .error,
            "How many objects there are; if one does not hold, the stage fails with 65.",
            example: "{ \"Task where title == ''\": 0, Task: \">= 1\" }"),
    ]

    private static let stageName = ValueForm.pattern(
        "^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$", "1 to 64 letters, digits, hyphens, underscores, dots"
    )

    private static let entity = KeyDescription(
        "entity", .text, .means("the value of the stage's own key"),
        "The entity, sub-entities included.", example: "Task")

    private static let wherever = KeyDescription(
        "where", .predicate, .error, "Which objects; `ALL` for every one.",
        example: "\"isCompleted == YES\"")

    private static let extent = [
        KeyDescription(
            "at-most", .limit, .means("no limit"),
            """
            More matches than this, and nothing is done; exit 65. With `limit`, only the objects \
            that it leaves count. For a deletion, a number also counts the objects that delete \
            rules add by cascade. A share counts only the matches.
            """, example: "50000"),
        KeyDescription(
            "limit",
            .either([
                .integer(ChangeLimit.bounds),
                .pattern(#"\$\{[^}]+\}"#, "a parameter such as `\"${most}\"`"),
            ]), .means("no limit"),
            """
            Maximum number of objects. The oldest come first, by primary key and not by a date.
            """, example: "1000"),
        KeyDescription(
            "rules", .choice(ChangeRules.self), .same(as: "enforce"),
            """
            Whether to enforce the model's rules: value rules in an `update`, delete rules in a \
            `delete`. A warning reports how many objects a deny rule keeps, and by which \
            relationship.
            """, example: "ignore"),
        KeyDescription(
            "compact", .boolean, .same(as: "false"), "Gives free pages of the store back.",
            example: "true"),
    ]
}
