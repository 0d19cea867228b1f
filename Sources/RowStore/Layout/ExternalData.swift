/// The format of binary attributes whose values may be stored in files next to the store.
///
/// The first byte of the column is 1 if the value follows in the column, or 2 if the name of a file
/// follows. Loads write only the first kind.
package enum ExternalData {
    /// The mark of a value that follows in the column.
    package static let inlineMark: UInt8 = 1
}
