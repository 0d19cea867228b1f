import RecordStreams

/// The keys of an import and of what reads its files.
extension SpecificationMapping {
    static let importKeys = [
        KeyDescription(
            "import", .text, .error, "A file pattern, or the stage's name beside `read`.",
            example: "tasks.ndjson.gz"),
        KeyDescription(
            "read", .either([.mapping(.read), .mapping(.command), .mapping(.generate)]),
            .means("by the pattern alone"),
            "The files, or the command, and how they are read, or how many records are made.",
            example: "{ files: \"in/*.csv\" }"),
        KeyDescription(
            "into", .text, .error, "The entity of the objects; an abstract one has none.",
            example: "Task"),
        KeyDescription(
            "key", .oneOrMore(.text), .means("the entity's only uniqueness constraint"),
            """
            The attributes and to-one relationships that identify an object; a relationship needs \
            its `link`. They need no uniqueness constraint, so this works with models that CloudKit \
            constrains, and the model stays as it is. Without an index, etl keeps the keys in memory \
            (`budget.memory`) or in a temporary table, never in the store. If several objects have \
            the record's key, the record is rejected with the code `key`. Null never equals null: a \
            record without the whole key is rejected, and an object whose key is null is never found.
            """,
            example: "[id]"),
        KeyDescription(
            "set", .named("ATTRIBUTE", .either([.text, .mapping(.field)])),
            .means("the field of the same name fills an attribute"),
            """
            What fills attributes: the path of a field such as `owner.email`, or more. Where a path leads \
            to nothing, or null is on its way, a field that is called like it, dots included, is meant, as \
            tables and flat exports have them; after a backslash a dot is always part of a name \
            (`owner\\.email`), in tables too. An element of a \
            composite is named by its path, such as `magnitude.richter`; a path alone fills a whole \
            composite by the object that it leads to.
            """,
            example: "{ title: Subject }"),
        KeyDescription(
            "set-only", .boolean, .same(as: "false"),
            "Fields that `set` does not name fill nothing.", example: "true"),
        KeyDescription(
            "link",
            .named("RELATIONSHIP", .either([.mapping(.link), .mapping(.nested)])), .nothing,
            "What fills relationships; what is linked may come later in the same stage.",
            example: "{ category: { by: { name: category.name } } }"),
        KeyDescription(
            "keep-if", .predicate, .means("all records are kept"),
            "Records for which this is false are passed over and counted.",
            example: "\"kind != 'draft'\""),
        KeyDescription(
            "duplicates", .choice(ImportSpec.Duplicates.self), .same(as: "last"),
            """
            What becomes of a key that an earlier record of the stage had. Each save writes what its \
            own records say: of a key whose records differ and come to different saves, the report's \
            objects and the history tell every such change, on each run of the same input, although \
            the records count the object once, by what became of it, and nothing differs in the end.
            """, example: "reject"),
        KeyDescription(
            "when-found", .choice(ImportSpec.WhenFound.self), .same(as: "update"),
            "What becomes of an object that was there before the stage.", example: "skip"),
        KeyDescription(
            "when-same", .choice(ImportSpec.WhenSame.self), .same(as: "skip"),
            "What becomes of an object that is as the record says already.", example: "touch"),
        KeyDescription(
            "extra", .choice(ImportSpec.Extra.self), .same(as: "ignore"),
            """
            What becomes of fields that nothing takes. A stage that comes to its end counts them by \
            name in the run's report, as JSON and as a page; a field of a nested object as a path.
            """,
            example: "reject"),
        KeyDescription(
            "unmet", .choice(ImportSpec.Unmet.self), .same(as: "warn"),
            """
            What to do if no record has a path that the spec names. Paths with a `default` do not \
            count.
            """, example: "stop"),
        KeyDescription(
            "on", .mapping(.on), .means("such a record is refused"),
            "What a refused record does, for each reason.", example: "{ cast: stop }"),
        KeyDescription(
            "mirror", .mapping(.mirror), .nothing,
            """
            Deletes the objects that a complete read without a refused record no longer names.
            """, example: "{ where: ALL }"),
    ]

    static let commandKeys = [
        KeyDescription(
            "command", .list(.scalar), .error,
            """
            A program and its arguments, which reads or writes in the place of a file. No shell takes \
            the words apart; `[sh, -c, "a | b"]` starts one. Parameters may stand in them, but no \
            secrets, which everybody on the machine could read. It runs in the spec's folder. What it \
            writes to stderr is shown. If it ends with another code than 0, an import ends with 65, \
            after the records that came before, and an export with 74; if it cannot be started, the \
            run ends with 66.
            """, example: "[zstd, -dc, tasks.ndjson.zst]"),
        KeyDescription(
            "env", .named("NAME", .text), .nothing,
            "Variables of the command besides those of etl; secrets may stand in them.",
            example: "{ LANG: C }"),
    ]

    /// How what a command writes is read.
    static let commandReadKeys = readKeys.filter {
        !["files", "min-files", "once"].contains($0.name)
    }

    static let readKeys = [
        KeyDescription(
            "files", .oneOrMore(.path), .error,
            """
            File patterns with `*`, `**`, `?` and `{a,b}`, read by name; `-` is stdin. That and what is \
            no regular file, such as a fifo, is read in one pass: a run that completes a stopped one \
            must be given all of it again.
            """,
            example: "\"in/tasks-*.ndjson.gz\""),
        KeyDescription(
            "as", .choice(RecordFormat.self), .means("by the name, then by the first byte"),
            "The format.", example: "csv"),
        KeyDescription(
            "at", .pattern(#"^\$"#, "a path such as `$.data.items[*]`"), .same(as: "$"),
            "The path to the array of records inside a JSON document.",
            example: "\"$.data.items[*]\""),
        KeyDescription(
            "compression", .choice(ReadSpec.Compression.self), .same(as: "auto"),
            "How the files are compressed.", example: "gzip"),
        KeyDescription(
            "min-files", .integer(0...1_000_000_000), .same(as: "\(ReadSpec().filesMin)"),
            "Fewer files than this end the run with 66.", example: "0"),
        KeyDescription(
            "min-records", .integer(0...1_000_000_000), .same(as: "\(ReadSpec().recordsMin)"),
            """
            Fewer records than this, in all files, end the run with 66, before `mirror` deletes \
            anything.
            """, example: "1000"),
        KeyDescription(
            "once", .boolean, .same(as: "false"),
            "Files that an earlier run has finished are left out; all must be regular files.",
            example: "true"),
        KeyDescription(
            "header", .boolean, .same(as: "true"), "The first row of a table names its columns.",
            example: "true"),
        KeyDescription(
            "columns", .list(.scalar), .means("the header's"), "The names of a table's columns.",
            example: "[id, title]"),
        KeyDescription(
            "skip", .integer(0...1_000_000), .same(as: "0"),
            """
            So many lines of a table are read over, whatever is in them, before its header or its \
            first row.
            """, example: "3"),
        KeyDescription(
            "comment", .character, .nothing,
            "Lines of a table that begin with this character are no rows; quotes mean nothing there.",
            example: "\"#\""),
        KeyDescription(
            "delimiter", .text, .means("a comma in csv, a tab in tsv"),
            "What stands between the fields of a table: one character, or several such as `||`.",
            example: "\";\""),
        KeyDescription(
            "trailing-delimiter", .boolean, .same(as: "false"),
            """
            A delimiter at the end of a line, the header included, ends the last field and begins \
            no other. A line without it is taken as it is.
            """, example: "true"),
        KeyDescription(
            "quote", .either([.words([.init(text: "none", meaning: "No quotes.")]), .character]),
            .same(as: "'\"'"), "The character around fields of a table.", example: "\"'\""),
        KeyDescription(
            "escape", .character, .nothing,
            """
            Behind this character, any one stands for itself: a delimiter, a quote, a line feed, or \
            the character again. A field without quotes is compared with `null` before that, so \
            `null: "\\N"` works with it. A quote may still be written twice.
            """, example: "\"\\\\\""),
        KeyDescription(
            "null", .oneOrMore(.constant), .same(as: "[\"\"]"),
            "Texts of a table, without quotes, that stand for null.", example: "[\"\", \"NULL\"]"),
        KeyDescription(
            "null-text", .oneOrMore(.constant), .means("what `null` says"),
            "Another name of `null`.", example: "NULL"),
        KeyDescription(
            "ragged", .choice(ReadSpec.Ragged.self), .same(as: "reject"),
            "What becomes of rows that are too short; those that are too long are refused.",
            example: "pad"),
        KeyDescription(
            "max-record", .size, .same(as: "\(ReadSpec().maxRecordBytes >> 20)MiB"),
            "Larger records are refused; up to 1GiB.", example: "64MiB"),
        KeyDescription(
            "max-depth", .integer(1...4096), .same(as: "\(ReadSpec().depthMax)"),
            "A record of JSON with more objects and lists inside each other is rejected.",
            example: "64"),
        KeyDescription(
            "max-ratio", .integer(1...1_000_000), .same(as: "\(ReadSpec().maxRatio)"),
            "How many times its size gzip data may become, after the first 64 MiB.",
            example: "5000"),
        KeyDescription(
            "encoding", .choice(TextEncoding.self), .same(as: "utf-8"),
            "How the bytes of the files stand for text.", example: "latin1"),
    ]

    static let generateKeys = [
        KeyDescription(
            "generate",
            .either([
                .integer(0...Int64(GeneratedSpec.rowsMax)),
                .pattern(#"\$\{[^}]+\}"#, "a parameter such as `\"${rows}\"`"),
            ]), .error,
            """
            So many records from no file; expressions fill them from `$row`, which is 0 in the \
            first, `random(a, b)`, `pick({…})` and `lorem(words)`.
            """, example: "1000"),
        KeyDescription(
            "seed", .integer(Int64.min...Int64.max), .same(as: "0"),
            "Equal seeds make equal records.", example: "7"),
    ]

    static let mirrorKeys = [
        KeyDescription(
            "where", .predicate, .error,
            "Which objects the input is about; `ALL` for every one.", example: "ALL"),
        KeyDescription(
            "at-most", .limit, .same(as: "10%"),
            """
            More objects to delete than this, and none is deleted; exit 65. A number also counts \
            the objects that delete rules add by cascade. A share counts only objects of the \
            entity that no record names.
            """, example: "100"),
    ]

    static let onKeys =
        ImportSpec.rejectCodes.map { code in
            KeyDescription(
                code, code == "cast" ? .choice(ImportSpec.RejectRule.self) : .words(rejectOrStop),
                .same(as: "reject"), Explanation.meaning(ofReject: code), example: "stop")
        } + [
            KeyDescription(
                "duplicate-key", .choice(ImportSpec.Extra.self), .same(as: "ignore"),
                "An object of JSON has a key twice; the last one counts unless it is refused.",
                example: "reject")
        ]

    private static let rejectOrStop = [ImportSpec.RejectRule.reject, .stop].map {
        ValueForm.Word(text: $0.rawValue, meaning: $0.meaning)
    }
}
