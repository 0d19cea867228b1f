/// Faults of stores and their histories.
extension Explanation {
    static let storeFaults: [Explanation] = [
        .init(
            "store.app-setting", "A setting of the spec would add etl's tables to an app's store.",
            "Remove the key; only the app can choose this setting."),
        .init(
            "store.backup", "An app's store was changed; a backup of the old file was kept.",
            "Delete the backup after the app has opened the new file."),
        .init(
            "store.busy",
            "Another process is writing to the store, or has it open while a run must replace it.",
            "Run again later. With `--if-locked wait=30m`, a run waits; with `skip`, it does nothing. "
                + "With `commit: stage`, `commit: run`, or `open: replace`, close programs that "
                + "only read the store, too."
        ),
        .init(
            "store.corrupt", "The store file or its write-ahead log is damaged.",
            "Restore a backup, or recover the readable data with `etl verify STORE --repair NEW`."),
        .init(
            "store.delete-rule", "A delete rule does not allow the deletion of an object.",
            "Delete the linked objects first."),
        .init(
            "store.deletion-denied",
            "A deny rule kept objects that a `delete` or a `mirror` matches, because they are "
                + "still linked. The run continues and exits with 0.",
            "Delete the linked objects in an earlier stage, or exclude the kept objects with `where`."
        ),
        .init(
            "store.encoding", "The store file has its strings in UTF-16 instead of UTF-8.",
            "Recreate it in UTF-8 with `(echo 'PRAGMA auto_vacuum = 2;'; sqlite3 STORE .dump) | "
                + "sqlite3 NEW`, and replace the store with NEW."),
        .init(
            "store.full", "The disk is full.",
            "Free disk space, and run again. No saved data is lost."),
        .init(
            "store.input-output", "Reading or writing the store failed.",
            "Check the disk and its free space, and run again."),
        .init(
            "store.missing-file",
            "The store keeps a large value in a file next to it, and the file is missing.",
            "Restore the file from a backup, or set `missing-files: null` on the export stage."),
        .init(
            "store.migration-refused", "Objects do not meet the rules of the new model.",
            "Correct them, or set the values in a mapping file. The store is unchanged."),
        .init(
            "store.missing", "The store does not exist.",
            "Correct `store.at`. With a model, `open: create` creates a store."),
        .init(
            "store.model-mismatch", "The store was created with another model.",
            "Use the model that the store was created with."),
        .init(
            "store.needs-mapping", "The two models do not define what happens to some of the data.",
            "Write a mapping file, `migrations/OLD-NEW.yaml` next to the model. `etl migrate --write-mapping FILE` writes a draft."
        ),
        .init(
            "store.no-model", "Neither the spec nor the store has a model.", "Set `store.model`."),
        .init(
            "store.not-a-store", "The file is not a store with Core Data's layout.",
            "Correct the path under `store.at`."),
        .init(
            "store.of-app", "The store belongs to an app, so special rules apply.",
            "No action needed; `etl verify` prints the details."),
        .init(
            "store.permission", "This user may not write the store or its folder.",
            "Give this user write permission for both; SQLite also writes files next to the store."),
        .init(
            "store.resources", "The system is out of memory, threads, or file descriptors.",
            "Raise the limits, and run again."),
        .init(
            "store.template", "The template store does not exist, or is not a store.",
            "Correct `store.open.template`; the path is relative to the spec's folder."),
        .init(
            "store.too-many", "More objects match than `at-most` allows. The store is unchanged.",
            "Check `where`. If it is right, raise `at-most`."),
        .init(
            "store.unfinished", "The data is saved, but indexes are missing.",
            "Run again. The next run creates the indexes."),
        .init(
            "store.unique", "Two objects have the same values of a uniqueness constraint.",
            "Correct the records, or use that constraint as `key`."),
        .init(
            "store.unsound",
            "A run would have broken the format rules of an app's store. The store is unchanged.",
            "Report it, with the spec and the output of `etl verify`."),
        .init(
            "store.validation", "A value breaks a rule of the model, or a string is not UTF-8.",
            "Correct the value or the rule."),
    ]

    static let historyFaults: [Explanation] = [
        .init(
            "history.app-store", "An app created the store, so etl does not purge its history.",
            "Purge it in the app, which knows who still reads its history."),
        .init(
            "history.expired", "Changes after the token were purged before they were read.",
            "Read the whole store, and continue from the token that `etl history STORE --token` prints."
        ),
        .init(
            "history.foreign",
            "The token is from another store, or from a store that was replaced.",
            "Read the whole store, and continue from the token that `etl history STORE --token` prints."
        ),
        .init(
            "history.off", "The store keeps no history.",
            "Set `store.history` in the spec that writes it. The history begins with the next run."),
        .init(
            "history.place", "The file does not contain a history token.",
            "Name another file, or delete it to begin with the oldest change."),
        .init(
            "history.since", "The value is neither a token nor a date.",
            "Write the token of a line, or a date such as 2026-01-31 or today - 7d."),
    ]
}
