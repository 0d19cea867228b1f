import GraphModel
import SQLite

/// A reader that finds conflicts between the objects of a save and the store: changed versions,
/// deleted rows, and duplicate unique values.
///
/// It reads inside the save's transaction and changes nothing. `ConflictResolver` resolves the
/// conflicts.
struct ConflictFinder {
    private let objects: ObjectSupport
    private let session: WriteSession
    private let reader: ObjectReader
    /// Whether conflicts contain the values of both sides, which are slower to collect than to
    /// compare.
    private let isDetailed: Bool

    init(
        _ objects: ObjectSupport, _ session: WriteSession, _ external: ExternalFiles,
        isDetailed: Bool
    ) {
        self.isDetailed = isDetailed
        self.objects = objects
        self.session = session
        reader = ObjectReader(session.connection, objects, external)
    }

    /// Returns `Z_OPT` of the rows that exist.
    func currentVersions(
        _ ids: [ManagedObjectID]
    ) throws(StoreError) -> [ManagedObjectID: Int64] {
        var versions: [ManagedObjectID: Int64] = [:]
        for (number, group) in Dictionary(grouping: ids, by: \.entityNumber) {
            guard let table = objects.layout(number)?.entity.table else { continue }
            let rows = ObjectRows(in: table, on: session.connection)
            let keys = group.map(\.primaryKey)
            for chunk in keys.chunks(of: ObjectReader.chunkSize) {
                for (key, version) in try rows.versions(of: chunk, entity: number) {
                    versions[ManagedObjectID(entityNumber: number, primaryKey: key)] = version
                }
            }
        }
        return versions
    }

    /// Returns the object's row as the transaction sees it; `nil` if the row does not exist.
    func storedRow(_ id: ManagedObjectID) throws(StoreError) -> ObjectRow? {
        try reader.row(id)
    }

    /// Returns whether the store has a link of a to-many relationship.
    func hasLink(
        _ owner: ManagedObjectID, _ toMany: EntityLayout.ToMany, _ id: ManagedObjectID
    ) throws(StoreError) -> Bool {
        try toMany.place.hasLink(of: owner.primaryKey, to: id.primaryKey, on: session.connection)
    }

    /// Returns the object that owns another one in the store, by a relationship without an inverse.
    ///
    /// - Parameter layout: The layout of the owners; if they have sub-entities, the store names
    ///   the entity.
    func owner(
        of id: ManagedObjectID, _ place: StoreLayout.ForeignKey, _ layout: EntityLayout
    ) throws(StoreError) -> ManagedObjectID? {
        try place.owner(of: id.primaryKey, entity: layout.number, on: session.connection)
    }

    /// Returns the conflict for the merge policy: the object's current values and the stored row.
    func conflict(
        of object: ManagedObject, _ version: Int64
    ) throws(StoreError) -> MergeConflict {
        let row = version == 0 || !isDetailed ? nil : try storedRow(object.objectID)
        return MergeConflict(
            kind: version == 0 ? .deleted : .changed, objectID: object.objectID,
            entityName: object.layout.name, otherID: nil, constraint: [],
            oldVersion: object.version, newVersion: version,
            changedKeys: isDetailed ? object.changedKeys : [],
            objectValues: isDetailed ? Self.named(object.values, object.layout) : [:],
            storedValues: row.map { Self.named($0.values, object.layout) })
    }

    private static func named(
        _ values: [StoredValue], _ layout: EntityLayout
    ) -> [String: StoredValue] {
        guard values.count == layout.attributes.count else { return [:] }
        return Dictionary(
            uniqueKeysWithValues: zip(layout.attributes.map(\.name), values).map { ($0, $1) })
    }

    /// Returns the objects whose unique values would duplicate those of another object, each once.
    func constraintConflicts(
        _ pending: PendingObjects
    ) throws(StoreError) -> [(ManagedObject, MergeConflict)] {
        var found: [(ManagedObject, MergeConflict)] = []
        var taken: [ConstraintKey: ManagedObject] = [:]
        var touched: Set<ManagedObjectID> = []
        for object in pending.updated + pending.deleted
        where object.pending == .deleted || object.presence == .realized {
            touched.insert(object.objectID)
        }
        // Existing objects claim their values before new objects.
        for object in pending.updated + pending.inserted {
            let layout = object.layout
            guard object.presence == .realized else { continue }
            for constraint in layout.constraints {
                let values = constraint.map(object.storedValue)
                let columns = constraint.compactMap(layout.column)
                guard !values.contains(.null), columns.count == values.count else { continue }
                let key = ConstraintKey(
                    table: layout.entity.table, columns: columns, values: values)
                var other: ManagedObjectID?
                if let before = taken[key] {
                    other = before.objectID
                } else {
                    taken[key] = object
                    other = try holder(of: key, layout.entity.table, except: touched)
                }
                guard let other, other != object.objectID else { continue }
                var conflict = try self.conflict(of: object, object.version)
                conflict.kind = .constraint
                conflict.otherID = other
                conflict.constraint = constraint.map { layout.propertyNames[layout.bit($0)] }
                if isDetailed {
                    conflict.storedValues = try storedRow(other).map {
                        Self.named($0.values, objects.layout(other.entityNumber) ?? layout)
                    }
                }
                found.append((object, conflict))
                break
            }
        }
        return found
    }

    /// Returns the object whose row has the unique values; `nil` if there is none, or if the save
    /// itself writes that object.
    private func holder(
        of key: ConstraintKey, _ table: String, except touched: Set<ManagedObjectID>
    ) throws(StoreError) -> ManagedObjectID? {
        let id = try ObjectRows(in: table, on: session.connection)
            .holder(of: key.values, in: key.columns)
        return id.flatMap { touched.contains($0) ? nil : $0 }
    }
}

extension ManagedObject {
    /// Returns the value that the property's column holds.
    fileprivate func storedValue(_ property: EntityLayout.Property) -> StoredValue {
        switch property {
        case .attribute(let slot): values[slot]
        // A key is returned even if its object has no row yet: no stored row can contain that key.
        case .toOne(let slot): links[slot].map { .integer($0.primaryKey) } ?? .null
        case .toMany: .null
        }
    }
}

/// The values of one uniqueness constraint, with strings compared by their bytes.
private struct ConstraintKey: Hashable {
    let table: String
    let columns: [String]
    let values: [StoredValue]
    private let bytes: [StoredValue]

    init(table: String, columns: [String], values: [StoredValue]) {
        self.table = table
        self.columns = columns
        self.values = values
        bytes = values.map { value in
            if case .text(let text) = value { .blob(Array(text.utf8)) } else { value }
        }
    }

    static func == (left: Self, right: Self) -> Bool {
        left.table == right.table && left.columns == right.columns && left.bytes == right.bytes
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(table)
        hasher.combine(bytes)
    }
}
