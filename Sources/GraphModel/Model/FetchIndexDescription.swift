/// An index that requests use; it does not change the version hash.
public struct FetchIndexDescription: Sendable, Hashable, Codable {
    /// How an index finds values.
    public enum Collation: String, Sendable, Hashable, Codable, CaseIterable {
        /// By their order.
        case binary = "Binary"
        /// By the region of space that numbers span.
        case rTree = "RTree"
    }

    /// One property of an index.
    public struct Element: Sendable, Hashable {
        /// An attribute or a to-one relationship; an expression where `isExpression`.
        public var propertyName: String
        /// Ascending unless false.
        public var isAscending: Bool
        /// How the values are found.
        public var collation: Collation
        /// The element is computed by an expression rather than kept in a column.
        public var isExpression: Bool

        /// Creates an element.
        public init(
            propertyName: String, isAscending: Bool = true, collation: Collation = .binary,
            isExpression: Bool = false
        ) {
            self.propertyName = propertyName
            self.isAscending = isAscending
            self.collation = collation
            self.isExpression = isExpression
        }
    }

    /// The index's name, unique within its entity.
    public var name: String
    /// The properties in order.
    public var elements: [Element]
    /// A predicate, in text, that rows must meet to be in the index.
    public var partialIndexPredicate: String?

    /// Creates an index.
    public init(name: String, elements: [Element], partialIndexPredicate: String? = nil) {
        self.name = name
        self.elements = elements
        self.partialIndexPredicate = partialIndexPredicate
    }
}

extension FetchIndexDescription {
    /// Why stores do not have the index; nil where they do.
    package var reasonNotBuilt: String? {
        if elements.contains(where: \.isExpression) { return "is over an expression" }
        if elements.contains(where: { $0.collation != .binary }) { return "is an R-tree" }
        return nil
    }

    /// The properties that the index and its predicate name; those in expressions aside.
    package var propertyNames: Set<String> {
        var names = Set(elements.filter { !$0.isExpression }.map(\.propertyName))
        // One that cannot be read is told where the model is.
        if let text = partialIndexPredicate, let predicate = try? GraphPredicate(format: text) {
            names.formUnion(predicate.keyPaths.compactMap(\.first))
        }
        return names
    }
}

extension FetchIndexDescription.Element: Codable {
    private enum CodingKeys: String, CodingKey {
        case propertyName, isAscending, collation, isExpression
    }

    /// Reads what `encode(to:)` wrote, by any version of it.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        try self.init(
            propertyName: container.decode(String.self, forKey: .propertyName),
            isAscending: container.decode(Bool.self, forKey: .isAscending),
            collation: container.decodeIfPresent(
                FetchIndexDescription.Collation.self, forKey: .collation) ?? .binary,
            isExpression: container.decodeIfPresent(Bool.self, forKey: .isExpression) ?? false)
    }
}

extension FetchIndexDescription {
    /// The attribute that the index has alone, over all rows; `nil` if it has more or other parts.
    ///
    /// Xcode's compiler adds a second index to such an index, which has the attribute's name.
    package func soleAttribute(of entity: EntityDescription) -> String? {
        guard elements.count == 1, let element = elements.first, !element.isExpression,
            element.collation == .binary, partialIndexPredicate == nil,
            entity.ownAttributes.contains(where: { $0.name == element.propertyName })
        else { return nil }
        return element.propertyName
    }
}
