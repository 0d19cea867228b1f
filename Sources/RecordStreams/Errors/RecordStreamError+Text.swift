internal import Diagnostics

extension RecordStreamError {
    /// The message: one sentence without the location.
    var message: String {
        switch kind {
        case .inputMissing: "The file does not exist"
        case .inputDangling: "The symbolic link leads to a file that does not exist"
        case .inputUnreadable(let reason, _): "The file cannot be read: \(reason)"
        case .ambiguousFormat(let isEmpty):
            isEmpty
                ? "The input is empty, and its name does not identify the format"
                : "Neither the name nor the first byte identifies the format"
        case .commandNotStarted(let reason): "The command cannot be started: \(reason)"
        case .commandFailed(let ending, let line, let isOutput):
            "The command ended \(ending)" + (line.isEmpty ? "" : " (\(line))")
                + (isOutput
                    ? "; what it did with the export is not known"
                    : "; its output may be incomplete")
        case .foreignFormat(let format, _, _):
            "The file starts like \(format.text), which etl does not read"
        case .resourcesExhausted(let reason, _): "The file cannot be opened: \(reason)"
        case .badPattern(let reason): "The file pattern is not valid: \(reason)"
        case .badPath(let path, let reason): "The path '\(path)' is not valid: \(reason)"
        case .badDialect(let reason): reason
        case .gzipTruncated: "The gzip data ends early"
        case .gzipChecksum: "The checksum of the gzip data does not match its contents"
        case .gzipLength: "The length stored in the gzip data does not match its contents"
        case .gzipHeader(let reason): "This is not a valid gzip header: \(reason)"
        case .gzipTrailing: "Bytes that are not gzip follow the last gzip member"
        case .gzipData(let reason): "The compressed data is damaged: \(reason)"
        case .gzipBomb(let ratio): "The gzip data inflates to more than \(ratio) times its size"
        case .jsonStructure(let reason): reason
        case .jsonTooDeep: "The value nests too deep"
        case .jsonPathMissing(let path): "The document has no value at \(path)"
        case .jsonPathMismatch(let path, let wanted, _):
            "The value at \(path) is not \(wanted)"
        case .jsonIsNDJSON: "The file is NDJSON: a second object follows the first one"
        case .jsonSeveral:
            "A document has one value, and here a second object follows the first one"
        case .jsonWrapped(let path):
            "The document is one object without any field that the stage reads; its records seem to be"
                + " at \(path)"
        case .csvNoHeader: "The file is empty, but must have a header"
        case .csvTooShort(let skip):
            "The table has fewer than \(skip) lines, but `read.skip` skips this number"
        case .csvUncertainHeader(let line?, _):
            "Line \(line) may be the header, or a record below the first line"
        case .csvUncertainHeader(nil, _):
            "Most records have another number of fields than the first line"
        case .csvHeaderWidth(let names, let fields):
            "The header has \(Self.several(names, "name")), and the records have"
                + " \(Self.several(fields, "field"))"
        case .csvHeader(let reason): "The header cannot be read: \(reason)"
        case .csvDuplicateHeader(let name): "The header names the column '\(name)' twice"
        case .csvUnknownColumn(let name, let header):
            "The header has no column '\(name)'"
                + Suggestion.phrase(for: name, among: header)
        case .csvNothingFits(let wanted, let header):
            "No column fits what the stage reads: the header has "
                + Suggestion.list(header) + ", and the stage reads " + Suggestion.list(wanted)
        case .csvColumnCount(let columns, let header):
            "`columns` names \(columns) columns where the header has \(header)"
        case .csvNoColumnNames: "The columns have no names"
        case .outputNotCreated(let reason, _): "The file cannot be created: \(reason)"
        case .outputNotWritten(let reason): "The file cannot be written: \(reason)"
        case .outputClosed: "The reader closed the output"
        case .outputCompression(let code): "The data cannot be compressed (zlib code \(code))"
        }
    }

    /// The suggested fix, if any.
    var fix: String? {
        switch kind {
        case .inputMissing:
            "check the name; a relative path starts at the spec's folder, one from --set at the"
                + " working directory"
        case .inputDangling: "restore the file that it names, or remove the link"
        case .inputUnreadable(_, let isPermission):
            isPermission ? "give this user read permission" : nil
        case .ambiguousFormat(let isEmpty):
            "set `read.as` to csv, tsv, json, or ndjson"
                + (isEmpty ? "; an empty input of ndjson is one without records" : "")
        case .foreignFormat(let format, let path, let inner): format.fix(path, as: inner)
        case .commandNotStarted:
            "install the program, or name it by its path; a relative one starts at the spec's folder"
        case .commandFailed(_, _, let isOutput):
            isOutput
                ? "run it by hand in the spec's folder; the next run exports again"
                : "run it by hand in the spec's folder; the records before its end were kept"
        case .resourcesExhausted:
            "raise the limits on open files and memory (`ulimit -n`), and run again"
        case .badPattern, .badPath, .badDialect: nil
        case .gzipTruncated, .gzipData, .gzipTrailing:
            "fetch the file again; the records before the damage were kept"
        case .gzipChecksum, .gzipLength:
            "fetch the file again; records after the damage may have been imported"
        case .gzipHeader: "rename the file or set `read.compression: none` if it is not compressed"
        case .gzipBomb: "raise `read.max-ratio` if the file is valid"
        case .jsonStructure(let reason):
            TextEncoding.fix(of: reason)
                ?? "correct the document; the records before this position were kept"
        case .jsonTooDeep: "raise `read.max-depth` if the document is valid"
        case .jsonPathMissing: "set `read.at` to the path of the records, such as $.data.items[*]"
        case .jsonPathMismatch(_, _, let others):
            others.isEmpty
                ? "set `read.at` to the path of the records, such as $.data.items[*]"
                : "write " + others.map { "`read: { at: '\($0)' }`" }.joined(separator: " or ")
        case .jsonIsNDJSON: "set `read.as: ndjson`, or name the file .ndjson"
        case .jsonSeveral:
            "write each object on its own line, as `jq -c .` does, and set `read.as: ndjson`"
        case .jsonWrapped(let path): "write `read: { at: '\(path)' }`"
        case .csvNoHeader: "write a header, or set `read.header: false` and `read.columns`"
        case .csvTooShort: "lower `read.skip`"
        case .csvUncertainHeader(let line, let delimiter):
            Self.headerFix(line, delimiter)
        case .csvHeaderWidth(let names, let fields): Self.widthFix(names, fields)
        case .csvHeader(let reason):
            TextEncoding.fix(of: reason) ?? "correct the first line"
        case .csvDuplicateHeader: "rename the columns by `read.columns`"
        case .csvNothingFits(let wanted, let header):
            Self.delimiterFix(header) ?? Self.nearNames(wanted, header)
                ?? "name the columns under `set`, such as `set: { \(wanted.first ?? "title"): "
                + "\(header.first { !$0.isEmpty } ?? "Title") }`"
        case .csvUnknownColumn(_, let header) where header.allSatisfy(\.isEmpty):
            "the first line names no column; write a header there, or set `read.header: false` and "
                + "`read.columns`"
        case .csvUnknownColumn(_, let header):
            Self.delimiterFix(header)
                ?? "use one of: " + header.prefix(12).joined(separator: ", ")
                + (header.count > 12 ? ", …" : "")
        case .csvColumnCount: "name every column of the file in `read.columns`"
        case .csvNoColumnNames: "name them in `read.columns`, or set `read.header: true`"
        case .outputNotCreated: "check the folder and its permissions"
        case .outputNotWritten where location.source == "-": "check the free space"
        case .outputNotWritten: "check the free space; the existing file is unchanged"
        case .outputClosed, .outputCompression: nil
        }
    }

    private static func several(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }

    /// Returns the fix for a header whose width is not that of the records.
    private static func widthFix(_ names: Int, _ fields: Int) -> String {
        guard names < fields else {
            return
                "remove the names without a field from the header, or add the fields to the records"
        }
        let columns =
            fields - names == 1 ? "column \(fields)" : "columns \(names + 1) to \(fields)"
        return "name \(columns) in the header"
            + (names == 1 ? "; if line 1 is not the header, delete the lines above it" : "")
    }

    /// Returns the fix for a table whose header is not the first line.
    private static func headerFix(_ line: Int?, _ delimiter: String?) -> String {
        guard let line, let delimiter else {
            return
                "delete the lines above the header, or write a spec that sets `read.skip` to their"
                + " number, and `read.delimiter`"
        }
        let sign = delimiter == "\t" ? "\\t" : delimiter
        return "if it is the header, delete the lines above it, or set"
            + " `read.skip: \(line - 1)` and `read.delimiter: \"\(sign)\"` in a spec; if line 1 is,"
            + " enclose fields that contain the delimiter in quotes"
    }

    /// Returns a mapping to columns whose names are similar to the selected ones, or `nil` if there
    /// are none.
    private static func nearNames(_ wanted: [String], _ header: [String]) -> String? {
        let near = wanted.compactMap { name in
            Suggestion.closest(to: name, among: header).map { "\(name): \($0)" }
        }
        guard !near.isEmpty else { return nil }
        return "map the columns: `set: { \(near.prefix(4).joined(separator: ", ")) }`"
    }

    /// Returns the fix for a header of one column that contains another common delimiter.
    private static func delimiterFix(_ header: [String]) -> String? {
        if let first = header.first, first.hasPrefix("sep="), first.utf8.count <= 5 {
            // If the character after `sep=` is the delimiter, the header ends before it.
            let sign = first.utf8.count == 5 ? String(first.suffix(1)) : nil
            return "the first line names the delimiter for Excel: set `read.skip: 1`"
                + (sign.map { " and `read.delimiter: \"\($0)\"`" } ?? "")
        }
        guard header.count == 1, let only = header.first else { return nil }
        let known = [";": ";", "\t": "\\t", "|": "|", ",": ","]
        guard let place = only.firstIndex(where: { known[String($0)] != nil }),
            let sign = known[String(only[place])]
        else { return nil }
        // The delimiter may also be doubled.
        let written = only[place...].hasPrefix("||") ? "||" : sign
        return "the header is one column, '\(only)': set `read.delimiter: \"\(written)\"`"
    }
}
