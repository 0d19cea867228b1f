import GraphModel
import SQLite

/// The mapping of an attribute's column, as SQL over the old row.
struct AttributeProjection {
    /// The location of old values that are stored in files.
    let externalFiles: ExternalFiles

    /// Returns the new column's value.
    ///
    /// - Parameter old: The attribute that it continues; `nil` for a new attribute.
    /// - Returns: `nil` if the types are incompatible.
    func value(
        of new: StoreLayout.AttributeColumn, from old: StoreLayout.AttributeColumn?, alias: String
    ) -> SQLFragment? {
        let fallback = new.attribute.defaultValue
        guard let old else { return Self.constant(fallback ?? .null) }
        guard let converted = converted(old, new.attribute, alias) else { return nil }
        // The default replaces NULL only if the old attribute was optional and the new one is not.
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

    /// The function that returns an attribute's bytes, read from a file if they are stored in one.
    private var inlined: BoundFunction {
        let files = externalFiles
        return BoundFunction { call throws(FunctionError) in
            guard call.storage(0) == .blob else { return }
            let value: StoredValue
            do throws(StoreError) {
                value = try files.value(of: .blob(Array(call.bytes(0))))
            } catch {
                throw FunctionError(error.message)
            }
            guard case .blob(let bytes) = value else {
                throw FunctionError("The file of a large value is missing")
            }
            bytes.withUnsafeBufferPointer { call.setResult(blob: $0) }
        }
    }
}
