/// Binary attributes whose values may live in files beside the store.
///
/// The first byte of such a column says where the value is: 1, in the rest of the column; 2, in a
/// file whose name follows. We write the first kind alone.
package enum ExternalData {
    /// The value follows.
    package static let inlineMark: UInt8 = 1

    /// The value in a column's bytes, or nil where it is in a file.
    package static func inlineValue(
        _ bytes: UnsafeBufferPointer<UInt8>
    ) -> UnsafeBufferPointer<UInt8>? {
        guard bytes.first == inlineMark else { return nil }
        return UnsafeBufferPointer(rebasing: bytes.dropFirst())
    }
}
