import SQLite

/// A further store of a container: a separate file, attached to every connection.
///
/// Table names differ between the files of a container, so SQL finds its tables without a schema
/// name (https://www.sqlite.org/lang_naming.html). Only the tables that every store has, such as
/// `Z_PRIMARYKEY`, need one.
struct StorePart: Sendable {
    /// SQLite's schema name of the file.
    let database: String
    let description: StoreDescription
    let address: StoreAddress
    let metadata: MetadataState
    let files: ExternalFiles
    let entityNames: Set<String>

    /// Attaches the file to a connection, so that statements can name its tables.
    func attach(to connection: Connection) throws(StoreError) {
        let attach = try connection.prepare("ATTACH ? AS \(database)")
        attach.bind(address.target(readingOnly: !description.options.mayWrite), at: 1)
        try attach.run()
    }
}
