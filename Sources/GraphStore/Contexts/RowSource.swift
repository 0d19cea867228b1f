import SQLite

/// The row source of a context's objects, which they share even after the context's deallocation.
///
/// An object holds it through its link, so that a function can return objects of a local context.
/// It does not keep the context's pending changes.
final class RowSource {
    let container: PersistentContainer
    /// The reader, which is created on first use.
    private(set) var reader: ObjectReader?
    /// The keys of objects that its contexts have not written yet.
    let unwritten = UnwrittenKeys()

    init(_ container: PersistentContainer) {
        self.container = container
    }

    /// Returns the reader for objects, creating it on first use.
    func objectReader() throws(StoreError) -> ObjectReader {
        if let reader { return reader }
        let made = ObjectReader(
            try container.newReader(), container.objects, container.externalFiles, unwritten)
        reader = made
        return made
    }

    // MARK: Without a context

    /// Loads the row of an object whose context was deallocated.
    func fire(_ object: ManagedObject) throws(StoreError) {
        if object.presence == .fault {
            guard let row = try objectReader().row(object.objectID) else {
                throw ManagedObjectContext.inaccessible(object)
            }
            object.fill(row)
        }
        object.realizeRow()
    }

    /// Reads a to-many of an object whose context was deallocated.
    func loadList(of object: ManagedObject, _ slot: Int) throws(StoreError) {
        let toMany = object.layout.toManys[slot]
        let ids =
            object.isStored ? try objectReader().list(of: object.objectID, toMany) : []
        object.lists[slot].load(ids, isOrdered: toMany.isOrdered)
    }

    /// Releases the context's resources after its deallocation.
    func contextWasFreed() {
        reader?.connection.watch(nil)
        // The object must not block checkpoints of the WAL for its lifetime. If this fails, the
        // connection is unusable, and the next read throws.
        try? reader?.unpin()
    }
}
