/// An index for fetch requests; it does not change the version hash.
public struct FetchIndexDescription: Sendable, Hashable, Codable {
    /// The method by which an index finds values.
    public enum Collation: String, Sendable, Hashable, Codable, CaseIterable {
        /// Finds values by their order.
        case binary = "Binary"
        /// Finds values by the region that the numbers span, with an R-tree.
        case rTree = "RTree"
    }

    /// A property of an index.
    public struct Element: Sendable, Hashable {
        /// The attribute or to-one relationship, or the expression if `isExpression` is true.
        public var propertyName: String
        /// Whether the order is ascending.
        public var isAscending: Bool
        /// The method by which the values are found.
        public var collation: Collation
        /// Whether an expression computes the element, which then has no column.
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
    /// The properties, in order.
    public var elements: [Element]
    /// The condition for rows in the index, as text; `nil` includes all rows.
    public var partialIndexPredicate: String?

    /// Creates an index.
    public init(name: String, elements: [Element], partialIndexPredicate: String? = nil) {
        self.name = name
        self.elements = elements
        self.partialIndexPredicate = partialIndexPredicate
    }
}

extension FetchIndexDescription {
    /// The reason that stores do not have the index; `nil` if they do.
    package var reasonNotBuilt: String? {
        if elements.contains(where: \.isExpression) { return "is over an expression" }
        if elements.contains(where: { $0.collation != .binary }) { return "is an R-tree" }
        return nil
    }

    /// The properties that the index and its predicate name, except those inside expressions.
    package var propertyNames: Set<String> {
        var names = Set(elements.filter { !$0.isExpression }.map(\.propertyName))
        // The reader of the model reports a predicate that cannot be parsed.
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

    /// Decodes the output of any version of `encode(to:)`.
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
    /// Returns the only attribute of the index, if it covers all rows; otherwise `nil`.
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
