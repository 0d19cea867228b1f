/// Faults of stores and their histories.
extension Explanation {
    static let storeFaults: [Fault] = [
        (
            "store.app-setting",
            "The spec asks for what would leave tables of ours in an app's store.",
            "Remove the key; only the app can choose this setting."
        ),
        (
            "store.backup", "An app's store was changed; a backup of the old file was kept.",
            "Remove it once the app has opened the new one."
        ),
        (
            "store.busy", "Another process writes the store.",
            "Run again later; a run may wait with `--if-locked wait=30m`, or be left out with `skip`."
        ),
        (
            "store.corrupt", "The file is damaged.",
            "Bring back a copy that is whole, or save what can be read by `etl verify STORE --repair NEW`."
        ),
        (
            "store.delete-rule", "A delete rule forbids to delete an object.",
            "Delete what is linked first."
        ),
        (
            "store.deletion-denied",
            "Objects that a `delete` or a `mirror` matches were kept, because a deny rule keeps "
                + "objects that are "
                + "still linked. The run continues and exits with 0.",
            "Delete what is linked in a stage before, or leave such objects out by `where`."
        ),
        (
            "store.encoding", "The store's file keeps its texts in UTF-16, and not in UTF-8.",
            "Recreate it in UTF-8 with `(echo 'PRAGMA auto_vacuum = 2;'; sqlite3 STORE .dump) | "
                + "sqlite3 NEW`, and replace the store with NEW."
        ),
        ("store.full", "The disk is full.", "Make room, and run again: nothing is lost."),
        (
            "store.input-output", "Reading or writing the store failed.",
            "Check the disk and its free space, and run again."
        ),
        (
            "store.missing-file",
            "The store keeps a large value in a file next to it, and the file is missing.",
            "Restore the file from a backup, or set `missing-files: null` on the export stage."
        ),
        (
            "store.migration-refused", "The objects are not as the new model wants them.",
            "Correct them, or set the values in a mapping file. The store is unchanged."
        ),
        (
            "store.missing", "The store is not there.",
            "Check `store.at`; `open: create` makes one, with a model."
        ),
        (
            "store.model-mismatch", "The store was made with another model.",
            "Give the model that it was made with."
        ),
        (
            "store.needs-mapping",
            "The two models do not define what happens to some of the data.",
            "Write it in a mapping file, `migrations/OLD-NEW.yaml` next to the model; `etl migrate --write-mapping FILE` writes the start of one."
        ),
        (
            "store.no-model", "There is no model, neither in the spec nor in the store.",
            "Set `store.model`."
        ),
        (
            "store.not-a-store", "The file is no store of Core Data's layout.",
            "Check the path under `store.at`."
        ),
        (
            "store.of-app", "The store is an app's; this is what is particular about it.",
            "Nothing has to be done; `etl verify` says more."
        ),
        (
            "store.permission", "The store or its folder may not be written.",
            "Give this user the rights to both: SQLite writes beside the file, too."
        ),
        (
            "store.resources", "The system is out of memory, threads, or file descriptors.",
            "Raise the limits, and run again."
        ),
        (
            "store.template", "The template store does not exist, or is not a store.",
            "Check `store.open.template`, which begins at the spec's folder."
        ),
        (
            "store.too-many", "More objects match than `at-most` allows; nothing was done.",
            "See whether `where` is right; if so, raise `at-most`."
        ),
        (
            "store.unfinished", "The saved data is kept, but indexes are missing.",
            "Run again: they are made then."
        ),
        (
            "store.unique", "Two objects have the same values of a uniqueness constraint.",
            "Correct the records, or use that constraint as `key`."
        ),
        (
            "store.unsound",
            "A run would have broken rules of the format in an app's store. The store is unchanged.",
            "Report it, with the spec and what `etl verify` says of the store."
        ),
        (
            "store.validation", "A value breaks a rule of the model, or a text is not UTF-8.",
            "Correct the value or the rule."
        ),
    ]

    static let historyFaults: [Fault] = [
        (
            "history.expired", "Changes after the token have been purged and not read.",
            "Read the whole store, and continue from the token that `etl history STORE --token` prints."
        ),
        (
            "history.foreign", "The token is of another store, or of one that was replaced.",
            "Read the whole store, and continue from the token that `etl history STORE --token` prints."
        ),
        (
            "history.off", "The store keeps no history.",
            "Set `store.history` in the spec that writes it; changes count from its next run on."
        ),
        (
            "history.place", "The file does not hold a place in a history.",
            "Name another, or remove it to begin with the oldest change."
        ),
        (
            "history.since", "The text is neither a token nor a date.",
            "Give the token of a line, or a date such as 2026-01-31 or today - 7d."
        ),
    ]
}
