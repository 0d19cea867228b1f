import GraphModel

/// The `==` comparisons of a predicate, as searches in a `PendingIndex`.
///
/// `email == "a" AND isActive == YES` is one search by both attributes. `name IN {"a", "b"}` is one
/// search for two keys. `code == "x" OR code == "y"` is two searches. A predicate with only other
/// comparisons, or with values that the evaluator would convert, has no searches.
struct EqualityLookup {
    /// A search by properties, for combinations of their values.
    struct Search {
        let properties: [EntityLayout.Property]
        let keys: [[PendingIndex.Key]]
    }

    /// The possible values of each property.
    private typealias Conditions = [EntityLayout.Property: [PendingIndex.Key]]

    /// The maximum number of combinations of values to look up.
    private static let keysMax = 4_096

    private(set) var searches: [Search]

    /// The number of keys to look up.
    var count: Int { searches.reduce(0) { $0 + $1.keys.count } }

    /// Creates the searches whose results include all objects that meet the predicate.
    ///
    /// Returns `nil` if only evaluating every object finds them.
    init?(_ predicate: GraphPredicate?, of layout: EntityLayout) {
        guard let predicate, let searches = Self.searches(predicate, layout) else { return nil }
        self.searches = searches
    }

    private static func searches(
        _ predicate: GraphPredicate, _ layout: EntityLayout
    ) -> [Search]? {
        switch predicate {
        case .constant(false): return []
        case .constant(true), .not: return nil
        case .comparison(let comparison):
            return condition(comparison, layout).flatMap { search([$0.property: $0.keys], layout) }
        case .and(let parts):
            let conditions = conditions(parts, layout)
            if !conditions.isEmpty { return search(conditions, layout) }
            return parts.lazy.compactMap { searches($0, layout) }.first
        case .or(let parts):
            var all: [Search] = []
            for part in parts {
                guard let searches = searches(part, layout) else { return nil }
                all += searches
            }
            return all
        }
    }

    private static func search(_ conditions: Conditions, _ layout: EntityLayout) -> [Search]? {
        let properties = conditions.keys.sorted { layout.bit($0) < layout.bit($1) }
        var keys: [[PendingIndex.Key]] = [[]]
        for property in properties {
            let values = conditions[property] ?? []
            guard keys.count * values.count <= keysMax else { return nil }
            keys = keys.flatMap { start in values.map { start + [$0] } }
        }
        return [Search(properties: properties, keys: keys)]
    }

    /// Returns the equalities that must hold together; the first one for each property.
    private static func conditions(
        _ parts: [GraphPredicate], _ layout: EntityLayout
    ) -> Conditions {
        var found: Conditions = [:]
        for part in parts {
            switch part {
            case .comparison(let comparison):
                if let (property, keys) = condition(comparison, layout), found[property] == nil {
                    found[property] = keys
                }
            case .and(let parts):
                found.merge(conditions(parts, layout)) { first, _ in first }
            default: continue
            }
        }
        return found
    }

    private static func condition(
        _ comparison: GraphComparison, _ layout: EntityLayout
    ) -> (property: EntityLayout.Property, keys: [PendingIndex.Key])? {
        guard comparison.modifier == .direct, comparison.options.isEmpty else { return nil }
        switch (comparison.op, comparison.left, comparison.right) {
        case (.equal, .keyPath(let path), .constant(let value)),
            (.equal, .constant(let value), .keyPath(let path)):
            guard let property = property(path, layout), let key = key(value, property, layout)
            else { return nil }
            return (property, [key])
        case (.in, .keyPath(let path), .aggregate(let elements)):
            guard let property = property(path, layout) else { return nil }
            var keys: [PendingIndex.Key] = []
            for element in elements {
                guard case .constant(let value) = element, let key = key(value, property, layout)
                else { return nil }
                keys.append(key)
            }
            return (property, keys)
        default: return nil
        }
    }

    private static func property(
        _ path: [String], _ layout: EntityLayout
    ) -> EntityLayout.Property? {
        // The property of a composite's element is named after its path.
        layout.properties[path.joined(separator: ".")]
    }

    /// Returns the key shared by all objects whose property equals the value.
    ///
    /// Returns `nil` if the evaluator would convert or round one of the two values.
    private static func key(
        _ value: GraphValue, _ property: EntityLayout.Property, _ layout: EntityLayout
    ) -> PendingIndex.Key? {
        switch property {
        case .toMany: return nil
        case .toOne:
            switch value {
            case .null: return .null
            case .object(let id): return .object(id.primaryKey)
            default: return nil
            }
        case .attribute(let slot):
            if case .null = value { return .null }
            if case .double(let number) = value, number.isNaN { return .null }
            if case .date(let seconds) = value, seconds.isNaN { return .null }
            switch (layout.slots[slot].type, value) {
            case (.string, .string(let text)), (.uri, .string(let text)): return .text(text)
            case (.uuid, .uuid(let bytes)): return .bytes(bytes)
            case (.date, .date(let seconds)): return .number(seconds)
            case (.integer16, .integer(let number)), (.integer32, .integer(let number)),
                (.integer64, .integer(let number)), (.boolean, .integer(let number)),
                (.double, .integer(let number)):
                return .number(Double(number))
            case (.integer16, .double(let number)), (.integer32, .double(let number)),
                (.integer64, .double(let number)), (.double, .double(let number)):
                return .number(number)
            case (.boolean, .boolean(let flag)), (.integer16, .boolean(let flag)),
                (.integer32, .boolean(let flag)), (.integer64, .boolean(let flag)):
                return .number(flag ? 1 : 0)
            default: return nil
            }
        }
    }

    // MARK: Links

    /// Returns the objects to which a predicate restricts a to-one; `nil` if it does not.
    static func destinations(
        of property: EntityLayout.Property, in predicate: GraphPredicate?, _ layout: EntityLayout
    ) -> [ManagedObjectID]? {
        switch predicate {
        case .comparison(let comparison)?:
            guard condition(comparison, layout)?.property == property else { return nil }
            return destinations(comparison)
        case .and(let parts)?:
            return parts.lazy.compactMap { destinations(of: property, in: $0, layout) }.first
        default: return nil
        }
    }

    private static func destinations(_ comparison: GraphComparison) -> [ManagedObjectID]? {
        let sides = [comparison.left, comparison.right]
        var found: [ManagedObjectID] = []
        for side in sides {
            let values: [GraphExpression] =
                if case .aggregate(let elements) = side { elements } else { [side] }
            for case .constant(let value) in values {
                guard case .object(let id) = value else { return nil }
                found.append(id)
            }
        }
        return found
    }
}
