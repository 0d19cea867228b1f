/// Single faults: each code with what it means and how it is mended.
extension Explanation {
    /// The faults of an area, such as those of `csv.…`.
    static func faults(of family: Explanation) -> [Explanation] {
        faults.filter { fault in family.names.contains { fault.title.hasPrefix($0 + ".") } }
    }

    /// All of them, in the order of their areas.
    static let faults = (inputFaults + runFaults + specFaults + modelFaults + historyFaults).map {
        code, meaning, mend in
        Explanation(title: code, names: [code], meaning: meaning, mend: mend)
    }

    private static let inputFaults: [Fault] = [
        ("csv.bad-dialect", "`delimiter` and `quote` do not go together.", "Give two that differ."),
        (
            "csv.column-count", "`columns` has more or fewer names than the table has columns.",
            "Name each column of the file, in its order."
        ),
        (
            "csv.duplicate-header", "The header has a name twice.",
            "Rename one in the file, or all of them by `read.columns`."
        ),
        ("csv.header", "The header cannot be read.", "Mend the first line, or see `quote`."),
        (
            "csv.no-column-names", "There is no header, and no `columns` either.",
            "Name the columns under `read.columns`."
        ),
        (
            "csv.no-header", "The table is empty: not even a header is there.",
            "Write a header, or set `header: false` and `columns`."
        ),
        (
            "csv.unknown-column", "The spec names a column that the header does not have.",
            "Mend the name; the message tells the one that is nearest."
        ),
        (
            "csv.text-after-quote", "Text stands behind a quote that closes a field.",
            "Double the quotes inside the field, or set `quote: none`."
        ),
        (
            "csv.quote-in-field", "A quote stands inside a field that does not begin with one.",
            "Put the field in quotes and double those inside, or set `quote: none`."
        ),
        (
            "csv.unterminated-quote", "A quote is never closed, so the file ends inside a field.",
            "Close it at the line that is told, or set `quote: none`."
        ),
        (
            "csv.too-few-fields", "The row has fewer fields than the header.",
            "Mend the row, or set `ragged: pad`."
        ),
        (
            "csv.too-many-fields", "The row has more fields than the header.",
            "Put fields that hold the delimiter in quotes."
        ),
        ("csv.invalid-utf8", "The row is no UTF-8.", "Name the file's `encoding`."),
        (
            "csv.record-too-big", "The row is larger than `max-record`.",
            "See whether a quote is not closed, or raise `max-record`."
        ),
        (
            "gzip.bomb", "The file inflates to more than `read.max-ratio` times its size.",
            "If that is right for this file, raise `read.max-ratio`."
        ),
        (
            "gzip.crc", "The data are not what was compressed: the checksum differs.",
            "Fetch the file again; what was imported before stays."
        ),
        (
            "gzip.data", "The compressed data are damaged.",
            "Fetch the file again; what was imported before stays."
        ),
        (
            "gzip.header", "The file is no gzip, though its name or the spec says so.",
            "Rename it, or set `compression: none`."
        ),
        (
            "gzip.length", "The length at the end is not that of the data.",
            "Fetch the file again; what was imported before stays."
        ),
        (
            "gzip.trailing", "Something that is no gzip follows the compressed data.",
            "Fetch the file again, or cut it off."
        ),
        (
            "gzip.truncated", "The file ends in the middle.",
            "See whether it was whole when it was read, and fetch it again."
        ),
        (
            "input.ambiguous-format", "Neither the name nor the first byte tells the format.",
            "Name it: `read: { as: csv }`."
        ),
        (
            "input.bad-path", "A path into records cannot be read.",
            "Write names with dots, and `[*]` for each element: `tags[*].name`."
        ),
        ("input.bad-pattern", "A file pattern cannot be read.", "Close its braces and brackets."),
        (
            "input.cut", "The file became shorter while it was read.",
            "Let who writes it finish first, or rename it when it is whole, and run again."
        ),
        (
            "input.grown", "The file became longer while it was read.",
            "Let who writes it finish first, or rename it when it is whole, and run again."
        ),
        (
            "input.missing", "The file is not there.",
            "Check the path, which begins at the spec's folder."
        ),
        (
            "input.too-few", "Fewer files match than `read.min-files`, which is 1 by default.",
            "Check the pattern; `min-files: 0` allows none."
        ),
        ("input.unreadable", "The file cannot be read.", "Check its permissions and the disk."),
        (
            "json.path-missing", "The document has nothing at `read.at`.",
            "Mend the path, or see whether the document is the right one."
        ),
        (
            "json.structure", "The document is not built as JSON, or not as `read.at` says.",
            "Mend the document; the records before the place were kept."
        ),
        (
            "json.unexpected-byte", "Something stands where JSON allows no such thing.",
            "Mend it at the byte that is told: often a comma or a quote."
        ),
        ("json.incomplete", "The text ends inside a value.", "See whether the file is whole."),
        (
            "json.bad-number", "A number is not written as JSON wants it.",
            "Write no plus sign, no leading zero, and a digit on both sides of the point."
        ),
        ("json.bad-literal", "A word is none of true, false and null.", "Put text in quotes."),
        (
            "json.control-character", "A control character stands in a text as it is.",
            "Escape it, such as \\n or \\u0001."
        ),
        (
            "json.bad-escape", "A backslash begins no escape that JSON knows.",
            "Double it, or mend the escape."
        ),
        (
            "json.too-deep", "Lists and objects stand too deep in each other.",
            "Lead `read.at` further inside, or make the records flatter."
        ),
        ("json.two-values", "Two values stand on one line.", "Give each record its own line."),
        (
            "json.not-an-object", "The record is a number, a text or a list.",
            "Give each record as an object; `read.at` leads to their array."
        ),
        ("json.invalid-utf8", "The record is no UTF-8.", "Name the file's `encoding`."),
        (
            "json.lone-surrogate", "Half of a pair of \\u escapes stands alone.",
            "Escape both halves, or write the character itself."
        ),
        (
            "json.record-too-big", "The record is larger than `max-record`.",
            "See whether a bracket is not closed, or raise `max-record`."
        ),
        (
            "import.untried", "A preview does not look whether the model refuses some records.",
            "Nothing is to be done; `etl plan` tries all of them."
        ),
        (
            "import.unmet-path", "No record of the stage had the field that the spec names.",
            "See whether the path is misspelt; if the field may be absent, the warning is harmless."
        ),
    ]

    private static let runFaults: [Fault] = [
        (
            "file.exists", "A file that is to be written is there already.",
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
        ("infer.empty", "No record of the file can be read.", "Give a file with whole records."),
        (
            "infer.rejects", "Some records cannot be read, and were not looked at.",
            "Mend them, or leave them to the rejects of the import."
        ),
        (
            "infer.store", "A store was named together with other files.",
            "Ask for the store by itself."
        ),
        (
            "internal.conservation", "The records that were read and those accounted for differ.",
            "Report it with the spec and the run's report; what was saved stays."
        ),
        (
            "lock.file", "The lock beside the store cannot be made.",
            "Check that the store's folder is there and may be written."
        ),
        (
            "lock.held", "Another run works on the store.",
            "Wait for it, or use `--if-locked wait=30m` or `skip`; `etl status` tells who it is."
        ),
        (
            "mirror.refused",
            "A mirror would delete more than it may, or its input was empty or not clean.",
            "See whether the input is whole, mend its rejects, or raise `mirror.at-most`."
        ),
        ("output.closed", "Who read the output went away.", "Nothing is to be done."),
        ("output.compression", "gzip failed.", "See whether memory is short, and run again."),
        ("output.folder", "A folder cannot be made.", "Check its permissions, or name another."),
        (
            "output.not-created", "The file cannot be made.",
            "Check the folder and its permissions."
        ),
        (
            "output.not-written", "The file cannot be written; the old one is as it was.",
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
            "See `.why.ndjson` for the reasons; mend and `etl replay`, or raise `rejects.allow`."
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
            "Mend the spec, and run it again."
        ),
        (
            "replay.left", "Some records are refused again.",
            "Mend them in their folder, or the spec, and replay again."
        ),
        (
            "replay.missing", "There are no rejects of such a run.",
            "Name the folder that the run showed, such as rejects/nightly-…."
        ),
        (
            "replay.stage", "The spec has no import of that name any more.",
            "Name it as it was, or take its files out of the folder."
        ),
        (
            "replay.unfinished", "A run or a replay on this store is not at its end.",
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
        ("report.old", "An old report cannot be removed.", "Remove it, or raise `report.keep`."),
        ("report.unreadable", "The file is no report of a run.", "Name a report's JSON file."),
        ("report.version", "The report is of a newer format.", "Use a newer etl."),
        (
            "run.beside",
            "Another run works on the store, so a plan is compared with what it saved.",
            "Plan again when it has ended."
        ),
        (
            "run.interrupted", "A signal stopped the run after a whole batch.",
            "Run it again: it goes on there."
        ),
        (
            "run.new-input", "An input of an interrupted run is new or has changed.",
            "Nothing is to be done: all stages run again."
        ),
        (
            "run.no-store", "Stages that run after a failure, too, had no store to run on.",
            "Mend what failed; with `open: replace` there is a store once a run comes to its end."
        ),
        (
            "run.resumed", "The run goes on with what an earlier one has left.",
            "Nothing is to be done; `--restart` would begin anew."
        ),
        (
            "run.stage", "A stage has ended; the line of the log has its counts.",
            "Nothing is to be done."
        ),
        (
            "run.starts-again", "An import cannot go on where it was, and begins anew.",
            "Nothing is to be done; the message tells why."
        ),
        (
            "run.taken-back",
            "The run worked on a store beside its own, and failed: that store is thrown away.",
            "Mend what the messages before it tell; with `commit: batch` each save stays."
        ),
        (
            "run.time-limit", "The time that the run may take is up.",
            "Run it again: it goes on there."
        ),
        (
            "run.would-fail", "A plan found that the run would fail.",
            "Mend what the messages before it tell, and plan again."
        ),
        (
            "system.resources", "Descriptors, threads or memory are out.",
            "Raise the limits, and run again."
        ),
        (
            "test.failed", "A test's result is not what the spec expects.",
            "Compare what is shown; mend the spec or the test."
        ),
        ("test.model", "A spec without a model cannot be tested.", "Set `store.model`."),
        (
            "test.unknown", "A test names a stage, an entity or a property that is not there.",
            "Mend the name."
        ),
        ("usage.code", "Nothing has that code.", "`etl explain` lists them."),
        ("usage.command", "There is no such command.", "`etl --help` lists them."),
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
