/// Faults of inputs: tables, documents, and compressed files.
extension Explanation {
    static let inputFaults: [Fault] = [
        (
            "csv.bad-dialect", "`delimiter`, `quote`, `comment` and `escape` do not go together.",
            "Give characters that differ."
        ),
        (
            "command.failed", "A command of the spec ended with another code than 0.",
            "Run it by hand in the spec's folder; its last line is in the message."
        ),
        (
            "command.not-started", "A command of the spec cannot be started.",
            "Install the program, or name it by its path."
        ),
        (
            "command.refused", "The spec has a command, and `--no-commands` refuses it.",
            "Read or write a file, or leave out the flag."
        ),
        (
            "command.says", "A command wrote this to its standard error.",
            "No action needed unless the command failed."
        ),
        (
            "csv.uncertain-header", "It cannot be told which line of a table is its header.",
            "Delete the lines above the header, or write a spec with `read.skip` and `read.delimiter`."
        ),
        ("csv.too-short", "A table has fewer lines than `read.skip`.", "Lower `read.skip`."),
        (
            "csv.column-count", "`columns` has more or fewer names than the table has columns.",
            "Name each column of the file, in its order."
        ),
        (
            "csv.duplicate-header", "The header has a name twice.",
            "Rename one in the file, or all of them by `read.columns`."
        ),
        ("csv.header", "The header cannot be read.", "Correct the first line, or see `quote`."),
        (
            "csv.no-column-names", "There is no header, and no `columns` either.",
            "Name the columns under `read.columns`."
        ),
        (
            "csv.no-header", "The table is empty: not even a header is there.",
            "Write a header, or set `header: false` and `columns`."
        ),
        (
            "csv.nothing-fits", "The header has no column that the stage reads.",
            "Map the columns under `set`, or name the `delimiter`."
        ),
        (
            "csv.unknown-column", "The spec names a column that the header does not have.",
            "Correct the name; the message suggests the closest match."
        ),
        (
            "csv.text-after-quote", "Text follows the closing quote of a field.",
            "Double the quotes inside the field, or set `quote: none`."
        ),
        (
            "csv.quote-in-field", "A field that does not begin with a quote contains one.",
            "Put the field in quotes and double those inside, or set `quote: none`."
        ),
        (
            "csv.unterminated-quote", "A quote is never closed, so the file ends inside a field.",
            "Close it at the line in the message, or set `quote: none`."
        ),
        (
            "csv.too-few-fields", "The row has fewer fields than the header.",
            "Correct the row, or set `ragged: pad`."
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
            "Fetch the file again; records imported before are kept."
        ),
        (
            "gzip.data", "The compressed data are damaged.",
            "Fetch the file again; records imported before are kept."
        ),
        (
            "gzip.header", "The file is no gzip, though its name or the spec says so.",
            "Rename it, or set `compression: none`."
        ),
        (
            "gzip.length", "The length at the end is not that of the data.",
            "Fetch the file again; records imported before are kept."
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
            "input.ambiguous-format", "Neither the name nor the first byte identifies the format.",
            "Name it: `read: { as: csv }`."
        ),
        (
            "input.foreign-format",
            "The file is of a format that etl does not read, such as zip or zstd.",
            "Unpack or convert it first; the message shows the command."
        ),
        (
            "input.bad-path", "A path into records cannot be read.",
            "Write names with dots, and `[*]` for each element: `tags[*].name`."
        ),
        ("input.bad-pattern", "A file pattern cannot be read.", "Close its braces and brackets."),
        (
            "input.cut", "The file became shorter while it was read.",
            "Let its writer finish, or rename the file when it is complete, and run again."
        ),
        (
            "input.grown", "The file became longer while it was read.",
            "Let its writer finish, or rename the file when it is complete, and run again."
        ),
        (
            "input.url", "An input is named by a URL.",
            "Let a command fetch it, and import what it writes: `curl -fsSL URL | etl import - …`."
        ),
        (
            "input.missing",
            "The file is not there, or a symbolic link that matches a pattern leads to none.",
            "Check the path, which begins at the spec's folder."
        ),
        (
            "input.too-few", "Fewer files match than `read.min-files`, which is 1 by default.",
            "Check the pattern; `min-files: 0` allows none."
        ),
        (
            "input.too-few-records", "The inputs have fewer records than `read.min-records`.",
            "See whether they are whole."
        ),
        ("input.unreadable", "The file cannot be read.", "Check its permissions and the disk."),
        (
            "json.is-ndjson", "The file has one JSON object after another, as NDJSON has.",
            "Set `read.as: ndjson`, or name the file .ndjson."
        ),
        (
            "json.path-missing", "The document has nothing at `read.at`.",
            "Correct the path, or check that this is the right document."
        ),
        (
            "json.several", "A document of JSON has a second object behind its first one.",
            "Write each object on a line of its own, as `jq -c .` does, and set `read.as: ndjson`."
        ),
        (
            "json.structure", "The document is not built as JSON, or not as `read.at` says.",
            "Correct the document; the records before this position were kept."
        ),
        (
            "json.wrapped",
            "The document is one object, and its records are in an array inside it.",
            "Write the path that the message shows as `read.at`."
        ),
        (
            "json.unexpected-byte", "JSON does not allow the character at this position.",
            "Correct the byte that the message names; often it is a comma or a quote."
        ),
        ("json.incomplete", "The text ends inside a value.", "See whether the file is whole."),
        (
            "json.bad-number", "A number is not written as JSON wants it.",
            "Write no plus sign, no leading zero, and a digit on both sides of the point."
        ),
        (
            "json.bad-literal", "An unquoted word is not true, false, or null.",
            "Put text in quotes."
        ),
        (
            "json.control-character", "A string contains an unescaped control character.",
            "Escape it, such as \\n or \\u0001."
        ),
        (
            "json.bad-escape", "A backslash begins no escape that JSON knows.",
            "Double the backslash, or correct the escape."
        ),
        (
            "json.too-deep", "Lists and objects are nested too deeply.",
            "Lead `read.at` further inside, or make the records flatter."
        ),
        ("json.two-values", "Two values are on one line.", "Give each record its own line."),
        (
            "json.not-an-object", "The record is a number, a text or a list.",
            "Give each record as an object; `read.at` leads to their array."
        ),
        ("json.invalid-utf8", "The record is no UTF-8.", "Name the file's `encoding`."),
        (
            "json.lone-surrogate", "One half of a \\u surrogate pair is missing.",
            "Escape both halves, or write the character itself."
        ),
        (
            "json.record-too-big", "The record is larger than `max-record`.",
            "See whether a bracket is not closed, or raise `max-record`."
        ),
        (
            "import.shared-keys",
            "`etl plan` found keys that several objects of the store share. No uniqueness "
                + "constraint forbids that.",
            "Delete or change the duplicates, or use a `key` that identifies one object."
        ),
        (
            "import.untried", "A preview does not check all records against the model.",
            "No action needed; `etl plan` tries all records."
        ),
        (
            "import.nothing-fits", "No record has any field that the stage reads.",
            "See whether the names under `set`, or `read.at`, are right."
        ),
        (
            "import.read-before", "The input was appended by an earlier run, too, or a part of it.",
            "Set `read.once: true`, or update by a `key`; `etl history` tells what to remove."
        ),
        (
            "import.duplicate-keys", "An object has a key twice; the last value counts.",
            "Correct the file, or set `on: { duplicate-key: reject }`."
        ),
        (
            "import.unmet-path", "No record of the stage had the field that the spec names.",
            "See whether the path is misspelt; if the field may be absent, the warning is harmless."
        ),
    ]
}
