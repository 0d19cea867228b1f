import Diagnostics
import Files
import RecordStreams

/// What to do about faults of files that no spec names: the flags of the command line, in place of
/// the keys of a spec.
enum CommandLineFix {
    /// The fix of an input that cannot be read at all; nil if it is none of those that depend on the
    /// command.
    static func of(
        _ error: RecordStreamError, _ options: InferenceOptions, _ spool: InferenceSpool
    ) -> String? {
        switch error.kind {
        case .foreignFormat(let format, let path):
            let path = spool.name(ofCopy: path)
            return format.fix(path, for: options.command(of: path))
        // Records are imported when all files were read.
        case .gzipTruncated, .gzipData, .gzipTrailing, .gzipChecksum, .gzipLength:
            return "fetch the file again; nothing was imported"
        case .jsonStructure(let reason) where TextEncoding.fix(of: reason) == nil:
            return "correct the document; nothing was imported"
        case .inputUnreadable where FileSystem.isFolder(error.location.source):
            let folder = CommandExample.shell(PathText.normalized(error.location.source))
            return "name the files in it, such as \(folder)/*.csv"
        case .inputMissing: return "check the name; a relative path starts at the working folder"
        default: return nil
        }
    }

    /// The fix of a diagnostic, without keys of a spec that the user does not have.
    static func of(_ diagnostic: Diagnostic) -> String? {
        if let fix = fixes[diagnostic.code] { return fix }
        guard let fix = diagnostic.fix, fix.firstMatch(of: key) != nil else {
            return diagnostic.fix
        }
        return fix + " in a spec; `etl infer FILE --output DIR` writes one"
    }

    /// A key of a spec, such as `read.max-record`.
    private static var key: Regex<Substring> {
        #/`(?:read\.|rejects\.|set\b|quote:|columns\b)[^`]*`/#
    }

    private static let encoding =
        "name the encoding with --encoding windows-1252, latin1, or utf-16; else convert the file"
        + " to UTF-8"

    private static let wrongEncoding =
        "name the right encoding with --encoding, or correct these bytes"

    private static let fixes = [
        "input.ambiguous-format": "name the format with --as csv, tsv, json, or ndjson",
        "json.is-ndjson": "name the format with --as ndjson",
        "json.several":
            "write each object on a line of its own, as `jq -c .` does, and name the format with --as ndjson",
        "csv.no-header": "write a header, or give --no-header",
        "csv.invalid-utf8": encoding,
        "json.invalid-utf8": encoding,
        "csv.invalid-text": wrongEncoding,
        "json.invalid-text": wrongEncoding,
        "csv.text-after-quote": "double the quotes inside the field",
        "csv.quote-in-field": "enclose the field in quotes, and double the quotes inside it",
        "csv.unterminated-quote": "close the quote",
        "csv.too-few-fields": "complete the record",
    ]
}
