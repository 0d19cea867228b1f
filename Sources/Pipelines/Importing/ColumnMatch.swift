import GraphModel

/// Which property of the store each column of a file fills.
///
/// The answer depends on the names alone, and neither on the order of the columns nor on their
/// values. A property keeps the column that filled it first (`PropertyOrigin`); after that, the
/// spelling of its name counts, and then its name without case and separators.
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
        /// Its name in the file, or the path of a field.
        var source: String
        /// The name that a new property would have.
        var name: String
    }

    /// A property of the store.
    struct Property {
        var name: String
        /// The column that filled it first, if that has another name.
        var column: String?
        /// Names, folded, of columns with the key of the object that it leads to.
        var keys: [String] = []
    }

    /// The names of the properties by the columns.
    private(set) var properties: [String: String] = [:]
    private var filled: Set<String> = []

    /// - Parameter properties: those that come first have precedence.
    init(_ columns: [Column], _ properties: [Property]) {
        let header = Set(columns.map(\.source))
        let hinted = Dictionary(
            properties.compactMap { property in property.column.map { ($0, property.name) } }
        ) { first, _ in first }
        for property in properties where header.contains(property.name) {
            // The column is another property's, unless the file is spelled as the store is.
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
        let tests: [(Property, Column) -> Bool] = [
            { $0.name == $1.name },
            { InferredNames.folded($0.name) == InferredNames.folded($1.name) },
            { $0.keys.contains(InferredNames.folded($1.name)) },
        ]
        for isMatch in tests {
            for column in inOrder where self.properties[column.source] == nil {
                let found = properties.first {
                    !filled.contains($0.name) && isMatch($0, column)
                }
                if let found { fill(found, from: column.source) }
            }
        }
    }

    private mutating func fill(_ property: Property, from column: String) {
        guard properties[column] == nil, filled.insert(property.name).inserted else { return }
        properties[column] = property.name
    }
}
