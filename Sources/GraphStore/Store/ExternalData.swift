import GraphModel

/// Binary attributes whose values may live in files beside the store.
///
/// The first byte of such a column says where the value is: 1, in the rest of the column; 2, in a
/// file whose name follows. Loads write the first kind alone.
package enum ExternalData {
    /// The value follows.
    package static let inlineMark: UInt8 = 1

}

/// Reads external values as their columns' bytes say.
package struct ExternalValues: Sendable {
    let files: ExternalFiles
    /// The store is an app's, whose transformers are not known.
    package let isOfApp: Bool

    /// Calls the body with the value that a column's bytes stand for; with nil where it is in a
    /// file that is gone.
    package func withValue<R>(
        of bytes: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>?) -> R
    ) -> R {
        switch bytes.first {
        case ExternalData.inlineMark: return body(UnsafeBufferPointer(rebasing: bytes.dropFirst()))
        case ExternalFiles.fileMark:
            guard case .blob(let value) = files.value(of: .blob(Array(bytes))) else {
                return body(nil)
            }
            return value.withUnsafeBufferPointer { body($0) }
        default: return body(bytes)
        }
    }

    /// The path of the file that a column's bytes name, if that file cannot be read; nil if the value
    /// is readable.
    package func missingFile(of bytes: UnsafeBufferPointer<UInt8>) -> String? {
        let stored = StoredValue.blob(Array(bytes))
        guard case .null = files.value(of: stored) else { return nil }
        return files.path(of: stored)
    }
}
