import GraphModel
import GraphStore

/// The fields of an export as nested objects.
///
/// ```
/// [id], [owner, email], [owner, name], [tags, name]
/// {"id":1,"owner":{"email":"a","name":"A"},"tags":[{"name":"x"},{"name":"y"}]}
/// ```
/// A to-one relationship without an object is null. A path that ends in a relationship is replaced
/// by the key of its destination; if the key has several attributes, they are members of an object.
/// An object without a key is written as its primary key.
struct NestedShape {
    enum Node {
        case value(column: Int)
        case object([Member])
        /// A list of objects with these members, whose columns are lists of the same length;
        /// without members, a list of plain values.
        case list(column: Int, [Member])
    }

    struct Member {
        var name: String
        var node: Node
    }

    /// The columns that the export reads.
    private(set) var fields: [[String]] = []
    private(set) var members: [Member] = []

    init(_ fields: [[String]], of entity: String, _ schema: StoreLayout) {
        let paths = fields.flatMap { schema.model.elementPaths(at: $0, from: entity) }
        for field in paths.flatMap({ Self.expanded($0, of: entity, schema) })
        where !self.fields.contains(field) {
            add(field, of: entity, schema)
        }
    }

    /// Creates a member for each field, with the field's name; complete composites are objects.
    ///
    /// ```
    /// [id], [region, center], [magnitude, richter]
    /// {"id":1,"region.center":{"latitude":70.5,"longitude":null},"magnitude.richter":5.5}
    /// ```
    ///
    /// Returns `nil` if every field is one value or a list of single values.
    init?(unlessFlat fields: [[String]], of entity: String, _ schema: StoreLayout) {
        let fields = schema.spelledOut(fields, of: entity, withToManys: false)
        let isFlat = fields.allSatisfy { field in
            schema.model.isSingle(field, from: entity)
                && schema.spelledOut([field], of: entity, withToManys: true) == [field]
        }
        if isFlat { return nil }
        self.init(flat: fields, of: entity, schema)
    }

    init(flat fields: [[String]], of entity: String, _ schema: StoreLayout) {
        for field in fields {
            let (path, name) = (
                schema.model.folded(field, from: entity), field.joined(separator: ".")
            )
            let elements = schema.model.elementPaths(at: field, from: entity)
            if elements == [path] {
                guard
                    let relationship = path.first.flatMap({
                        schema.model.relationship($0, of: entity)
                    }), relationship.isToMany
                else {
                    members.append(Member(name: name, node: .value(column: self.fields.count)))
                    self.fields.append(path)
                    continue
                }
                let key = schema.linkKey(of: relationship)
                addList(path, as: name, path.count > 1 || key.count == 1 ? [] : key)
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

    /// Returns the paths of the destination's key if a path ends in a to-one relationship.
    private static func expanded(
        _ field: [String], of entity: String, _ schema: StoreLayout
    ) -> [[String]] {
        var current = entity
        for step in field {
            guard let relationship = schema.model.relationship(step, of: current),
                !relationship.isToMany
            else { return [field] }
            current = relationship.destinationEntityName
        }
        let key = schema.linkKey(of: current)
        return key.isEmpty ? [field] : key.map { field + $0 }
    }

    private mutating func add(_ field: [String], of entity: String, _ schema: StoreLayout) {
        if let first = field.first,
            let relationship = schema.model.relationship(first, of: entity), relationship.isToMany
        {
            let key = schema.linkKey(of: relationship)
            return addList([first], as: first, field.count > 1 ? [Array(field.dropFirst())] : key)
        }
        // An element's path is a single key, but it is a nested object in the output.
        let steps = field.flatMap(\.keyPath)
        Self.insert(steps[...], fields.count, into: &members)
        fields.append(field)
    }

    /// Adds a member for the objects of a to-many relationship.
    ///
    /// Each object is written as the attributes, as the only attribute of its key, or as its
    /// primary key.
    private mutating func addList(_ path: [String], as name: String, _ attributes: [[String]]) {
        let column = fields.count
        var items: [Member] = []
        for (place, attribute) in attributes.enumerated() {
            Self.insert(attribute.flatMap(\.keyPath)[...], column + place, into: &items)
            fields.append(path + attribute)
        }
        if attributes.isEmpty { fields.append(path) }
        members.append(Member(name: name, node: .list(column: column, items)))
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
