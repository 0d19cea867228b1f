/// What a load may hold in memory, in bytes; what is more goes to files or is looked up again.
package struct BulkMemory: Sendable, Hashable {
    /// The map from keys to rows; without room for it, the key's index is asked.
    package var keys: Int
    /// Keys of links with the objects they name, of all links together.
    package var links: Int
    /// Rows that wait for an object still to come.
    package var waiting: Int
    /// How far rows are from what they were, of all tables together.
    package var changes: Int
    /// What the map does not need of its share, in a table with rows, goes to the page cache of the
    /// connection, until the map needs it, or whoever asked for this sets that anew.
    package var lendsToPages = false

    /// What suits a process of 300 MB.
    package init(
        keys: Int = 128 << 20, links: Int = 32 << 20, waiting: Int = 16 << 20,
        changes: Int = 16 << 20
    ) {
        self.keys = keys
        self.links = links
        self.waiting = waiting
        self.changes = changes
    }

    /// The share of a writer inside another: no map, and no index put off: another writer adds to the table, too.
    var ofNested: BulkMemory {
        BulkMemory(keys: 0, links: links / 2, waiting: waiting / 2, changes: changes / 2)
    }
}
