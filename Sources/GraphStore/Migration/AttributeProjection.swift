import GraphModel
import SQLite

/// What becomes of an attribute's column, as SQL over the old row.
struct AttributeProjection {
    /// Where the old values in files are.
    let externalFiles: ExternalFiles

    /// The new column's value.
    ///
    /// - Parameter old: the attribute that it continues; nil of a new one.
    /// - Returns: nil where the types do not fit.
    func value(
        of new: StoreLayout.AttributeColumn, from old: StoreLayout.AttributeColumn?, alias: String
    ) -> SQLFragment? {
        let fallback = new.attribute.defaultValue
        guard let old else { return Self.constant(fallback ?? .null) }
        guard let converted = converted(old, new.attribute, alias) else { return nil }
        // A default fills what was not required before; other empty values stay as they are.
        guard !new.attribute.isOptional, old.attribute.isOptional, let fallback else {
            return converted
        }
        return "ifnull(" + converted + ", " + Self.constant(fallback) + ")"
    }

    private static func constant(_ value: StoredValue) -> SQLFragment {
        switch value {
        case .null: SQLFragment("NULL")
        case .integer(let number): SQLFragment("\(number)")
        default: SQLFragment("?", [value])
        }
    }

    private func converted(
        _ old: StoreLayout.AttributeColumn, _ attribute: AttributeDescription, _ alias: String
    ) -> SQLFragment? {
        let (column, before) = ("\(alias).\(old.column)", old.attribute)
        guard attribute.type.holdsEveryValue(of: before.type) else { return nil }
        switch (before.type, attribute.type) {
        case (.uuid, .string):
            return SQLFragment(
                "CASE WHEN \(column) NOT NULL THEN \(StoreViews.uuidText(column)) END")
        case (.uri, .string): return SQLFragment(column)
        case (let type, .string) where type != .string:
            return SQLFragment("CAST(\(column) AS TEXT)")
        case (.boolean, .double), (.boolean, .float), (.integer16, .double), (.integer16, .float),
            (.integer32, .double):
            return SQLFragment("CAST(\(column) AS REAL)")
        default: break
        }
        switch (before.allowsExternalBinaryDataStorage, attribute.allowsExternalBinaryDataStorage) {
        case (false, true):
            return SQLFragment(
                "CASE WHEN \(column) NOT NULL THEN CAST(x'01' || \(column) AS BLOB) END")
        case (true, false):
            return SQLFragment("etl_call(?, \(column))", calling: inlined)
        default: return SQLFragment(column)
        }
    }

    /// The bytes that a column of an attribute with files stands for.
    private var inlined: BoundFunction {
        let files = externalFiles
        return BoundFunction { call throws(FunctionError) in
            guard call.storage(0) == .blob else { return }
            let value = files.value(of: .blob(Array(call.bytes(0))))
            guard case .blob(let bytes) = value else {
                throw FunctionError("The file of a large value is missing")
            }
            bytes.withUnsafeBufferPointer { call.setResult(blob: $0) }
        }
    }
}
