import SQLite

/// Where the objects of a context read their rows: while the context is there, and after it.
///
/// An object holds it by its link, so that a function may return objects of a context of its own. What
/// is pending in the context is not kept by it.
final class RowSource {
    let container: PersistentContainer
    /// Made when it is first needed.
    private(set) var reader: ObjectReader?
    /// The keys of objects that are to be written by its contexts.
    let unwritten = UnwrittenKeys()

    init(_ container: PersistentContainer) {
        self.container = container
    }

    /// The connection that objects are read on.
    func objectReader() throws(StoreError) -> ObjectReader {
        if let reader { return reader }
        let made = ObjectReader(
            try container.newReader(), container.objects, container.externalFiles, unwritten)
        reader = made
        return made
    }

    // MARK: Without a context

    /// Brings the row of an object into memory whose context is gone.
    func fire(_ object: ManagedObject) throws(StoreError) {
        if object.presence == .fault {
            guard let row = try objectReader().row(object.objectID) else {
                throw ManagedObjectContext.inaccessible(object)
            }
            object.fill(row)
        }
        object.wake()
    }

    /// Reads a to-many of such an object.
    func loadList(of object: ManagedObject, _ slot: Int) throws(StoreError) {
        let toMany = object.layout.toManys[slot]
        let ids =
            object.isStored ? try objectReader().list(of: object.objectID, toMany) : []
        object.lists[slot].load(ids, isOrdered: toMany.isOrdered)
    }

    /// The context is gone: what it held is not held for its objects.
    func contextIsGone() {
        reader?.connection.watch(nil)
        // An object must not hold back the store's log for as long as it lives. If this fails, the
        // connection is of no use, and the next read says so.
        try? reader?.unpin()
    }
}
