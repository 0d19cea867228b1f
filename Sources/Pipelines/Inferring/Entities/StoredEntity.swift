import GraphModel
import GraphStore
import RecordStreams

/// An entity of the target store with the values of its key, to which new entities may refer.
struct StoredEntity {
    let name: String
    /// The attribute that identifies its objects by itself.
    let key: AttributeDescription
    /// The key's facts, as inference collects them for a table with only this column.
    let root: FieldNode
    private(set) var count = 0

    /// The keys of the stored objects, as the sample of a table with only the key's column.
    var sample: Sample {
        Sample(
            entityName: name, form: SampleForm(format: .csv, columns: [key.name]), root: root)
    }

    /// The distinct values of the key; `nil` if they are not known.
    var values: DistinctValues? { root.members.first?.distinct }

    /// Reads the keys of entities of a store that have a single attribute as the key.
    ///
    /// - Parameter names: The entities; `nil` for all.
    static func all(
        inStoreAt path: String, _ model: ManagedObjectModel, _ names: Set<String>?,
        _ tracking: FieldTracking
    ) throws -> [StoredEntity] {
        var options = StoreOptions()
        options.isReadOnly = true
        // Keys are readable before links and indexes are complete; the import completes the load.
        options.readsUnfinishedLoad = true
        let container = try PersistentContainer(model: model, .sqlite(at: path, options: options))
        let context = container.newContext()
        var found: [StoredEntity] = []
        for entity in model.entities
        where !entity.isAbstract && names?.contains(entity.name) != false {
            let keys = model.uniquenessConstraints(of: entity.name).filter { $0.count == 1 }
            guard let name = keys.first?.first,
                let key = model.attribute(name, of: entity.name), KeyKind(key.type) != nil
            else { continue }
            var stored = StoredEntity(
                name: entity.name, key: key, root: FieldNode(isTabular: true, tracking: tracking))
            try stored.read(context)
            found.append(stored)
        }
        return found
    }

    private mutating func read(_ context: ManagedObjectContext) throws {
        var name = key.name
        guard let node = name.withUTF8({ root.member(named: $0) }) else { return }
        node.tracking.valueLimit.file += 1
        let cursor = try context.cursor(
            RowRequest(
                entityName: self.name, order: [GraphSortDescriptor([ObjectNumber.key])],
                fields: [[key.name]]))
        let batch = cursor.makeBatch()
        let room = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 36)
        defer { room.deallocate() }
        while try cursor.next(batch) {
            for row in 0..<batch.count {
                let cell = batch[row, 0]
                switch cell.kind {
                case .integer:
                    var text = String(cell.integerValue)
                    text.withUTF8 { node.add(number: $0) }
                case .text: node.add(text: cell.bytes)
                case .blob where key.type == .uuid && cell.bytes.count == 16:
                    node.add(
                        text: UnsafeBufferPointer(
                            rebasing: room[..<ScalarFormatter.uuid(cell.bytes, into: room)]))
                default: continue
                }
                count += 1
            }
        }
    }
}
