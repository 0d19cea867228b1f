import GraphStore
import RecordStreams

/// Finds texts that are not UTF-8, which other programs can store but no output file may contain.
struct TextFaults {
    private let entity: String
    private let fields: [[String]]

    init(_ cursor: RowCursor) {
        entity = cursor.entityName
        fields = cursor.fields
    }

    /// Returns the failure for a row with such a text.
    func fault(in row: Int, of batch: RowBatch) -> RunFailure {
        let values = batch.row(row)
        let field = fields.indices.first { place in
            let value = values[place]
            guard value.kind == .list else { return Self.isWrong(value) }
            return (0..<value.listCount).contains { item in
                Self.isWrong(batch.item(value.listStart + item))
            }
        }
        let name = field.map { "'\(fields[$0].joined(separator: "."))'" } ?? "a value"
        return RunFailure(
            .dataError, code: "store.validation",
            "\(entity) \(values[fields.count].integerValue): \(name) is not valid UTF-8 text",
            fix: "`etl verify STORE` lists the objects with these values; set them again")
    }

    private static func isWrong(_ value: BulkCell) -> Bool {
        guard value.kind == .text, let start = value.bytes.baseAddress else { return false }
        return UTF8Validation.firstInvalid(from: start, to: start + value.bytes.count) != nil
    }
}
