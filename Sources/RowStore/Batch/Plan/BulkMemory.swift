/// The memory limits of a load, in bytes.
///
/// Data beyond a limit goes to files or is looked up again.
package struct BulkMemory: Sendable, Hashable {
    /// The limit of the map from keys to rows; if the map does not fit, the index of the key is
    /// used.
    package var keys: Int
    /// The limit of the cached link keys and their objects, for all links together.
    package var links: Int
    /// The limit of the deferred rows.
    package var deferredRows: Int
    /// The limit of the row differences, for all tables together.
    package var changes: Int
    /// Whether the connection's page cache gets the memory that the map does not need.
    ///
    /// This applies to a table that has rows, until the map needs the memory or the caller sets the
    /// cache size again.
    package var lendsToPages = false

    /// Creates limits; the defaults suit a process of 300 MB.
    package init(
        keys: Int = 128 << 20, links: Int = 32 << 20, deferredRows: Int = 16 << 20,
        changes: Int = 16 << 20
    ) {
        self.keys = keys
        self.links = links
        self.deferredRows = deferredRows
        self.changes = changes
    }

    /// The limits of a writer inside another writer.
    ///
    /// It gets no map and no deferred indexes, because the other writer adds rows to the same
    /// table.
    var ofNested: BulkMemory {
        BulkMemory(keys: 0, links: links / 2, deferredRows: deferredRows / 2, changes: changes / 2)
    }
}
