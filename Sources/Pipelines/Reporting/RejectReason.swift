import Diagnostics
import FoundationEssentials
import RecordStreams

/// Why a record was refused: a line of a `.why.ndjson` file.
///
/// Every line has every key, so that tools see one table; what is unknown is null.
struct RejectReason: Codable, Hashable {
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
        message = reject.message
        run = runID
    }

    private enum Key: String, CodingKey {
        case code, detail, file, record, line, column, byte, field, value, message, run
    }

    func encode(to encoder: any Encoder) throws {
        var keys = encoder.container(keyedBy: Key.self)
        try keys.encode(code, forKey: .code)
        try keys.encode(detail, forKey: .detail)
        try keys.encode(file, forKey: .file)
        try keys.encode(record, forKey: .record)
        try keys.encode(line, forKey: .line)
        try keys.encode(column, forKey: .column)
        try keys.encode(byte, forKey: .byte)
        try keys.encode(field, forKey: .field)
        try keys.encode(value, forKey: .value)
        try keys.encode(message, forKey: .message)
        try keys.encode(run, forKey: .run)
    }

    /// The reason as one line of JSON.
    func text() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(self)) + [10]
    }

    /// The reasons in a file, in its order; lines that are none are left out.
    static func read(_ path: String) throws -> [RejectReason] {
        let decoder = JSONDecoder()
        return try Data(contentsOf: URL(filePath: path)).split(separator: 10).compactMap {
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
