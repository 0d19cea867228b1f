import GraphModel

/// A reader of external values.
package struct ExternalValues: Sendable {
    private let files: ExternalFiles
    /// Whether the store is an app's, whose transformers are unknown.
    package let isOfApp: Bool

    /// Creates a reader of the values in a store's files.
    package init(files: ExternalFiles, isOfApp: Bool) {
        self.files = files
        self.isOfApp = isOfApp
    }

    /// Calls the body with the value of a column's bytes, or with `nil` if its file is missing or
    /// cannot be read.
    ///
    /// `missingFile(of:)` finds out which.
    package func withValue<R>(
        of bytes: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>?) -> R
    ) -> R {
        switch bytes.first {
        case ExternalData.inlineMark: return body(UnsafeBufferPointer(rebasing: bytes.dropFirst()))
        case ExternalFiles.fileMark:
            // A caller that needs the reason asks `missingFile(of:)`.
            guard case .blob(let value)? = try? files.value(of: .blob(Array(bytes))) else {
                return body(nil)
            }
            return value.withUnsafeBufferPointer { body($0) }
        default: return body(bytes)
        }
    }

    /// Returns the path of the file that a column's bytes name if it is missing, otherwise `nil`.
    ///
    /// - Throws: `StoreError` if the file exists and cannot be read.
    package func missingFile(
        of bytes: UnsafeBufferPointer<UInt8>
    ) throws(StoreError) -> String? {
        let stored = StoredValue.blob(Array(bytes))
        guard case .null = try files.value(of: stored) else { return nil }
        return files.path(of: stored)
    }
}
