import GraphStore

/// Finds values whose external file is missing while rows are written.
///
/// Such a value is not null: the object has one, but it cannot be read.
final class MissingFiles {
    private let cursor: RowCursor
    private let policy: MissingFilePolicy
    /// The number of values that were written as null.
    private(set) var count = 0
    /// A message about the first value that was written as null; `nil` if there is none.
    private(set) var first: String?
    /// Whether a value of the current row was written as null because its file is missing.
    var isRowAffected = false

    init(_ cursor: RowCursor, _ policy: MissingFilePolicy = .fail) {
        self.cursor = cursor
        self.policy = policy
    }

    /// Checks a row that was just written.
    ///
    /// - Throws: a `RunFailure` if the policy is to fail and the file of a value is missing.
    func check(_ row: Int, of batch: RowBatch) throws {
        guard isRowAffected else { return }
        isRowAffected = false
        let values = batch.row(row)
        for (place, column) in cursor.columns.enumerated() where column.isExternal {
            let cell = values[place]
            let cells =
                column.isList
                ? (0..<cell.listCount).map { batch.item(cell.listStart + $0) } : [cell]
            for cell in cells where cell.kind == .blob {
                guard let path = try cursor.externalValues.missingFile(of: cell.bytes) else {
                    continue
                }
                let message =
                    "\(cursor.entityName) \(values[cursor.columns.count].integerValue): the file of"
                    + " '\(cursor.fields[place].joined(separator: "."))' is missing: \(path)"
                guard policy == .null else {
                    throw RunFailure(
                        .dataError, code: "store.missing-file", message,
                        fix: "restore the file from a backup, or set `missing-files: null` on the"
                            + " stage to export null")
                }
                count += 1
                first = first ?? message
            }
        }
    }
}

/// The action if the external file of a value is missing.
package enum MissingFilePolicy: String, ExplainedChoice {
    case fail, null

    /// The effect of a missing file, as in the generated reference.
    package var meaning: String {
        switch self {
        case .fail: "The export fails with 65 and writes no file."
        case .null: "The value is exported as null, and the report counts it."
        }
    }
}
