package import Diagnostics
import Files

/// The reason why an input cannot be read further, or an output cannot be written.
///
/// A bad record is a `RejectedRecord` instead. This error ends the file, after every record before
/// the damage has been delivered.
package struct RecordStreamError: Error, Sendable, Hashable {
    /// The cause as data; only `diagnostic` turns it into text.
    package enum Kind: Sendable, Hashable {
        case inputMissing
        /// A symbolic link to a file that does not exist.
        case inputDangling
        case inputUnreadable(reason: String, isPermission: Bool)
        case ambiguousFormat(isEmpty: Bool)
        /// The first bytes identify a format that etl does not read.
        ///
        /// The inner format is `nil` if it is not known.
        case foreignFormat(ForeignFormat, path: String, inner: RecordFormat?)
        case commandNotStarted(reason: String)
        /// A command failed.
        case commandFailed(ending: String, lastLine: String, isOutput: Bool)
        case resourcesExhausted(reason: String, isOutput: Bool)
        case badPattern(reason: String)
        case badPath(path: String, reason: String)
        case badDialect(reason: String)

        case gzipTruncated
        case gzipChecksum
        case gzipLength
        case gzipHeader(reason: String)
        case gzipTrailing
        case gzipData(reason: String)
        case gzipBomb(ratio: Int)

        case jsonStructure(reason: String)
        /// A value outside the records nests too deep.
        case jsonTooDeep
        case jsonPathMissing(path: String)
        /// The value at the path has another type; `others` are the paths that would read it.
        case jsonPathMismatch(path: String, wanted: String, others: [String])
        case jsonIsNDJSON
        /// Several objects follow one another, but not one per line.
        case jsonSeveral
        /// The document contains its records in an array at this path.
        case jsonWrapped(path: String)

        case csvNoHeader
        /// The input has fewer lines than `read.skip` skips.
        case csvTooShort(skip: Int)
        /// The header line is uncertain; it may be this line, with this delimiter.
        case csvUncertainHeader(line: Int?, delimiter: String?)
        /// The header has another number of names than all records have fields.
        case csvHeaderWidth(names: Int, fields: Int)
        case csvHeader(reason: String)
        case csvDuplicateHeader(name: String)
        case csvUnknownColumn(name: String, header: [String])
        /// The header contains none of the selected columns.
        case csvNothingFits(wanted: [String], header: [String])
        case csvColumnCount(columns: Int, header: Int)
        case csvNoColumnNames

        case outputNotCreated(reason: String, isPermission: Bool)
        case outputNotWritten(reason: String)
        /// The reader of the output closed it.
        case outputClosed
        case outputCompression(code: Int32)
    }

    /// The cause, without its location.
    package let kind: Kind
    /// The file as the user named it, or `-`, and the position in it, if known.
    package let location: RecordLocation

    /// Creates an error with its cause, at a location in an input or output.
    package init(_ kind: Kind, at location: RecordLocation) {
        self.kind = kind
        self.location = location
    }

    init(_ kind: Kind, in source: String) {
        self.init(kind, at: RecordLocation(source: source))
    }

    init(_ kind: Kind, in file: FileName) {
        self.init(kind, at: RecordLocation(file: file))
    }
}

extension RecordStreamError {
    /// Whether the input has a format that etl does not read.
    var isOfForeignFormat: Bool {
        if case .foreignFormat = kind { true } else { false }
    }

    /// The origin and the kind, which determine the exit status.
    package var fault: Fault {
        switch kind {
        case .inputMissing, .inputDangling, .commandNotStarted: Fault(.input, .missing)
        case .commandFailed(_, _, let isOutput):
            isOutput ? Fault(.output, .inputOutput) : Fault(.inputData, .invalid)
        case .inputUnreadable(_, let isPermission):
            Fault(.input, isPermission ? .permission : .inputOutput)
        case .resourcesExhausted(_, let isOutput):
            Fault(isOutput ? .output : .input, .resources)
        case .ambiguousFormat, .badPattern, .badPath, .badDialect, .csvUnknownColumn,
            .csvNothingFits, .csvColumnCount, .csvNoColumnNames:
            Fault(.spec, .invalid)
        case .gzipTruncated, .gzipChecksum, .gzipLength, .gzipHeader, .gzipTrailing, .gzipData,
            .gzipBomb, .jsonStructure, .jsonTooDeep, .jsonPathMissing, .jsonPathMismatch,
            .jsonIsNDJSON,
            .jsonSeveral, .jsonWrapped,
            .csvNoHeader, .csvTooShort, .csvUncertainHeader, .csvHeaderWidth, .csvHeader,
            .csvDuplicateHeader,
            .foreignFormat:
            Fault(.inputData, .invalid)
        case .outputNotCreated: Fault(.output, .notCreated)
        case .outputNotWritten, .outputClosed, .outputCompression: Fault(.output, .inputOutput)
        }
    }

    /// The stable code, such as `gzip.truncated`.
    package var code: String {
        switch kind {
        case .inputMissing, .inputDangling: "input.missing"
        case .inputUnreadable: "input.unreadable"
        case .ambiguousFormat: "input.ambiguous-format"
        case .foreignFormat: "input.foreign-format"
        case .commandNotStarted: "command.not-started"
        case .commandFailed: "command.failed"
        case .resourcesExhausted: "system.resources"
        case .badPattern: "input.bad-pattern"
        case .badPath: "input.bad-path"
        case .badDialect: "csv.bad-dialect"
        case .gzipTruncated: "gzip.truncated"
        case .gzipChecksum: "gzip.crc"
        case .gzipLength: "gzip.length"
        case .gzipHeader: "gzip.header"
        case .gzipTrailing: "gzip.trailing"
        case .gzipData: "gzip.data"
        case .gzipBomb: "gzip.bomb"
        case .jsonStructure, .jsonTooDeep, .jsonPathMismatch: "json.structure"
        case .jsonPathMissing: "json.path-missing"
        case .jsonIsNDJSON: "json.is-ndjson"
        case .jsonSeveral: "json.several"
        case .jsonWrapped: "json.wrapped"
        case .csvNoHeader: "csv.no-header"
        case .csvTooShort: "csv.too-short"
        case .csvUncertainHeader, .csvHeaderWidth: "csv.uncertain-header"
        case .csvHeader: "csv.header"
        case .csvDuplicateHeader: "csv.duplicate-header"
        case .csvUnknownColumn: "csv.unknown-column"
        case .csvNothingFits: "csv.nothing-fits"
        case .csvColumnCount: "csv.column-count"
        case .csvNoColumnNames: "csv.no-column-names"
        case .outputNotCreated: "output.not-created"
        case .outputNotWritten: "output.not-written"
        case .outputClosed: "output.closed"
        case .outputCompression: "output.compression"
        }
    }

    /// The error in its displayed form, with its location and fix.
    package var diagnostic: Diagnostic {
        let isWholeFile = location.byteOffset == nil && location.line == nil
        return Diagnostic(
            code: code, message, at: isWholeFile ? .file(location.source) : .record(location),
            fix: fix)
    }
}
