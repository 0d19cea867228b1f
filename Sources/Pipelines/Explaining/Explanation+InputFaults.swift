/// Faults of inputs: tables, documents, and compressed files.
extension Explanation {
    static let inputFaults: [Explanation] = [
        .init(
            "csv.bad-dialect", "Two of `delimiter`, `quote`, `comment`, and `escape` conflict.",
            "Set different characters."),
        .init(
            "command.failed", "A command of the spec exited with a code other than 0.",
            "Run it by hand in the spec's folder; its last line is in the message."),
        .init(
            "command.not-started", "A command of the spec cannot be started.",
            "Install the program, or write its full path."),
        .init(
            "command.refused", "The spec has a command, and `--no-commands` does not allow it.",
            "Read or write a file, or leave out the flag."),
        .init(
            "command.says", "The message is from the standard error of a command.",
            "No action needed unless the command failed."),
        .init(
            "csv.uncertain-header", "The header line of the table cannot be determined.",
            "Name each column in the header. Delete the lines above the header, or write a spec with"
                + " `read.skip` and `read.delimiter`."),
        .init("csv.too-short", "A table has fewer lines than `read.skip`.", "Lower `read.skip`."),
        .init(
            "csv.column-count", "`columns` has more or fewer names than the table has columns.",
            "Name each column of the file, in its order."),
        .init(
            "csv.duplicate-header", "The header has a name twice.",
            "Rename one in the file, or all of them by `read.columns`."),
        .init(
            "csv.header", "The header cannot be read.", "Correct the first line, or see `quote`."),
        .init(
            "csv.no-column-names", "The table has no header, and the spec has no `columns`.",
            "Name the columns under `read.columns`."),
        .init(
            "csv.no-header", "The table is empty and has no header.",
            "Write a header, or set `header: false` and `columns`."),
        .init(
            "csv.nothing-fits", "The stage reads no column of the header.",
            "Map the columns under `set`, or name the `delimiter`."),
        .init(
            "csv.unknown-column", "The spec names a column that the header does not have.",
            "Correct the name; the message suggests the closest match."),
        .init(
            "csv.text-after-quote", "Text follows the closing quote of a field.",
            "Double the quotes inside the field, or set `quote: none`."),
        .init(
            "csv.quote-in-field", "A field that does not begin with a quote contains one.",
            "Put the field in quotes and double those inside, or set `quote: none`."),
        .init(
            "csv.unterminated-quote", "A quote is never closed, so the file ends inside a field.",
            "Close it at the line in the message, or set `quote: none`."),
        .init(
            "csv.too-few-fields", "The row has fewer fields than the header.",
            "Correct the row, or set `ragged: pad`."),
        .init(
            "csv.too-many-fields", "The row has more fields than the header.",
            "Put fields that hold the delimiter in quotes."),
        .init("csv.invalid-utf8", "The row is not valid UTF-8.", "Name the file's `encoding`."),
        .init(
            "csv.record-too-big", "The row is larger than `max-record`.",
            "Close the quote if one is open, or raise `max-record`."),
        .init(
            "gzip.bomb", "The file inflates to more than `read.max-ratio` times its size.",
            "If the file is valid, raise `read.max-ratio`."),
        .init(
            "gzip.crc", "The checksum does not match the data.",
            "Fetch the file again; records imported before are kept."),
        .init(
            "gzip.data", "The compressed data is damaged.",
            "Fetch the file again; records imported before are kept."),
        .init(
            "gzip.header", "The file is not gzip, although its name or the spec requires gzip.",
            "Rename it, or set `compression: none`."),
        .init(
            "gzip.length", "The length at the end of the file does not match the data.",
            "Fetch the file again; records imported before are kept."),
        .init(
            "gzip.trailing", "Other data follows the compressed data.",
            "Fetch the file again, or remove that data."),
        .init(
            "gzip.truncated", "The compressed file is truncated.",
            "Fetch the file again, and import it when it is complete."),
        .init(
            "input.ambiguous-format", "Neither the name nor the first byte identifies the format.",
            "Name it: `read: { as: csv }`."),
        .init(
            "input.foreign-format",
            "The file is of a format that etl does not read, such as zip or zstd.",
            "Unpack or convert it first; the message shows the command."),
        .init(
            "input.bad-path", "A path into records cannot be read.",
            "Write names with dots, and `[*]` for each element: `tags[*].name`."),
        .init(
            "input.bad-pattern", "A file pattern is not valid.", "Close its braces and brackets."),
        .init(
            "input.cut", "The file became shorter while it was read.",
            "Let its writer finish, or rename the file when it is complete, and run again."),
        .init(
            "input.grown", "The file became longer while it was read.",
            "Let its writer finish, or rename the file when it is complete, and run again."),
        .init(
            "input.url", "An input is a URL.",
            "Fetch it with a command, and import its output: `curl -fsSL URL | etl import - …`."),
        .init(
            "input.missing",
            "The file does not exist, or a symbolic link that matches a pattern has no target.",
            "Check the path; it is relative to the spec's folder."),
        .init(
            "input.too-few", "Fewer files match than `read.min-files`, which is 1 by default.",
            "Check the pattern; `min-files: 0` allows none."),
        .init(
            "input.too-few-records", "The inputs have fewer records than `read.min-records`.",
            "Check that the inputs are complete."),
        .init(
            "input.unreadable", "The file cannot be read.", "Check its permissions and the disk."),
        .init(
            "json.is-ndjson", "The file has several JSON objects in sequence, so it is NDJSON.",
            "Set `read.as: ndjson`, or name the file .ndjson."),
        .init(
            "json.path-missing", "The document has nothing at `read.at`.",
            "Correct the path, or check that this is the right document."),
        .init(
            "json.several", "A JSON document has a second object after its first one.",
            "Write each object on its own line, for example with `jq -c .`, and set `read.as: ndjson`."
        ),
        .init(
            "json.structure",
            "The document is not valid JSON, or does not have the structure that `read.at` requires.",
            "Correct the document. The records before this position were imported."),
        .init(
            "json.wrapped",
            "The document is one object, and its records are in an array inside it.",
            "Set `read.at` to the path in the message."),
        .init(
            "json.unexpected-byte", "JSON does not allow the character at this position.",
            "Correct the byte that the message shows; often it is a comma or a quote."),
        .init(
            "json.incomplete", "The input ends inside a value.",
            "Check that the file is complete."),
        .init(
            "json.bad-number", "A number is not valid JSON.",
            "Write it without a plus sign or leading zero, and with a digit on both sides of the point."
        ),
        .init(
            "json.bad-literal", "An unquoted word is not true, false, or null.",
            "Put text in quotes."),
        .init(
            "json.control-character", "A string contains an unescaped control character.",
            "Escape it, such as \\n or \\u0001."),
        .init(
            "json.bad-escape", "The escape after a backslash is not valid JSON.",
            "Double the backslash, or correct the escape."),
        .init(
            "json.too-deep", "Lists and objects are nested too deeply.",
            "Set `read.at` to a path further inside, or nest the records less deeply."),
        .init("json.two-values", "Two values are on one line.", "Give each record its own line."),
        .init(
            "json.not-an-object", "The record is a number, a string, or a list, not an object.",
            "Write each record as an object; `read.at` is the path of their array."),
        .init("json.invalid-utf8", "The record is not valid UTF-8.", "Name the file's `encoding`."),
        .init(
            "json.lone-surrogate", "One half of a \\u surrogate pair is missing.",
            "Escape both halves, or write the character itself."),
        .init(
            "json.record-too-big", "The record is larger than `max-record`.",
            "Close the bracket if one is open, or raise `max-record`."),
        .init(
            "import.shared-keys",
            "`etl plan` found keys that several objects of the store share. No uniqueness "
                + "constraint prevents it.",
            "Delete or change the duplicates, or use a `key` that identifies one object."),
        .init(
            "import.untried", "The preview does not check all records against the model.",
            "No action needed; `etl plan` checks all records."),
        .init(
            "import.nothing-fits", "No record has a field that the stage reads.",
            "Correct the names under `set`, or the path in `read.at`."),
        .init(
            "import.read-before", "An earlier run already appended the input or a part of it.",
            "Set `read.once: true`, or update by a `key`; `etl history` shows the objects to delete."
        ),
        .init(
            "import.changed-columns",
            "The columns that nothing reads, or the attributes that no column fills, have changed.",
            "If a column of the file was renamed, name it under `set` of the stage."),
        .init(
            "import.archive",
            "A field was not imported, because only the app can write the archives of its attribute.",
            "Leave the field out of the records; objects that exist keep their value."),
        .init(
            "import.duplicate-keys", "A JSON object has a key twice; the last value is used.",
            "Correct the file, or set `on: { duplicate-key: reject }`."),
        .init(
            "import.unmet-path", "No record of the stage had the field that the spec names.",
            "Correct the path if it is misspelled. If the field may be absent, set `unmet: ignore`."
        ),
    ]
}
