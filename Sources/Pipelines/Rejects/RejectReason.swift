import Diagnostics
import Files
import FoundationEssentials
import RecordStreams

/// The reason for a rejected record: one line of a `.why.ndjson` file.
///
/// Every line has every key, so that tools can read the file as one table; unknown values are null.
/// Only `rowKey` is omitted if the import does not use it.
struct RejectReason: Decodable, JSONWritable, Hashable {
    var code: String
    var detail: String
    var file: String
    var record: Int?
    var line: Int?
    var column: Int?
    var byte: Int?
    var field: String?
    var value: String?
    var message: String
    /// Other faults of the record; `nil` in files of earlier versions.
    var others: [Other]?
    var run: String
    /// The key built from all fields of the record.
    ///
    /// A replay uses it, because the record may have been corrected by then.
    var rowKey: String?

    /// Another fault of the record.
    struct Other: Decodable, JSONWritable, Hashable {
        var code: String
        var field: String
        var message: String
        var value: String?

        var json: JSONTree {
            .columns(["code": code, "field": field, "message": message, "value": value])
        }
    }

    init(_ reject: RejectedRecord, runID: String) {
        let place = reject.location
        code = reject.code
        detail = reject.detail
        file = place.source
        record = place.record
        line = place.line
        column = place.column
        byte = place.byteOffset
        field = place.field
        value = reject.value.map(Self.shown)
        others = reject.others.map {
            Other(
                code: $0.code, field: $0.field, message: $0.message, value: $0.value.map(Self.shown)
            )
        }
        message = reject.message + (reject.isTruncated ? "; only its beginning is kept" : "")
        run = runID
        rowKey = reject.rowKey
    }

    /// Masks before it truncates, so that no part of a secret remains.
    private static func shown(_ value: String) -> String {
        String(OutputText.masked(value).prefix(2000))
    }

    var json: JSONTree {
        let columns = JSONTree.columns([
            "byte": byte, "code": code, "column": column, "detail": detail, "field": field,
            "file": file, "line": line, "message": message, "others": others, "record": record,
            "run": run, "value": value,
        ])
        guard let rowKey, case .object(let members) = columns else { return columns }
        return .object(members + [JSONTree.Member("rowKey", .text(rowKey))])
    }

    /// The reason as one line of JSON.
    var text: [UInt8] { Array(json.compact.utf8) + [10] }

    /// Returns the reasons in a file, in order; skips invalid lines.
    static func read(_ path: FileName) throws -> [RejectReason] {
        guard FileDescriptor.size(path) != nil else { return [] }
        let decoder = JSONDecoder()
        return try WholeFile.read(path).split(separator: 10).compactMap {
            // A killed run may leave a partial line.
            try? decoder.decode(RejectReason.self, from: Data($0))
        }
    }

    var diagnostic: Diagnostic {
        Diagnostic(
            code: detail, RejectedRecord.wholeMessage(message, (others ?? []).map(\.message)),
            at: .record(
                RecordLocation(
                    source: file, record: record, byteOffset: byte, line: line, column: column,
                    field: field)))
    }
}
