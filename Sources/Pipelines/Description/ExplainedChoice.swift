import RecordStreams

/// An enumeration whose raw values are words of a spec, each with a meaning.
package protocol ExplainedChoice: RawRepresentable, CaseIterable, Sendable
where RawValue == String {
    /// What the word stands for, in one sentence.
    var meaning: String { get }
}

extension ParameterSpec.Kind: ExplainedChoice {
    package var meaning: String {
        switch self {
        case .string: "Text."
        case .int: "A whole number."
        case .bool: "True or false."
        case .date: "A date such as 2026-01-31, today - 90d or now - 4h."
        case .duration: "A duration such as 30m or 1h30m."
        case .path: "A path; in `--set`, relative to the working folder."
        case .secret: "Text that is shown as `***`; not allowed in a spec or on a command line."
        case .list: "Strings for `IN $name`; each `--set` adds one."
        }
    }
}

extension StoreSpec.OpenMode: ExplainedChoice {
    package var meaning: String {
        switch self {
        case .existing: "It must be there."
        case .create: "It is made where it is missing."
        case .replace:
            "A new store is built beside it, and takes its place at the end. Exports and rejects get their "
                + "names with it."
        }
    }
}

extension StoreSpec.CommitMode: ExplainedChoice {
    package var meaning: String {
        switch self {
        case .batch: "With each save."
        case .stage: "With each stage, as a whole."
        case .run:
            "At the end, all or nothing. The run works on a copy; exports and rejects get their final names "
                + "with the store. If another program writes to the store meanwhile, the run exits "
                + "with 75, and the next run starts over."
        }
    }
}

extension ChangeRules: ExplainedChoice {
    package var meaning: String {
        switch self {
        case .enforce:
            "Values are as the model says, and delete rules cascade, nullify and deny."
        case .ignore:
            "Values need only fit their columns, and deleted objects leave links to them."
        }
    }
}

extension ImportSpec.Duplicates: ExplainedChoice {
    package var meaning: String {
        switch self {
        case .last: "Records are applied in order; later records overwrite earlier ones."
        case .first: "Later records are skipped."
        case .reject: "Later records are rejected."
        }
    }
}

extension ImportSpec.WhenFound: ExplainedChoice {
    package var meaning: String {
        switch self {
        case .update: "What the record says is written."
        case .skip: "It stays as it is."
        case .replace:
            """
            Attributes that the record does not fill go back to their defaults. It counts for each \
            record: of a key that comes twice, the last one alone says what the object has.
            """
        case .reject: "Rejects the record."
        case .append: "Nothing is looked for: every record becomes a new object."
        }
    }
}

extension ImportSpec.WhenSame: ExplainedChoice {
    package var meaning: String {
        switch self {
        case .skip: "Counts the object as unchanged and writes nothing."
        case .touch: "Writes the object anyway."
        }
    }
}

extension NestedMapping.WhenFound: ExplainedChoice {
    package var meaning: String {
        switch self {
        case .update: "Overwrites the attributes that the record sets."
        case .append:
            "Inserts a new object without a lookup. A second run inserts the objects again."
        }
    }
}

extension ImportSpec.Extra: ExplainedChoice {
    package var meaning: String {
        switch self {
        case .ignore: "Nothing."
        case .reject: "Rejects the record."
        case .stop: "Stops the stage."
        }
    }
}

extension ImportSpec.Unmet: ExplainedChoice {
    package var meaning: String {
        switch self {
        case .ignore: "Nothing."
        case .warn: "Prints a warning, which is in the report, too."
        case .stop: "The stage ends with 65, before `mirror` deletes anything."
        }
    }
}

extension ImportSpec.RejectRule: ExplainedChoice {
    package var meaning: String {
        switch self {
        case .reject: "The record goes to the reject files."
        case .stop: "Stops the stage."
        case .null: "The value becomes null, and the record stays."
        }
    }
}

extension RecordFormat: ExplainedChoice {
    package var meaning: String {
        switch self {
        case .csv: "A table with commas."
        case .tsv: "A table with tabs."
        case .json: "A JSON document."
        case .ndjson: "One JSON object on each line."
        }
    }
}

extension ReadSpec.Compression: ExplainedChoice {
    package var meaning: String {
        switch self {
        case .auto: "As the name says; of inputs whose name says nothing, as the first bytes say."
        case .gzip: "With gzip."
        case .none: "Not at all."
        }
    }
}

extension ReadSpec.Ragged: ExplainedChoice {
    package var meaning: String {
        switch self {
        case .reject: "They are refused."
        case .pad: "The fields that they lack are null."
        }
    }
}

extension TextEncoding: ExplainedChoice {
    package var meaning: String {
        switch self {
        case .utf8: "UTF-8, with or without a byte-order mark."
        case .utf16: "UTF-16 in the order of its byte-order mark, else little-endian."
        case .latin1: "ISO 8859-1."
        case .windows1252:
            "Western European text of Windows programs. A record with a byte that it does not have is "
                + "refused."
        }
    }
}

extension FieldMapping.Cleaning: ExplainedChoice {
    package var meaning: String {
        switch self {
        case .trim: "Without white space at both ends."
        case .lower: "In lower case."
        case .upper: "In upper case."
        case .nfc: "In Unicode's composed form."
        case .collapse: "Runs of white space become one space."
        }
    }
}

extension FieldMapping.NumberForm.Epoch: ExplainedChoice {
    package var meaning: String {
        switch self {
        case .seconds: "Seconds since 1970, for dates."
        case .milliseconds: "Milliseconds since 1970, for dates."
        }
    }
}

extension FieldMapping.CastRule: ExplainedChoice {
    package var meaning: String {
        switch self {
        case .lossless: "Rejects the record."
        case .lossy: "Coerces the value if possible. Out-of-range values are still rejected."
        }
    }
}

extension LinkMapping.Missing: ExplainedChoice {
    package var meaning: String {
        switch self {
        case .create: "An object with that key is made."
        case .null: "There is no link, and the report counts it."
        case .report:
            """
            The same, and the link is written to `STAGE.INPUT.links.ndjson` beside the rejects: \
            file, record, relationship, and key. It is no reject, and `etl replay` ignores it.
            """
        case .skip: "Skips and counts the record."
        case .reject: "Rejects the record."
        }
    }
}

extension LinkMapping.Many: ExplainedChoice {
    package var meaning: String {
        switch self {
        case .replace: "Replaces the links with those of the record."
        case .add: "Adds the record's links to the existing ones."
        case .remove: "Removes the record's links."
        }
    }
}

extension ExportSpec.Shape: ExplainedChoice {
    package var meaning: String {
        switch self {
        case .flat: "Fields named after their key paths, such as `owner.email`; keys in lists."
        case .nested: "Objects and lists of objects, which `each` reads back."
        }
    }
}

extension ExportSpec.MissingFiles: ExplainedChoice {
    package var meaning: String {
        switch self {
        case .fail: "The export fails with 65 and writes no file."
        case .null: "The value is exported as null, and the report counts it."
        }
    }
}
