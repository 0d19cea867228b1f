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
            The source of attributes: the path of a field such as `owner.email`, or a mapping. If \
            a path leads to nothing, or to null on the way, a field with that complete name, dots \
            included, is used, as in tables and flat exports. After a backslash, a dot is always \
            part of a name (`owner\\.email`), in tables too. An element of a composite is named by \
            its path, such as `magnitude.richter`; a path alone fills a whole composite by the \
            object that it leads to.
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
            "Records for which this is false are skipped and counted.",
            example: "\"kind != 'draft'\""),
        KeyDescription(
            "duplicates", .choice(ImportSpec.Duplicates.self), .same(as: "last"),
            """
            What to do if an earlier record of the stage had the same key. Each save writes its \
            own records: if records with the same key differ and are in different saves, the \
            report's objects and the history contain each of these changes, on every run of the \
            same input. The record counts still count the object once, by its result, and the \
            final objects are the same.
            """, example: "reject"),
        KeyDescription(
            "when-found", .choice(ImportSpec.WhenFound.self), .same(as: "update"),
            "What to do if an object with this key existed before the stage.", example: "skip"),
        KeyDescription(
            "when-same", .choice(ImportSpec.WhenSame.self), .same(as: "skip"),
            "What to do if the object already has the record's values.", example: "touch"),
        KeyDescription(
            "extra", .choice(ImportSpec.Extra.self), .same(as: "ignore"),
            """
            What to do with fields that the stage does not read. A finished stage counts them by \
            name in the run's report (JSON and HTML); a field of a nested object is shown as a \
            path.
            """,
            example: "reject"),
        KeyDescription(
            "unmet", .choice(ImportSpec.Unmet.self), .same(as: "warn"),
            """
            What to do if no record has a path that the spec names, also in `keep-if` and `expr`. \
            Paths with a `default` do not count. Of a name behind null or in an empty list, nothing \
            is known.
            """, example: "stop"),
        KeyDescription(
            "on", .mapping(.on), .means("rejects the record"),
            "What to do with a rejected record, for each code.", example: "{ cast: stop }"),
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
            A program and its arguments, used instead of a file. No shell splits the words; `[sh, \
            -c, "a | b"]` starts one. Parameters are allowed in them, but secrets are not, because \
            every user could read them. It runs in the spec's folder. Its stderr is shown. If it \
            exits with a code other than 0, an import fails with 65, after importing the records \
            before that, and an export with 74. If it cannot be started, the run exits with 66.
            """, example: "[zstd, -dc, tasks.ndjson.zst]"),
        KeyDescription(
            "env", .named("NAME", .text), .nothing,
            "Environment variables of the command, added to those of etl; secrets are allowed.",
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
            The number of lines to skip at the start of a table, whatever they contain, before its \
            header or its first row.
            """, example: "3"),
        KeyDescription(
            "comment", .character, .nothing,
            "Lines of a table that begin with this character are no rows; quotes mean nothing there.",
            example: "\"#\""),
        KeyDescription(
            "delimiter", .text, .means("a comma in csv, a tab in tsv"),
            "The separator between the fields of a table: one character, or several such as `||`.",
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
            The character after this one is literal: a delimiter, a quote, a line feed, or this \
            character itself. A field without quotes is compared with `null` before that, so \
            `null: "\\N"` works with it. A quote may still be written twice.
            """, example: "\"\\\\\""),
        KeyDescription(
            "null", .oneOrMore(.constant), .same(as: "[\"\"]"),
            "Unquoted values of a table that mean null.", example: "[\"\", \"NULL\"]"),
        KeyDescription(
            "null-text", .oneOrMore(.constant), .means("what `null` says"),
            "Another name of `null`.", example: "NULL"),
        KeyDescription(
            "ragged", .choice(ReadSpec.Ragged.self), .same(as: "reject"),
            "What to do with rows that are too short; rows that are too long are always rejected.",
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
            "The text encoding of the files.", example: "latin1"),
    ]

    static let generateKeys = [
        KeyDescription(
            "generate",
            .either([
                .integer(0...Int64(GeneratedSpec.rowsMax)),
                .pattern(#"\$\{[^}]+\}"#, "a parameter such as `\"${rows}\"`"),
            ]), .error,
            """
            The number of records to generate. Expressions fill them from `$row`, which is 0 in \
            the first, `random(a, b)`, `pick({…})` and `lorem(words)`.
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
            If more objects than this would be deleted, none is, and the stage fails with 65. A \
            number also counts the objects that delete rules add by cascade. A percentage counts \
            only objects of the entity that no record names.
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
