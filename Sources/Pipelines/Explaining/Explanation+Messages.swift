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
    static let families = familyTexts.map { family in
        var explanation = family
        explanation.title += ".…"
        return explanation
    }

    private static let familyTexts: [Explanation] = [
        .init(
            "command", "A command that reads or writes for the spec failed.",
            "Run it by hand in the spec's folder."),
        .init("csv", "A table cannot be read.", "Check its first line, `quote`, and `delimiter`."),
        .init("file", "A file cannot be read or written.", "Check its path and permissions."),
        .init(
            "gzip", "A compressed input is damaged or truncated.",
            "Fetch it again; records imported before are kept."),
        .init(
            "import", "An import found a possible mistake in the spec.",
            "Check the part of the spec that the message names."),
        .init(
            "history", "A store keeps no history, or not the requested part.",
            "Turn it on with `store.history`, or read the store again and continue from its newest token."
        ),
        .init(
            "input", "An input is missing or cannot be read.",
            "Check the path under `read.files`."),
        .init("internal", "etl has a bug.", "Report it with the spec and the run's report."),
        .init(
            "json", "A JSON document cannot be read.",
            "Correct it at the position in the message."),
        .init(
            "infer", "No model can be inferred from a file, or only a part of the file was read.",
            "Give a file with complete records, or correct the records in the message."),
        .init(
            "lock", "Another process holds the store's lock, or the lock file cannot be created.",
            "Run again later."),
        .init(
            "mirror", "A mirroring import would delete more than `mirror.at-most`.",
            "Check that the input is complete, or raise `mirror.at-most`."),
        .init(
            "mapping", "A mapping between two versions of a model is not valid.",
            "Correct it at the position in the message."),
        .init("model", "The model is not valid.", "Correct it at the position in the message."),
        .init(
            "output", "An output cannot be created, or would replace a file that the run uses.",
            "Name another file, or free disk space and check the permissions."),
        .init(
            "predicate", "A predicate or an expression is not valid.", "Correct it at the caret."),
        .init("query", "The query is not valid.", "Correct the flag in the message."),
        .init(
            "rejects", "There are too many rejects, or their files cannot be kept.",
            "Correct the records, or see `rejects.allow`, `rejects.dir`, and `rejects.keep`."),
        .init(
            "replay", "Rejects cannot be replayed, or were rejected again.",
            "Follow the fix in the message."),
        .init(
            "report", "A report of a run cannot be written, found, or read.",
            "Check the folder under `report.to`."),
        .init("run", "A run was stopped, or cannot resume an earlier one.", "Run it again."),
        .init(
            "spec", "The spec is not valid.",
            "Correct it at the position in the message; see `etl check`."),
        .init(
            "store", "The store cannot be opened, or does not allow a change.",
            "Follow the fix in the message; with `commit: batch`, each save is kept."),
        .init(
            "swift", "No Swift class can be generated for a name in the model.",
            "Rename it in the model."),
        .init(
            "system", "The system is out of file descriptors, threads, or memory.",
            "Raise the limits and run again."),
        .init("test", "A test of a spec fails, or is not valid.", "Fix the spec or the test."),
        .init(
            "verify", "A statement of a verify stage is false.",
            "Inspect the objects that it counts."),
        .init(
            "yaml", "A file is not valid YAML for etl.",
            "Correct it at the position in the message."),
    ]
}
