import GraphModel

/// The objects of a request, loaded in batches on access.
///
/// The objects and their order are fixed when the page is created, at 8 bytes per object. Rows are
/// read in batches of `fetchBatchSize` when an index in the batch is accessed. The page keeps the
/// last two batches. The objects are registered in the page's context, so they show pending
/// changes, in child contexts too.
///
/// The next save of the context throws any read error. After a reset of the context, the objects
/// are invalid.
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
        /// New objects, whose IDs may later belong to other rows.
        private let held: [ManagedObjectID: ManagedObject]
        /// The two batches that were accessed last, latest first.
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
            context.noting { () throws(StoreError) in try context.fault(objects) }
            chunks = [Chunk(number: number, objects: objects)] + chunks.prefix(1)
            return objects[index - start]
        }
    }

    private let loader: Loader
    /// The IDs of the objects, in order.
    public var objectIDs: ObjectIDVector { loader.ids }
    /// The number of rows to read at a time.
    public var batchSize: Int { loader.batchSize }

    init(_ ids: ObjectIDVector, batchSize: Int, _ context: ManagedObjectContext) {
        loader = Loader(ids, batchSize: batchSize, context)
    }

    /// The first index: 0.
    public var startIndex: Int { 0 }
    /// The number of objects.
    public var endIndex: Int { loader.ids.count }

    /// The object at an index.
    ///
    /// The process traps if the object was read with another class after the page was fetched.
    public subscript(index: Int) -> Object {
        if let object = loader.object(at: index) {
            do throws(StoreError) {
                return try object.typed()
            } catch {
                object.trap(error)
            }
        }
        // The context no longer exists or was reset; this object throws an error on access.
        let id = loader.ids[index]
        let nowhere = ManagedObject.Seed(
            id: id, layout: loader.layout(of: id), link: loader.link)
        return Object(nowhere)
    }
}

@available(*, unavailable, message: "Its objects stay in their context; send objectIDs instead")
extension FetchedPage: Sendable {}
