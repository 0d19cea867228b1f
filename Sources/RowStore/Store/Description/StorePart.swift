import SQLite

/// A further store of a container: a separate file, attached to every connection.
///
/// Table names differ between the files of a container, so SQL finds its tables without a schema
/// name (https://www.sqlite.org/lang_naming.html). Only the tables that every store has, such as
/// `Z_PRIMARYKEY`, need one.
package struct StorePart: Sendable {
    /// SQLite's schema name of the file.
    package let database: String
    /// The description with which the store was opened.
    package let description: StoreDescription
    let address: StoreAddress
    /// The metadata of the store.
    package let metadata: MetadataState
    /// The external files of the store.
    package let files: ExternalFiles
    /// The names of the entities whose rows are in the store.
    package let entityNames: Set<String>

    /// Attaches the file to a connection, so that statements can name its tables.
    func attach(to connection: Connection) throws(StoreError) {
        let attach = try connection.prepare("ATTACH ? AS \(database)")
        attach.bind(address.target(readingOnly: !description.options.mayWrite), at: 1)
        try attach.run()
    }
}
