/// Which property of the store each column of a file fills.
///
/// The match depends only on the names, not on the order of the columns or on their values. A
/// property keeps the column that filled it first (`PropertyOrigin`). Then the spelling of its name
/// decides, and then its name without case and separators.
///
/// ```
/// store: name (from Name), name2 (from name)
/// file:  name, Name    →   name2, name
/// file:  name          →   name2
/// file:  name, name2   →   name, name2      (an export of the store)
/// ```
struct ColumnMatch {
    /// A column of the file.
    struct Column {
        /// The column's name in the file, or the path of a field.
        var source: String
        /// The name that a new property would have.
        var name: String

        fileprivate var folded: String { InferredNames.folded(name) }
    }

    /// A property of the store.
    struct Property {
        var name: String
        /// The column that filled it first, if that has another name.
        var column: String?
        /// Folded names of columns that may hold the keys of the related object.
        var keys: [String] = []
    }

    /// For each matched column, the name of the property that it fills.
    private(set) var properties: [String: String] = [:]
    private var filled: Set<String> = []

    /// Matches the columns of a file with the properties of an entity.
    ///
    /// - Parameter properties: the properties, in order of precedence.
    init(_ columns: [Column], _ properties: [Property]) {
        let header = Set(columns.map(\.source))
        let hinted = Dictionary(
            properties.compactMap { property in property.column.map { ($0, property.name) } }
        ) { first, _ in first }
        for property in properties where header.contains(property.name) {
            // The column belongs to another property, unless the file uses the spelling of the
            // store.
            let other = hinted[property.name].map { !header.contains($0) } ?? false
            guard !other, property.column.map(header.contains) != true else { continue }
            fill(property, from: property.name)
        }
        for property in properties {
            if let column = property.column, header.contains(column) {
                fill(property, from: column)
            }
        }
        for property in properties where header.contains(property.name) {
            fill(property, from: property.name)
        }
        let inOrder = columns.sorted { $0.source.utf8.lexicographicallyPrecedes($1.source.utf8) }
        fill(properties, from: inOrder, \.name) { [$0.name] }
        fill(properties, from: inOrder, \.folded) { [InferredNames.folded($0.name)] }
        fill(properties, from: inOrder, \.folded, \.keys)
    }

    /// Fills properties from the columns that have one of their names, where earlier ones take
    /// precedence.
    private mutating func fill(
        _ properties: [Property], from columns: [Column], _ name: (Column) -> String,
        _ names: (Property) -> [String]
    ) {
        var named: [String: [Property]] = [:]
        for property in properties where !filled.contains(property.name) {
            for name in names(property) { named[name, default: []].append(property) }
        }
        for column in columns where self.properties[column.source] == nil {
            let found = named[name(column)]?.first { !filled.contains($0.name) }
            if let found { fill(found, from: column.source) }
        }
    }

    private mutating func fill(_ property: Property, from column: String) {
        guard properties[column] == nil, filled.insert(property.name).inserted else { return }
        properties[column] = property.name
    }
}
