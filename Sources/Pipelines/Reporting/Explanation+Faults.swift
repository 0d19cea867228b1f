/// The faults: the meaning and the fix of each code.
extension Explanation {
    /// Returns the faults of an area, such as `csv.…`.
    static func faults(of family: Explanation) -> [Explanation] {
        faults.filter { fault in family.names.contains { fault.title.hasPrefix($0 + ".") } }
    }

    /// All faults, in the order of their areas.
    static let faults = [
        inputFaults, runFaults, specFaults, modelFaults, storeFaults, historyFaults,
    ].joined().map { code, meaning, mend in
        Explanation(title: code, names: [code], meaning: meaning, mend: mend)
    }

    private static let runFaults: [Fault] = [
        (
            "file.exists", "The output file already exists.",
            "Name another, or give `--force`."
        ),
        ("file.missing", "The file is not there.", "Check its path."),
        ("file.permission", "The file may not be read.", "Give this user the right to read it."),
        ("file.read", "The file cannot be read.", "Check that it is a file, and the disk."),
        (
            "file.resources", "Too many files are open to open this one.",
            "Raise the limit: `ulimit -n`."
        ),
        ("file.unreadable", "The file cannot be read.", "Check that it is a file, and the disk."),
        ("file.write", "The file cannot be written.", "Check the folder's permissions and room."),
        (
            "import.app-store",
            "An import without a spec would change the model of an app's store.",
            "Name an entity of the store with `--entity`, or leave out `--add-columns`."
        ),
        (
            "import.entity", "The file gives an entity of which the store can have no object.",
            "Name another entity with `--entity`."
        ),
        (
            "import.folder", "Neither the folder of the store nor the one above exists.",
            "Check the path, or create the folder."
        ),
        (
            "import.key", "No key identifies the records, so a second import would add them again.",
            "Name the columns that identify a record with `--key`."
        ),
        (
            "import.model", "The store's model cannot get these entities or properties.",
            "Add them to a model file, and run `etl migrate`."
        ),
        (
            "import.row-key",
            "The objects are identified by all columns of the first import, and the file lacks one.",
            "Add the column to the file, or import into a new store."
        ),
        (
            "import.null", "The import takes texts such as NA for no value.",
            "If they are values, import again with --null '' into a new store."
        ),
        (
            "import.skipped-columns", "The store's model has no property for some columns.",
            "Add them with --add-columns, or leave them out of the file."
        ),
        (
            "import.standard-input", "Standard input cannot be imported.",
            "Save it to a file, and import that."
        ),
        (
            "import.store", "A store was named as an input.",
            "Export its objects, and import the exports."
        ),
        (
            "import.join-keys", "Pairs of keys name objects that the store lacks, on both sides.",
            "Import the files that have these objects first, or in the same command."
        ),
        (
            "import.join-table",
            "The records hold only the keys of two entities, and become objects.",
            "Import the file together with the files of these entities, to get a relationship."
        ),
        (
            "import.saved", "An import that failed has saved some records.",
            "Correct the cause, and import again: the import continues after them."
        ),
        (
            "import.type", "The store has an attribute with another type than `--type` names.",
            "Leave out `--type`, import into a new store, or run `etl migrate`."
        ),
        (
            "import.unfinished",
            "An unfinished run holds positions in its files, so the store's model cannot be changed.",
            "Import again with `--restart`, or complete the run first."
        ),
        ("infer.empty", "No record of the file can be read.", "Give a file with whole records."),
        (
            "infer.known", "A flag does not match the files.",
            "Write fields as the files do, or leave it to be found out."
        ),
        (
            "infer.left-out", "Some values of the file are in no record, or have no name.",
            "Write a spec that names them, or leave them."
        ),
        (
            "infer.no-key",
            "Records that differ have one value of the field that looks like the key.",
            "Correct them, or give --key with the field; then the last record of each key counts."
        ),
        (
            "infer.no-name", "The header has no name for a column.",
            "Name each column in the first line."
        ),
        (
            "infer.one-column",
            "A table has one column by every delimiter that is known, and another sign may be one.",
            "Set `read.delimiter` in a spec, or leave it."
        ),
        (
            "infer.one-day", "The key of a daily file has no day.",
            "Give --key with the column that has the day, or leave it."
        ),
        (
            "infer.open-number", "Nothing tells whether the point of numbers groups thousands.",
            "Set `number` of the column in a spec, or leave it."
        ),
        (
            "infer.rejects", "Some records cannot be read, and were not looked at.",
            "Correct them, or let the import reject them."
        ),
        (
            "infer.repeated-record",
            "Records repeat another one in all fields, its key included, and become one object.",
            "Give --key with further fields, or leave it."
        ),
        (
            "infer.repeated-names", "The header has a name more than once.",
            "Give each column in the first line a name of its own."
        ),
        (
            "infer.same-name", "Files of one name have nothing in common.",
            "Import one of them alone with --entity, or give the key one name in both."
        ),
        (
            "infer.store", "A store was named together with other files.",
            "Ask for the store by itself."
        ),
        (
            "internal.conservation", "The records that were read and those accounted for differ.",
            "Report it with the spec and the run's report."
        ),
        (
            "lock.file", "The lock beside the store cannot be made.",
            "Check that the store's folder is there and may be written."
        ),
        (
            "lock.held", "Another run works on the store.",
            "Wait for it, or use `--if-locked wait=30m` or `skip`; `etl status` shows the other run."
        ),
        (
            "mirror.refused",
            "A mirror would delete more than it may, or its input was empty or not clean.",
            "Check that the input is complete, correct its rejects, or raise `mirror.at-most`."
        ),
        ("output.closed", "The reader closed the pipe.", "No action needed."),
        ("output.compression", "gzip failed.", "See whether memory is short, and run again."),
        ("output.folder", "A folder cannot be made.", "Check its permissions, or name another."),
        (
            "output.not-created", "The file cannot be made.",
            "Check the folder and its permissions."
        ),
        (
            "output.earlier-part",
            "The export has another number of parts than before, and one of the old parts cannot be removed.",
            "Remove it."
        ),
        (
            "output.name",
            "A file that waited for its store cannot get its name; the store is in its place.",
            "Make room for the name, or check the folder's permissions, and run again."
        ),
        (
            "output.not-written", "The file cannot be written; the old one is unchanged.",
            "Make room on the disk, and run again."
        ),
        (
            "output.protected", "The file is one that the run itself works with.",
            "Name another file."
        ),
        ("output.twice", "Two exports of the spec write the same file.", "Name another file."),
        (
            "rejects.file", "A reject file cannot be made or written.",
            "Make room, check the permissions of `rejects.dir`, or name another folder."
        ),
        (
            "rejects.old", "Old reject files cannot be removed.",
            "Remove them yourself, or raise `rejects.keep`."
        ),
        (
            "rejects.too-many", "A stage has more rejects than it may.",
            "See `.why.ndjson` for the reasons; correct the records and run `etl replay`, or "
                + "raise `rejects.allow`."
        ),
        (
            "replay.cut", "A row was cut since it was too big, so it cannot be replayed.",
            "Take it and its reason out of the reject files."
        ),
        (
            "replay.folder", "The reject files cannot be replaced.",
            "Check the folder's permissions, and replay again."
        ),
        (
            "replay.generated", "The rejects are of generated records, which no file holds.",
            "Fix the spec, and run it again."
        ),
        (
            "replay.left", "Some records were rejected again.",
            "Correct the records in their folder, or fix the spec, and replay again."
        ),
        (
            "replay.missing", "There are no rejects of such a run.",
            "Name the folder that the run showed, such as rejects/nightly-…."
        ),
        (
            "replay.older",
            "Records of an older run updated objects that a later run may have imported again.",
            "Check their values; if the later run had newer ones, import its input again."
        ),
        (
            "replay.stage", "The spec has no import of that name any more.",
            "Restore the old name, or remove its files from the folder."
        ),
        (
            "rejects.note", "The file `.run.json` in a folder of rejects is damaged.",
            "Restore it, or import the records of the folder with a separate spec."
        ),
        (
            "replay.unfinished",
            "The replay of another folder of rejects is unfinished, or a run was killed while it wrote "
                + "these rejects.",
            "Complete that first."
        ),
        ("report.file", "The report cannot be written.", "Make room, and check the permissions."),
        (
            "report.folder", "The folder of the reports cannot be made.",
            "Check its permissions, or set `report.to`."
        ),
        (
            "report.missing", "There is no report of such a run.",
            "Name a report, or a spec for its last run."
        ),
        (
            "report.index", "A page of the user's has the name of the list of runs.",
            "Rename it, or set another `report.to`."
        ),
        ("report.old", "An old report cannot be removed.", "Remove it, or raise `report.keep`."),
        (
            "report.shared",
            "Two specs have the same name and write their reports to one folder.",
            "Give one of them another `name`, or another folder under `report.to`."
        ),
        ("report.unreadable", "The file is no report of a run.", "Name a report's JSON file."),
        ("report.version", "The report is of a newer format.", "Use a newer etl."),
        (
            "run.beside",
            "Another run works on the store, so a plan is compared with what it saved.",
            "Plan again when it has ended."
        ),
        (
            "run.cannot-resume",
            "The last run did not end well, and this one cannot go on where it stopped: what it had read "
                + "of an input has changed, or the stage has, and an import by `append`, `skip`, or "
                + "`reject` must not read it again; or an `append` that is done would append its "
                + "objects again; or another version of etl wrote the notes of that run.",
            "Restore the input or the stage. Or run the remaining stages with `--from`. Or start over "
                + "with `--restart`, which reads everything again. `etl replay` reads rejects alone; "
                + "with `commit: run`, a run that fails saves nothing."
        ),
        (
            "run.interrupted", "A signal stopped the run after a whole batch, or before it began.",
            "Run it again; it resumes there."
        ),
        (
            "run.left-beside",
            "The run writes to a copy of the store and failed for a temporary reason. The copy "
                + "is kept for the next run.",
            "Fix the problems in the messages above, and run it again; `--restart` starts over."
        ),
        (
            "run.new-input",
            "The last run did not end well, and this one does not complete it: it is of another day, or "
                + "has other parameters, or a stage that is done or one of its inputs has changed.",
            "All stages run again; an import that stopped midway resumes there. Send pipes and "
                + "standard input all of their records again."
        ),
        (
            "run.no-store", "Stages that run after a failure, too, had no store to run on.",
            "Fix what failed; with `open: replace`, the store exists only after a run finishes."
        ),
        (
            "run.on-failure",
            "The command of `on-failure` could not be started, or ended with another code than 0.",
            "Run it by hand in the spec's folder. How the run itself ended is not changed by it."
        ),
        (
            "run.resumed", "The run resumes an earlier, unfinished run.",
            "No action needed; `--restart` would start over."
        ),
        (
            "run.stage", "A stage has ended; the line of the log has its counts.",
            "No action needed."
        ),
        (
            "run.sort-lost", "Records that were spooled for sorting cannot be read back.",
            "Check the store's disk, and run again. Nothing is lost."
        ),
        (
            "run.sort-room",
            "There is too little room to sort the records again that a stopped run has sorted.",
            "Free space on the store's disk and run again, or start over with `--restart`."
        ),
        (
            "run.starts-again", "An import cannot resume where it stopped, and starts over.",
            "No action needed, but send pipes and standard input all of their records "
                + "again. The message gives the reason."
        ),
        (
            "run.taken-back",
            "The run worked on a store beside its own, and failed: that store is thrown away.",
            "Fix the problems in the messages above. With `commit: batch`, each save is kept."
        ),
        (
            "run.time-limit", "The time that the run may take is up.",
            "Run it again; it resumes where it stopped."
        ),
        (
            "run.would-fail", "A plan found that the run would fail.",
            "Fix the problems in the messages above, and plan again."
        ),
        (
            "system.resources", "The system is out of file descriptors, threads, or memory.",
            "Raise the limits, and run again."
        ),
        (
            "test.failed", "A test's result is not what the spec expects.",
            "Compare the lines shown, and fix the spec or the test."
        ),
        ("test.model", "A spec without a model cannot be tested.", "Set `store.model`."),
        (
            "test.unknown", "A test names a stage, an entity or a property that is not there.",
            "Correct the name."
        ),
        ("usage.code", "Nothing has that code.", "`etl explain` lists them."),
        ("usage.command", "There is no such command.", "`etl --help` lists them."),
        (
            "usage.encoding", "An argument is not UTF-8.",
            "Rename the file, or name it by a pattern in the spec, such as `caf?.csv`."
        ),
        (
            "usage.store", "The file is a model or a spec, where a store is to be named.",
            "Name the store; the model goes behind `--model`."
        ),
        ("usage.stage", "The spec has no stage of that name.", "`etl check` the spec's names."),
        (
            "verify.failed", "A statement of a verify stage does not hold.",
            "Look at the objects: `etl fetch STORE ENTITY --where …`."
        ),
    ]
}
