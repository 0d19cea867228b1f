/// A source of the transaction in which a load writes.
package protocol WriteSessionSource: AnyObject {
    /// The tables, columns, and entity numbers of the model in the store.
    var schema: StoreLayout { get }

    /// Returns the open transaction, or begins one.
    func session() throws(StoreError) -> WriteSession
}
