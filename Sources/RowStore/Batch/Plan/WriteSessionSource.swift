/// A source of the transaction in which a load writes.
///
/// The source commits the transaction or rolls it back, also between two batches of a load. The
/// load therefore calls `session()` again before it continues to write.
package protocol WriteSessionSource: AnyObject {
    /// The tables, columns, and entity numbers of the model in the store.
    var schema: StoreLayout { get }

    /// Returns the open transaction, or begins one.
    func session() throws(StoreError) -> WriteSession
}
