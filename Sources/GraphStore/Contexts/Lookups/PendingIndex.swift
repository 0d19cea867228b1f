import GraphModel

/// An index of a context's pending objects, by the values that fetches compare with `==`.
///
/// A fetch for `email == "a@b.c"` must consider unsaved changes. Without an index it compares every
/// pending object, so N pairs of find and create take O(N²) time. The index has one table for each
/// set of properties that a fetch compares with `==`: the keys of the model, single attributes, and
/// to-ones. The first fetch that needs a table builds it, and later fetches add only the objects
/// that have changed since.
///
/// A lookup may return too many objects, so the caller evaluates the predicate on each. It never
/// misses one: values that the evaluator treats as equal have equal keys, and an object whose
/// values are not in memory is returned by every lookup.
///
/// `ManagedObject` calls `leaveIndex()` for each change of its values, its links, and its state.
struct PendingIndex {
    /// The key of a value; values that are equal by `==` have equal keys.
    enum Key: Hashable {
        case null
        /// Any number or date; integers may share a double and its key, which is harmless.
        case number(Double)
        case text(String)
        case bytes([UInt8])
        /// The primary key of a to-one's destination, whose hierarchy the property determines.
        case object(Int64)
    }

    /// What a table of the index is for: objects of one entity, by the values of these properties.
    ///
    /// Without properties, all objects share one key.
    struct Shape: Hashable {
        let entityNumber: Int64
        let properties: [EntityLayout.Property]
    }

    /// The objects with the same values, nearly always one.
    private enum Bucket {
        case one(ManagedObject)
        case several(Set<ManagedObject>)
    }

    private struct Table {
        let shape: Shape
        let numbers: Set<Int64>
        var buckets: [[Key]: Bucket] = [:]
        /// Objects whose values are not in memory.
        var unread: Set<ManagedObject> = []
    }

    /// The entries of an object in the tables.
    private struct Record {
        enum Entry {
            case absent
            case unread
            case values([Key])
        }

        let object: ManagedObject
        let layout: EntityLayout
        let isStored: Bool
        let isDeleted: Bool
        var entries: [Entry]
    }

    /// The maximum number of tables; the next one clears all others.
    private static let tablesMax = 12

    /// The number of objects added or found, for `ContextStatistics.pendingObjectsRead`.
    private(set) var objectsRead = 0

    private var tables: [Table] = []
    private var places: [Shape: Int] = [:]
    private var records: [ObjectIdentifier: Record] = [:]
    /// The number of objects, from the first one, in the context's list that are in the index.
    private var position = 0
    /// Indexed objects that have changed since they were added.
    private var changed: [ManagedObject] = []
    /// The number of pending objects by entity, and of those with a row in the store.
    private var pendingCounts: [Int64: Int] = [:]
    private var storedCounts: [Int64: Int] = [:]
    /// The number of pending objects by root entity, and of deleted ones.
    private var rootCounts: [Int64: Int] = [:]
    private var deletedCounts: [Int64: Int] = [:]

    // MARK: Updating

    /// Clears the index, because the context's list of changed objects was replaced.
    mutating func removeAll() {
        let read = objectsRead
        self = PendingIndex()
        objectsRead = read
    }

    /// Records that an indexed object has changed.
    mutating func noteChange(of object: ManagedObject) { changed.append(object) }

    /// Adds the objects that were listed or have changed since the last call.
    mutating func update(_ listed: [ManagedObject]) {
        while position < listed.count {
            enter(listed[position])
            position += 1
        }
        guard !changed.isEmpty else { return }
        let objects = changed
        changed.removeAll(keepingCapacity: true)
        for object in objects where object.isListed && !object.isIndexed { enter(object) }
    }

    private mutating func enter(_ object: ManagedObject) {
        objectsRead += 1
        object.isIndexed = true
        let identity = ObjectIdentifier(object)
        if let old = records.removeValue(forKey: identity) { remove(object, old) }
        guard object.pending != .none else { return }
        var record = Record(
            object: object, layout: object.layout, isStored: object.isStored,
            isDeleted: object.pending == .deleted, entries: [])
        count(record, by: 1)
        record.entries.reserveCapacity(tables.count)
        for place in tables.indices { record.entries.append(insert(object, into: place)) }
        records[identity] = record
    }

    private mutating func count(_ record: Record, by step: Int) {
        let number = record.layout.number
        pendingCounts[number, default: 0] += step
        if record.isStored { storedCounts[number, default: 0] += step }
        rootCounts[record.layout.rootNumber, default: 0] += step
        if record.isDeleted { deletedCounts[record.layout.rootNumber, default: 0] += step }
    }

    private mutating func remove(_ object: ManagedObject, _ record: Record) {
        count(record, by: -1)
        for (place, entry) in record.entries.enumerated() {
            switch entry {
            case .absent: continue
            case .unread: tables[place].unread.remove(object)
            case .values(let keys):
                switch tables[place].buckets[keys] {
                case nil: continue
                case .one: tables[place].buckets[keys] = nil
                case .several(var objects):
                    // Take the set out of the table during the change, so that it is not copied.
                    tables[place].buckets[keys] = .some(.one(object))
                    objects.remove(object)
                    tables[place].buckets[keys] = objects.isEmpty ? nil : .several(objects)
                }
            }
        }
    }

    private mutating func insert(_ object: ManagedObject, into place: Int) -> Record.Entry {
        let shape = tables[place].shape
        guard tables[place].numbers.contains(object.layout.number) else { return .absent }
        guard shape.properties.isEmpty || object.presence == .realized else {
            tables[place].unread.insert(object)
            return .unread
        }
        let keys = shape.properties.map { Self.key(of: object, $0) }
        switch tables[place].buckets[keys] {
        case nil: tables[place].buckets[keys] = .one(object)
        case .one(let other): tables[place].buckets[keys] = .several([other, object])
        case .several(var objects):
            tables[place].buckets[keys] = .some(.one(object))
            objects.insert(object)
            tables[place].buckets[keys] = .several(objects)
        }
        return .values(keys)
    }

    private static func key(of object: ManagedObject, _ property: EntityLayout.Property) -> Key {
        switch property {
        case .attribute(let slot): key(of: object.values[slot])
        case .toOne(let slot):
            object.links[slot].map { .object($0.primaryKey) } ?? .null
        case .toMany: .null
        }
    }

    private static func key(of value: StoredValue) -> Key {
        switch value {
        case .null: .null
        case .integer(let number): .number(Double(number))
        // NaN is treated as `nil`.
        case .real(let number): number.isNaN ? .null : .number(number)
        case .text(let text): .text(text)
        case .blob(let bytes): .bytes(bytes)
        }
    }

    // MARK: Lookup

    /// Returns the number of pending objects of some entities, and of those with a row.
    func counts(of numbers: [Int64]) -> (pending: Int, stored: Int) {
        var (pending, stored) = (0, 0)
        for number in numbers {
            pending += pendingCounts[number] ?? 0
            stored += storedCounts[number] ?? 0
        }
        return (pending, stored)
    }

    /// Returns whether an object of a hierarchy is pending.
    func hasPending(root: Int64) -> Bool { rootCounts[root, default: 0] > 0 }

    /// Returns whether an object of a hierarchy is pending deletion.
    func hasDeleted(root: Int64) -> Bool { deletedCounts[root, default: 0] > 0 }

    /// Returns the pending objects of an entity and its sub-entities that may meet a lookup.
    ///
    /// Returns all of them if `lookup` is `nil` or has too many keys.
    mutating func objects(
        of layout: EntityLayout, meeting lookup: EqualityLookup?
    ) -> [ManagedObject] {
        guard let lookup, case let (pending, _) = counts(of: layout.entity.familyNumbers),
            lookup.count < pending
        else { return find([[]], Shape(entityNumber: layout.number, properties: []), layout) }
        var found = lookup.searches.flatMap { search in
            find(
                search.keys, Shape(entityNumber: layout.number, properties: search.properties),
                layout)
        }
        if lookup.searches.count > 1 {
            var seen: Set<ObjectIdentifier> = []
            found.removeAll { !seen.insert(ObjectIdentifier($0)).inserted }
        }
        return found
    }

    private mutating func find(
        _ keys: [[Key]], _ shape: Shape, _ layout: EntityLayout
    ) -> [ManagedObject] {
        let place = place(of: shape, layout)
        var found = Array(tables[place].unread)
        for key in Set(keys) {
            switch tables[place].buckets[key] {
            case nil: continue
            case .one(let object): found.append(object)
            case .several(let objects): found += objects
            }
        }
        objectsRead += found.count
        return found
    }

    /// Returns the index of a shape's table, building the table if it is new.
    private mutating func place(of shape: Shape, _ layout: EntityLayout) -> Int {
        if let place = places[shape] { return place }
        if tables.count >= Self.tablesMax {
            tables.removeAll()
            places.removeAll()
            for identity in records.keys { records[identity]?.entries.removeAll() }
        }
        tables.append(Table(shape: shape, numbers: Set(layout.entity.familyNumbers)))
        let place = tables.count - 1
        places[shape] = place
        objectsRead += records.count
        for (identity, record) in records {
            let entry = insert(record.object, into: place)
            records[identity]?.entries.append(entry)
        }
        return place
    }
}
