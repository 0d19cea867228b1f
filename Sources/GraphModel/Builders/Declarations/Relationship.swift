import Diagnostics

/// A relationship of an entity, declared in Swift.
public struct Relationship: Sendable {
    /// The number of objects at the other end.
    public enum Cardinality: Sendable, Hashable {
        /// At most one object.
        case one
        /// An unordered set of objects.
        case many
        /// A list of objects whose order is visible to users.
        case ordered
    }

    var description: RelationshipDescription
    var place: SourceLocation

    /// Declares a relationship; omitted arguments have Core Data's defaults.
    ///
    /// - Parameters:
    ///   - name: The relationship's name.
    ///   - destination: The entity at the other end.
    ///   - cardinality: The number of objects at the other end.
    ///   - inverse: The name of the inverse relationship in the destination.
    ///   - deleteRule: The effect of a deletion at this end on the objects at the other end.
    ///   - isOptional: Whether it may have no object.
    ///   - isTransient: Whether it is in the model but never stored; objects do not have it.
    ///   - count: The allowed number of objects of a to-many relationship.
    ///   - renamedFrom: Its name in the previous version.
    ///   - hashModifier: A value that changes the version hash although the structure is the same.
    ///   - userInfo: Free text for tools.
    ///   - file: The source file, for messages.
    ///   - line: The line, for messages.
    ///   - column: The column, for messages.
    public init(
        _ name: String, to destination: String, _ cardinality: Cardinality = .one,
        inverse: String? = nil, delete deleteRule: DeleteRule = .nullify,
        optional isOptional: Bool = true, transient isTransient: Bool = false,
        count: (any NumberBounds)? = nil, renamedFrom: String? = nil, hashModifier: String? = nil,
        userInfo: [String: String] = [:], file: String = #fileID, line: Int = #line,
        column: Int = #column
    ) {
        let counts = count?.numberRange
        description = RelationshipDescription(
            name: name, destinationEntityName: destination, inverseName: inverse,
            isToMany: cardinality != .one, isOrdered: cardinality == .ordered,
            isOptional: isOptional, deleteRule: deleteRule,
            minimumCount: NumberRange.count(counts?.minimum),
            maximumCount: cardinality == .one && counts == nil
                ? nil : NumberRange.count(counts?.maximum), isTransient: isTransient,
            renamingIdentifier: renamedFrom, versionHashModifier: hashModifier,
            userInfo: userInfo)
        place = SourceLocation(file: file, line: line, column: column, keyPath: name)
    }
}

extension NumberRange {
    /// Returns an end as an `Int32` count: 0 if `nil`, and −1, which the lints reject, if invalid.
    fileprivate static func count(_ end: Double?) -> Int {
        guard let end else { return 0 }
        return Int32(exactly: end).map(Int.init) ?? -1
    }
}

/// A uniqueness constraint: no two objects of the entity have the same values for its attributes.
public struct Unique: Sendable {
    let names: [String]
    let place: SourceLocation

    /// Declares a uniqueness constraint over one attribute or several.
    public init(
        _ first: String, _ others: String..., file: String = #fileID, line: Int = #line,
        column: Int = #column
    ) {
        names = [first] + others
        place = SourceLocation(
            file: file, line: line, column: column,
            keyPath: "unique(\(names.joined(separator: ", ")))")
    }
}

/// An index for fetch requests.
public struct Index: Sendable {
    /// A property of an index, with its direction.
    public struct Element: Sendable, ExpressibleByStringLiteral {
        let element: FetchIndexDescription.Element

        /// Returns an element in ascending order.
        public static func ascending(_ property: String) -> Element {
            Element(element: .init(propertyName: property))
        }

        /// Returns an element in descending order.
        public static func descending(_ property: String) -> Element {
            Element(element: .init(propertyName: property, isAscending: false))
        }

        init(element: FetchIndexDescription.Element) {
            self.element = element
        }

        /// Creates an element in ascending order.
        public init(stringLiteral property: String) {
            self = .ascending(property)
        }
    }

    let description: FetchIndexDescription
    let place: SourceLocation

    /// Declares an index over attributes and to-one relationships, in their order.
    ///
    /// - Parameters:
    ///   - name: The index's name, unique within its entity.
    ///   - elements: The properties, in order.
    ///   - predicate: The condition for rows in the index; `nil` includes all rows.
    ///   - file: The source file, for messages.
    ///   - line: The line, for messages.
    ///   - column: The column, for messages.
    public init(
        _ name: String, _ elements: Element..., where predicate: String? = nil,
        file: String = #fileID, line: Int = #line, column: Int = #column
    ) {
        description = FetchIndexDescription(
            name: name, elements: elements.map(\.element), partialIndexPredicate: predicate)
        place = SourceLocation(file: file, line: line, column: column, keyPath: name)
    }
}

/// A rule over the whole object.
public struct Rule: Sendable {
    let rule: ValidationRule
    let place: SourceLocation

    /// Declares a predicate that every saved object must match, and the message if it does not.
    public init(
        _ predicate: String, message: String, file: String = #fileID, line: Int = #line,
        column: Int = #column
    ) {
        rule = ValidationRule(predicate: predicate, message: message)
        place = SourceLocation(file: file, line: line, column: column, keyPath: "rule")
    }
}
