extension Explanation {
    /// The fault codes that are printed together with each reject code.
    static let details: [String: Set<String>] = [
        "parse": [
            "csv.text-after-quote", "csv.quote-in-field", "csv.unterminated-quote",
            "json.unexpected-byte", "json.incomplete", "json.bad-number", "json.bad-literal",
            "json.control-character", "json.bad-escape", "json.too-deep",
        ],
        "shape": [
            "csv.too-few-fields", "csv.too-many-fields", "json.two-values",
            "json.not-an-object",
        ],
        "encoding": ["csv.invalid-utf8", "json.invalid-utf8", "json.lone-surrogate"],
        "too-big": ["csv.record-too-big", "json.record-too-big"],
    ]

    /// The areas: the part of a code before the dot.
    static let families: [Explanation] = familyTexts.map { name, meaning, mend in
        Explanation(title: "\(name).…", names: [name], meaning: meaning, mend: mend)
    }

    private static let familyTexts = [
        (
            "command", "A command that reads or writes for the spec did not do so.",
            "Run it by hand in the spec's folder."
        ),
        ("csv", "A table cannot be read.", "See its first line, `quote` and `delimiter`."),
        ("file", "A file cannot be read or written.", "Check its path and permissions."),
        (
            "gzip", "A compressed input is damaged or cut off.",
            "Fetch it again; what was imported before stays."
        ),
        (
            "import", "An import found a possible mistake in the spec.",
            "See whether the spec says what you mean."
        ),
        (
            "history", "A store keeps no history, or not the part that was asked for.",
            "Turn it on with `store.history`, or read the store again and continue from its newest token."
        ),
        ("input", "An input is missing or cannot be read.", "Check the path under `read.files`."),
        ("internal", "A mistake in etl itself.", "Report it with the spec and the run's report."),
        ("json", "A JSON document cannot be read.", "Correct it at the position in the message."),
        (
            "infer", "No model can be guessed from a file, or not all of it was looked at.",
            "Give a file with complete records, or correct the records in the message."
        ),
        ("lock", "The store's lock is held, or cannot be made.", "Run again later."),
        (
            "mirror", "A mirroring import would delete more than it may.",
            "See whether the input is whole, or raise the guard."
        ),
        (
            "mapping", "A mapping between two versions of a model is wrong.",
            "Correct it at the position in the message."
        ),
        ("model", "The model is wrong.", "Correct it at the position in the message."),
        (
            "output", "An output cannot be made, or would replace what the run works with.",
            "Name another file, or make room and give the rights."
        ),
        ("predicate", "A predicate or an expression is wrong.", "Correct it at the caret."),
        ("query", "The query is wrong.", "Correct the flag in the message."),
        (
            "rejects", "There are too many rejects, or their files cannot be kept.",
            "Correct the records, or see `rejects.allow`, `rejects.dir` and `rejects.keep`."
        ),
        ("replay", "Rejects cannot be replayed, or are left.", "Do as the message says."),
        (
            "report", "A report of a run cannot be written, found or read.",
            "Check the folder under `report.to`."
        ),
        ("run", "A run was stopped, or does not go on with an earlier one.", "Run it again."),
        (
            "spec", "The spec is wrong.",
            "Correct it at the position in the message; see `etl check`."
        ),
        (
            "store", "The store cannot be opened, or refuses a change.",
            "Do as the message says; with `commit: batch` each save stays."
        ),
        ("swift", "Classes cannot be made of a name in the model.", "Rename it in the model."),
        (
            "system", "The system is out of file descriptors, threads, or memory.",
            "Raise the limits and run again."
        ),
        ("test", "A test of a spec fails, or is wrong.", "Fix the spec or the test."),
        (
            "verify", "A statement of a verify stage does not hold.",
            "Look at the objects it counts."
        ),
        ("yaml", "A file is not valid YAML for etl.", "Correct it at the position in the message."),
    ]
}
