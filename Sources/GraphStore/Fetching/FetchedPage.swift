import GraphModel

/// The objects of a request, of which no more are in memory than are looked at.
///
/// Which objects there are, and their order, is fixed when it is made: eight bytes for each. Their
/// rows are read batch by batch, `fetchBatchSize` at a time, when an index in the batch is asked
/// for; the two batches looked at last are kept. Objects made by it are those of its context, so
/// pending changes show, in child contexts too.
///
/// What goes wrong in reading is thrown by the context's next save; after a reset of the context
/// its objects are invalid.
public struct FetchedPage<Object: ManagedObject>: RandomAccessCollection {
    private final class Loader {
        struct Chunk {
            var number: Int
            var objects: [ManagedObject]
        }

        let ids: ObjectIDVector
        let batchSize: Int
        let link: ContextLink
        private let layouts: ObjectSupport
        /// New objects, whose IDs may become those of other rows.
        private let held: [ManagedObjectID: ManagedObject]
        /// The batch looked at last, and the one before it.
        var chunks: [Chunk] = []

        init(_ ids: ObjectIDVector, batchSize: Int, _ context: ManagedObjectContext) {
            self.ids = ids
            self.batchSize = batchSize
            link = context.link
            layouts = context.container.objects
            held = context.held(ids)
        }

        func layout(of id: ManagedObjectID) -> EntityLayout {
            layouts.layout(id.entityNumber) ?? layouts.placeholder
        }

        func object(at index: Int) -> ManagedObject? {
            guard let context = link.context else { return nil }
            let number = index / batchSize
            if let chunk = chunks.first(where: { $0.number == number }) {
                return chunk.objects[index - number * batchSize]
            }
            let start = number * batchSize
            let ids = Array(ids[start..<Swift.min(start + batchSize, ids.count)])
            let objects = ids.map { held[$0] ?? context.object(with: $0) }
            do throws(StoreError) {
                try context.fault(objects)
            } catch {
                context.note(error)
            }
            chunks = [Chunk(number: number, objects: objects)] + chunks.prefix(1)
            return objects[index - start]
        }
    }

    private let loader: Loader
    /// The objects' IDs, in order.
    public var objectIDs: ObjectIDVector { loader.ids }
    /// So many rows are read at a time.
    public var batchSize: Int { loader.batchSize }

    init(_ ids: ObjectIDVector, batchSize: Int, _ context: ManagedObjectContext) {
        loader = Loader(ids, batchSize: batchSize, context)
    }

    /// The first place: 0.
    public var startIndex: Int { 0 }
    /// How many objects there are.
    public var endIndex: Int { loader.ids.count }

    /// The object at a place.
    public subscript(index: Int) -> Object {
        if let object = loader.object(at: index) as? Object { return object }
        // The context is gone or was reset: an object that says so when it is used.
        let id = loader.ids[index]
        let nowhere = ManagedObject.Seed(
            id: id, layout: loader.layout(of: id), link: loader.link)
        return Object(nowhere)
    }
}

@available(*, unavailable, message: "Its objects stay in their context; send objectIDs instead")
extension FetchedPage: Sendable {}
