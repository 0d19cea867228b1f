/// The faults: the meaning and the fix of each code.
extension Explanation {
    /// Returns the faults of an area, such as `csv.…`.
    static func faults(of family: Explanation) -> [Explanation] {
        faults.filter { fault in family.names.contains { fault.title.hasPrefix($0 + ".") } }
    }

    /// All faults, in the order of their areas.
    static let faults =
        inputFaults + runFaults + specFaults + modelFaults + storeFaults + historyFaults

    private static let runFaults: [Explanation] = [
        .init(
            "file.exists", "The output file already exists.",
            "Name another file, or set `--force`."),
        .init("file.missing", "The file does not exist.", "Check its path."),
        .init(
            "file.permission", "This user may not read the file.",
            "Give this user read permission."),
        .init(
            "file.read", "The file cannot be read.",
            "Check that it is a regular file, and check the disk."),
        .init(
            "file.resources", "The file cannot be opened: too many files are open.",
            "Raise the limit: `ulimit -n`."),
        .init(
            "file.unreadable", "The file cannot be read.",
            "Check that it is a regular file, and check the disk."),
        .init(
            "file.write", "The file cannot be written.",
            "Check the folder's permissions and the free disk space."),
        .init(
            "import.app-store",
            "An import without a spec would change the model of an app's store.",
            "Name an entity of the store with `--entity`, or leave out `--add-columns`."),
        .init(
            "import.entity", "The file is for an abstract entity, and no object can have one.",
            "Name another entity with `--entity`."),
        .init(
            "import.folder", "Neither the folder of the store nor the one above exists.",
            "Check the path, or create the folder."),
        .init(
            "import.key", "No key identifies the records, so a second import would add them again.",
            "Name the columns that identify a record with `--key`."),
        .init(
            "import.kept-as-text",
            "A new attribute is a string because a few values of its column have no other type, or"
                + " because its dates or numbers are ambiguous. Later imports keep the type.",
            "Correct the values or set `--type`, and import into a new store."),
        .init(
            "import.not-linked",
            "A column has the name of a link, but its values are not the keys of the objects.",
            "Correct the values, and import all files into a new store, or set the link in a spec."),
        .init(
            "import.open-dates",
            "The day and the month of dates cannot be distinguished, so they are not read.",
            "Set the pattern with `--type`, such as `--type 'due=Date dd/MM/yyyy'`."),
        .init(
            "import.model", "These entities or properties cannot be added to the store's model.",
            "Add them to a model file, then run `etl migrate`."),
        .init(
            "import.row-key",
            "All columns of the first import identify an object, and the file lacks one of them.",
            "Add the column to the file, or import into a new store."),
        .init(
            "import.null", "The import reads strings such as NA as null.",
            "If they are values, import again into a new store with --null ''."),
        .init(
            "import.skipped-columns", "The store's model has no property for some columns.",
            "Add them with --add-columns, or leave them out of the file."),
        .init(
            "import.standard-input", "Standard input cannot be imported.",
            "Save it to a file, then import the file."),
        .init(
            "import.store", "An input is a store.",
            "Export its objects, then import the exported files."),
        .init(
            "import.join-table",
            "The records hold only the keys of two entities, and are imported as objects.",
            "To create a relationship instead, import the file together with the files of these entities."
        ),
        .init(
            "import.decimal-mark",
            "A number such as 1.125 of a later file may be 1125, by the decimal mark of the column.",
            "Write all numbers of the column with the decimal mark of the first import."),
        .init(
            "import.no-spec", "The files are empty, so `--save-spec` has nothing to write.",
            "Give files with records."),
        .init(
            "import.saved", "An import failed after it had saved records.",
            "Correct the cause, and import again. The import continues after the saved records."),
        .init(
            "import.type", "An attribute of the store has a type other than the one in `--type`.",
            "Leave out `--type`, import into a new store, or run `etl migrate`."),
        .init(
            "import.unfinished",
            "An unfinished run holds positions in its files, so the store's model cannot be changed.",
            "Complete the run first, or discard the run of an import with `--restart`."),
        .init(
            "infer.empty", "The file has no readable record.",
            "Give a file with complete records."),
        .init(
            "infer.known", "A flag does not match the files.",
            "Write field names as the files do, or remove the flag."),
        .init(
            "infer.left-out", "The file has values outside its records, or values without a name.",
            "To import them, write a spec that names them."),
        .init(
            "infer.missing-objects", "A few values of a link are the key of no object.",
            "Add the objects or correct the values; `missing` of the link decides what happens."),
        .init(
            "infer.no-key", "Different records share a value of the field that looks like the key.",
            "Correct them, or set --key to the field; then the last record of each key is used."),
        .init(
            "infer.no-name", "A column has no name in the header.",
            "Name each column in the first line."),
        .init(
            "infer.one-column",
            "The table has one column with every known delimiter, so it may use another one.",
            "If it has more columns, set `read.delimiter` in a spec."),
        .init(
            "infer.one-day", "The key of a daily file does not include the day.",
            "If each day has its own objects, add the column with the day to --key."),
        .init(
            "infer.open-number", "The point in numbers may separate decimals or group thousands.",
            "If the guess is wrong, set `number` of the column in a spec."),
        .init(
            "infer.rejects", "Records that cannot be read were skipped.",
            "Correct them. Otherwise, the import rejects them."),
        .init(
            "infer.repeated-record",
            "Records are equal in all fields, including the key, and are imported as one object.",
            "If each one is an object, add further fields to --key."),
        .init(
            "infer.repeated-names", "The header has a name more than once.",
            "Give each column in the first line a different name."),
        .init(
            "infer.same-name", "Files with the same name have no field in common.",
            "Import each one alone with --entity, or give the key the same name in all files."),
        .init(
            "infer.store", "The arguments contain a store and other files.",
            "Run the command for the store alone."),
        .init(
            "internal.conservation",
            "The counts of a stage do not add up to the records that it read.",
            "Report it with the spec and the run's report."),
        .init(
            "lock.file", "The lock file next to the store cannot be created.",
            "Check that the store's folder exists and is writable."),
        .init(
            "lock.held", "Another run uses the store.",
            "Wait for it, or use `--if-locked wait=30m` or `skip`; `etl status` shows the other run."
        ),
        .init(
            "mirror.refused",
            "A mirror would delete more than `mirror.at-most`, or its input is empty or has rejects.",
            "Check that the input is complete, correct its rejects, or raise `mirror.at-most`."),
        .init(
            "mirror.replayed",
            "A mirror deleted nothing, because a replay has imported records of its input.",
            "Correct these records in the input, too, and run again."),
        .init("output.closed", "The reader closed the pipe.", "No action needed."),
        .init("output.compression", "gzip failed.", "Check the free memory, and run again."),
        .init(
            "output.folder", "A folder cannot be created.",
            "Check the permissions of the folder above, or name another folder."),
        .init(
            "output.not-created", "The file cannot be created.",
            "Check the folder and its permissions."),
        .init(
            "output.earlier-part",
            "The number of parts of the export changed, and an old part cannot be deleted.",
            "Delete the old part."),
        .init(
            "output.name",
            "A file cannot be renamed to its final name after the store was replaced.",
            "Check the folder's permissions, and that nothing else has the name, and run again."),
        .init(
            "output.not-written", "The file cannot be written; the old one is unchanged.",
            "Free disk space, and run again."),
        .init("output.protected", "The run itself uses the output file.", "Name another file."),
        .init("output.twice", "Two exports of the spec write the same file.", "Name another file."),
        .init(
            "rejects.file", "A reject file cannot be created or written.",
            "Free disk space, check the permissions of `rejects.dir`, or name another folder."),
        .init(
            "rejects.old", "Old reject files cannot be deleted.",
            "Delete them yourself, or raise `rejects.keep`."),
        .init(
            "rejects.too-many", "A stage has more rejects than `rejects.allow`.",
            "See `.why.ndjson` for the reasons; correct the records and run `etl replay`, or "
                + "raise `rejects.allow`."),
        .init(
            "replay.cut", "A row was truncated because it was too big, so it cannot be replayed.",
            "Remove it and its reason from the reject files."),
        .init(
            "replay.folder", "The reject files cannot be replaced.",
            "Check the folder's permissions, and replay again."),
        .init(
            "replay.generated", "The rejects are generated records, which are in no file.",
            "Fix the spec, and run it again."),
        .init(
            "replay.left", "Some records were rejected again.",
            "Correct the records in their folder, or fix the spec, and replay again."),
        .init(
            "replay.links",
            "The folder has no rejected record, only links without an object. A replay adds no links.",
            "Import the missing objects, and then the same files again, or run the spec again."),
        .init(
            "replay.missing", "The run has no rejects.",
            "Name the folder that the run printed, such as rejects/nightly-…."),
        .init(
            "replay.older",
            "Records of an older run updated objects that a later run may have imported again.",
            "Check their values; if the later run had newer ones, import its input again."),
        .init(
            "replay.stage", "The spec no longer has an import with that name.",
            "Restore the old name, or remove its files from the folder."),
        .init(
            "rejects.note", "The file `.run.json` in a folder of rejects is damaged.",
            "Restore it, or import the records of the folder with a separate spec."),
        .init(
            "replay.unfinished",
            "The replay of another folder of rejects is unfinished, or a run was killed while it wrote "
                + "these rejects. Or the folder of an unfinished run was copied or renamed.",
            "Complete that replay or run first, or name the folder that the run printed."),
        .init(
            "report.file", "The run's report cannot be written.",
            "Free disk space, and check the permissions."),
        .init(
            "report.folder", "The folder for the reports cannot be created.",
            "Check its permissions, or set `report.to`."),
        .init(
            "report.missing", "The run has no report.",
            "Name a report, or a spec for its last run."),
        .init(
            "report.index", "Another file has the name of the list of runs.",
            "Rename it, or set another `report.to`."),
        .init(
            "report.in-progress", "A run that began after the last report has not ended.",
            "Wait until it ends."),
        .init(
            "report.killed",
            "A run that began after the last report did not end, or could not write its report.",
            "Run it again; it continues after the records that are saved."),
        .init(
            "report.old", "An old report cannot be deleted.", "Delete it, or raise `report.keep`."),
        .init(
            "report.shared", "Two specs have the same name and write their reports to one folder.",
            "Give one of them another `name`, or another folder under `report.to`."),
        .init(
            "report.unreadable", "The file is not a report of a run.",
            "Name a report's JSON file."),
        .init("report.version", "The report has a newer format.", "Use a newer etl."),
        .init(
            "run.beside",
            "Another run uses the store, so the plan is compared with the changes that it has saved so far.",
            "Plan again when it has finished."),
        .init(
            "run.cannot-resume",
            "The last run did not finish, and this one cannot resume it. Either its input or the "
                + "stage changed, and an import with `append`, `skip`, or `reject` must not read "
                + "it again. Or a finished `append` would append its objects again. Or another "
                + "version of etl saved the state of that run.",
            "Restore the input or the stage. Or run the remaining stages with `--from`. Or start over "
                + "with `--restart`, which reads everything again. `etl replay` reads rejects alone; "
                + "with `commit: run`, a run that fails saves nothing."),
        .init(
            "run.interrupted",
            "A signal stopped the run after a complete batch, or before it began.",
            "Run it again; it resumes there."),
        .init(
            "run.left-beside",
            "The run writes to a copy of the store and failed for a temporary reason. The copy "
                + "is kept for the next run.",
            "Fix the problems in the messages above, and run it again; `--restart` starts over."),
        .init(
            "run.new-input",
            "The last run did not finish, and this run does not resume it. It is for another day, "
                + "has other parameters, or a finished stage or its input has changed.",
            "All stages run again; an import that stopped midway resumes there. Send pipes and "
                + "standard input all of their records again."),
        .init(
            "run.no-store", "Stages that also run after a failure had no store.",
            "Fix what failed; with `open: replace`, the store exists only after a run finishes."),
        .init(
            "run.on-failure",
            "The command of `on-failure` could not be started, or exited with a code other than 0.",
            "Run it by hand in the spec's folder. It does not change the exit status of the run."),
        .init(
            "run.resumed", "The run resumes an earlier, unfinished run.",
            "No action needed; `--restart` starts over instead."),
        .init(
            "run.stage", "A stage has finished; the log line has its counts.", "No action needed."),
        .init(
            "run.sort-lost", "Records that were spooled for sorting cannot be read back.",
            "Check the store's disk, and run again. Nothing is lost."),
        .init(
            "run.sort-room",
            "The disk has too little space to sort the records of an interrupted run again.",
            "Free space on the store's disk and run again, or start over with `--restart`."),
        .init(
            "run.starts-again", "An import cannot resume where it stopped, and starts over.",
            "No action needed, but send pipes and standard input all of their records "
                + "again. The message gives the reason."),
        .init(
            "run.taken-back",
            "The run wrote to a copy of the store and failed. The copy was deleted.",
            "Fix the problems in the messages above. With `commit: batch`, each save is kept."),
        .init(
            "run.time-limit", "The run reached its time limit.",
            "Run it again; it resumes where it stopped."),
        .init(
            "run.would-fail", "A plan found that the run would fail.",
            "Fix the problems in the messages above, and plan again."),
        .init(
            "system.resources", "The system is out of file descriptors, threads, or memory.",
            "Raise the limits, and run again."),
        .init(
            "test.failed", "A test's result is not what the spec expects.",
            "Compare the lines shown, and fix the spec or the test."),
        .init("test.model", "A spec without a model cannot be tested.", "Set `store.model`."),
        .init(
            "test.unknown", "A test names a stage, an entity, or a property that does not exist.",
            "Correct the name."),
        .init(
            "usage.argument", "An argument or a flag is missing, unknown, or invalid.",
            "`etl COMMAND --help` lists the arguments and flags."),
        .init("usage.code", "The code does not exist.", "`etl explain` lists all codes."),
        .init("usage.command", "The command does not exist.", "`etl --help` lists all commands."),
        .init(
            "usage.encoding", "An argument is not UTF-8.",
            "Rename the file, or name it by a pattern in the spec, such as `caf?.csv`."),
        .init(
            "usage.store", "The argument must be a store, but the file is a model or a spec.",
            "Name the store; pass the model with `--model`."),
        .init(
            "usage.stage", "The spec has no stage with that name.",
            "Correct the name; the spec lists its stages."),
        .init(
            "verify.failed", "A statement of a verify stage is false.",
            "Inspect the objects: `etl fetch STORE ENTITY --where …`."),
    ]
}
