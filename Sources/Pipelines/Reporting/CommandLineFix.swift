import Diagnostics
import RecordStreams

/// Fixes for runs without a spec: they name command-line flags instead of spec keys.
enum CommandLineFix {
    /// Returns the fix of a diagnostic without spec keys, since the user has no spec.
    static func of(_ diagnostic: Diagnostic) -> String? {
        if let fix = fixes[diagnostic.code] { return fix }
        if let fix = ofEncoding(diagnostic) { return fix }
        guard let fix = diagnostic.fix, fix.firstMatch(of: key) != nil else {
            return diagnostic.fix
        }
        return fix + " in a spec; `etl infer FILE --output DIR` writes one"
    }

    /// Returns a fix with a flag for the text encoding; `nil` if the fault is not of the encoding.
    static func ofEncoding(_ diagnostic: Diagnostic) -> String? {
        // The codes differ for headers, records, and documents.
        TextEncoding.allCases.first { $0.fix == diagnostic.fix }.map {
            $0 == .utf8 ? encoding : wrongEncoding
        }
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
            "write each object on its own line, as `jq -c .` does, and name the format with --as ndjson",
        "csv.no-header": "write a header, or give --no-header",
        "csv.invalid-utf8": encoding,
        "json.invalid-utf8": encoding,
        "csv.invalid-text": wrongEncoding,
        "json.invalid-text": wrongEncoding,
        "csv.text-after-quote":
            "double the quotes inside the field; if a backslash is before each, add"
            + " --escape '\\'",
        "csv.quote-in-field": "enclose the field in quotes, and double the quotes inside it",
        "csv.unterminated-quote": "close the quote",
        "csv.too-few-fields": "complete the record, or delete the line if it has totals",
    ]
}

extension Diagnostic {
    /// Returns the diagnostic for a run whose spec is not in a file.
    ///
    /// - Parameter file: The name of the spec in messages.
    func withoutSpecFile(_ file: String) -> Diagnostic {
        var diagnostic = self
        if diagnostic.stage?.location.file == file { diagnostic.stage = nil }
        diagnostic.fix = CommandLineFix.of(diagnostic)
        return diagnostic
    }
}
