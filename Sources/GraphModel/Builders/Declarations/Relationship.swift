import Diagnostics

/// One relationship of an entity that is written in Swift.
public struct Relationship: Sendable {
    /// How many objects there are at the other end.
    public enum Cardinality: Sendable, Hashable {
        /// At most one.
        case one
        /// A set.
        case many
        /// A list whose order users see.
        case ordered
    }

    var description: RelationshipDescription
    var place: SourceLocation

    /// Declares a relationship; what is left out has Core Data's default.
    ///
    /// - Parameters:
    ///   - name: the relationship's name.
    ///   - destination: the entity at the other end.
    ///   - cardinality: how many objects there are at the other end.
    ///   - inverse: the name of the same relationship seen from the other end.
    ///   - deleteRule: what a deletion at this end does to the other.
    ///   - isOptional: whether it may lead to no object.
    ///   - isTransient: known to the model, but never stored; objects do not have it.
    ///   - count: how many objects there may be, where it is to many.
    ///   - renamedFrom: its name in the version before.
    ///   - hashModifier: forces a new version hash although the shape is the same.
    ///   - userInfo: free text for tools.
    ///   - file: the source file, for messages.
    ///   - line: the line, for messages.
    ///   - column: the column, for messages.
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
    /// An end as a count that a model can hold; 0 for none, and -1 for what the lints refuse.
    fileprivate static func count(_ end: Double?) -> Int {
        guard let end else { return 0 }
        return Int32(exactly: end).map(Int.init) ?? -1
    }
}

/// Attributes whose values together no two objects of the entity share.
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

/// An index that requests use.
public struct Index: Sendable {
    /// One property of an index, with its direction.
    public struct Element: Sendable, ExpressibleByStringLiteral {
        let element: FetchIndexDescription.Element

        /// Small values first.
        public static func ascending(_ property: String) -> Element {
            Element(element: .init(propertyName: property))
        }

        /// Large values first.
        public static func descending(_ property: String) -> Element {
            Element(element: .init(propertyName: property, isAscending: false))
        }

        init(element: FetchIndexDescription.Element) {
            self.element = element
        }

        /// A property whose small values come first.
        public init(stringLiteral property: String) {
            self = .ascending(property)
        }
    }

    let description: FetchIndexDescription
    let place: SourceLocation

    /// Declares an index over attributes and to-one relationships, in their order.
    ///
    /// - Parameters:
    ///   - name: the index's name, unique within its entity.
    ///   - elements: the properties, in order.
    ///   - predicate: what rows must meet to be in the index; nil takes all.
    ///   - file: the source file, for messages.
    ///   - line: the line, for messages.
    ///   - column: the column, for messages.
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

    /// Declares a rule: a predicate that every saved object meets, and what to tell where it does
    /// not.
    public init(
        _ predicate: String, message: String, file: String = #fileID, line: Int = #line,
        column: Int = #column
    ) {
        rule = ValidationRule(predicate: predicate, message: message)
        place = SourceLocation(file: file, line: line, column: column, keyPath: "rule")
    }
}
