import Diagnostics
import Files
import FoundationEssentials
import RecordStreams

/// Why a record was refused: a line of a `.why.ndjson` file.
///
/// Every line has every key, so that tools see one table; what is unknown is null.
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
    var run: String

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
        value = reject.value.map { String($0.prefix(2000)) }
        message = reject.message + (reject.isCut ? "; only its beginning is kept" : "")
        run = runID
    }

    var json: JSONTree {
        .columns([
            "byte": byte, "code": code, "column": column, "detail": detail, "field": field,
            "file": file, "line": line, "message": message, "record": record, "run": run,
            "value": value,
        ])
    }

    /// The reason as one line of JSON.
    var text: [UInt8] { Array(json.compact.utf8) + [10] }

    /// The reasons in a file, in its order; lines that are none are left out.
    static func read(_ path: String) throws -> [RejectReason] {
        guard FileDescriptor.size(path) != nil else { return [] }
        let decoder = JSONDecoder()
        return try FileSystem.readRejects(path).split(separator: 10).compactMap {
            try? decoder.decode(RejectReason.self, from: Data($0))
        }
    }

    var diagnostic: Diagnostic {
        Diagnostic(
            code: detail, message,
            at: .record(
                RecordLocation(
                    source: file, record: record, byteOffset: byte, line: line, column: column,
                    field: field)))
    }
}

extension FileSystem {
    /// The bytes of a file of rejects, or of what belongs to them.
    static func readRejects(_ path: String) throws(RunFailure) -> Data {
        do throws(FileFailure) {
            return Data(try contents(path))
        } catch {
            throw RunFailure(
                error.status(else: .ioError), code: "rejects.file",
                "The reject file \(path) cannot be read: \(error.text)",
                fix: "check its permissions, and look after that disk")
        }
    }
}
