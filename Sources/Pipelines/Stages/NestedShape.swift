import GraphModel
import GraphStore

/// The fields of an export as objects in objects.
///
/// ```
/// [id], [owner, email], [owner, name], [tags, name]
/// {"id":1,"owner":{"email":"a","name":"A"},"tags":[{"name":"x"},{"name":"y"}]}
/// ```
/// A to-one relationship without an object is null. A path that ends in a relationship stands for
/// the key at its other end; objects without a key are written by their number.
struct NestedShape {
    enum Node {
        case value(column: Int)
        case object([Member])
        /// A list of objects with that one member each, or of plain values where it has no name.
        case list(column: Int, name: String?)
    }

    struct Member {
        var name: String
        var node: Node
    }

    /// The columns that the export reads.
    private(set) var fields: [[String]] = []
    private(set) var members: [Member] = []

    init(_ fields: [[String]], of entity: String, _ schema: StoreSchema) {
        let paths = fields.flatMap { schema.model.elementPaths(at: $0, from: entity) }
        for field in paths.flatMap({ Self.expanded($0, of: entity, schema) })
        where !self.fields.contains(field) {
            add(field, of: entity, schema)
        }
    }

    /// A member for each field, by the names that the fields have, whole composites as objects.
    ///
    /// ```
    /// [id], [region, center], [magnitude, richter]
    /// {"id":1,"region.center":{"latitude":70.5,"longitude":null},"magnitude.richter":5.5}
    /// ```
    init(flat fields: [[String]], of entity: String, _ schema: StoreSchema) {
        for field in fields {
            let (path, name) = (
                schema.model.folded(field, from: entity), field.joined(separator: ".")
            )
            let elements = schema.model.elementPaths(at: field, from: entity)
            if elements == [path] {
                let isList =
                    path.first.flatMap { schema.model.relationship($0, of: entity) }?.isToMany
                    ?? false
                members.append(
                    Member(
                        name: name,
                        node: isList
                            ? .list(column: self.fields.count, name: nil)
                            : .value(column: self.fields.count)))
                self.fields.append(path)
                continue
            }
            var inner: [Member] = []
            for element in elements {
                let rest = element.joined(separator: ".").dropFirst(name.count + 1)
                let steps = String(rest).keyPath
                Self.insert(steps[...], self.fields.count, into: &inner)
                self.fields.append(element)
            }
            members.append(Member(name: name, node: .object(inner)))
        }
    }

    /// A to-one at the end as its destination's key.
    private static func expanded(
        _ field: [String], of entity: String, _ schema: StoreSchema
    ) -> [[String]] {
        var current = entity
        for step in field {
            guard let relationship = schema.model.relationship(step, of: current),
                !relationship.isToMany
            else { return [field] }
            current = relationship.destinationEntityName
        }
        let key = schema.key(of: current)
        return key.isEmpty ? [field] : key.map { field + [$0] }
    }

    private mutating func add(_ field: [String], of entity: String, _ schema: StoreSchema) {
        let column = fields.count
        fields.append(field)
        if let first = field.first,
            let relationship = schema.model.relationship(first, of: entity), relationship.isToMany
        {
            let key = schema.key(of: relationship.destinationEntityName)
            let name = field.count > 1 ? field[1] : key.count == 1 ? key[0] : nil
            members.append(Member(name: first, node: .list(column: column, name: name)))
            return
        }
        // An element's path is one key, and an object in objects.
        let steps = field.flatMap(\.keyPath)
        Self.insert(steps[...], column, into: &members)
    }

    private static func insert(
        _ path: ArraySlice<String>, _ column: Int, into members: inout [Member]
    ) {
        guard let name = path.first else { return }
        guard path.count > 1 else {
            return members.append(Member(name: name, node: .value(column: column)))
        }
        var inner: [Member] = []
        let place = members.firstIndex { $0.name == name }
        if let place, case .object(let known) = members[place].node { inner = known }
        insert(path.dropFirst(), column, into: &inner)
        if let place {
            members[place].node = .object(inner)
        } else {
            members.append(Member(name: name, node: .object(inner)))
        }
    }
}
