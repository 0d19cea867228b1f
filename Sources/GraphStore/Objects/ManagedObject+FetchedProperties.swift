import GraphModel

/// The name of a fetched property, with the class of its objects.
public struct FetchedKey<Destination: ManagedObject>: Sendable {
    /// The property's name.
    public let name: String

    /// Creates a key.
    public init(_ name: String) {
        self.name = name
    }
}

extension FetchedKey where Destination == ManagedObject {
    /// Returns the key of a fetched property.
    public static func fetched(_ name: String) -> Self { Self(name) }
}

/// Fetched properties: to-manys that a request computes.
extension ManagedObject {
    /// The objects of a fetched property: `task[.fetched("similar")]`.
    ///
    /// The subscript does not throw: the context's next save throws the error. Without a context,
    /// or if an object was read with a class that is not the key's, it traps.
    public final subscript<Destination>(key: FetchedKey<Destination>) -> [Destination] {
        let objects = attempting { () throws(StoreError) in
            try fetchedObjects(for: key.name)
        }
        return (objects ?? []).map { typed($0, by: key.name) }
    }

    /// Returns the objects of a fetched property, including pending changes.
    ///
    /// The result is cached until the object is refreshed or becomes a fault. In the property's
    /// predicate, `$FETCH_SOURCE` is this object, and its to-ones and attributes may follow:
    /// `category == $FETCH_SOURCE.category`.
    public final func fetchedObjects(for key: String) throws(StoreError) -> [ManagedObject] {
        guard let template = layout.fetchedProperties[key] else {
            throw StoreError(.unknownKey, "'\(layout.name)' has no fetched property '\(key)'")
        }
        let context = try live()
        if let ids = extra?.fetchedProperties[key] { return ids.map { context.object(with: $0) } }
        var request = template.bare
        request.predicate = try predicate(of: template)
        let objects = try context.fetch(request)
        let extra = extra ?? ObjectExtra()
        extra.fetchedProperties[key] = objects.map(\.objectID)
        self.extra = extra
        return objects
    }

    private func predicate(of template: FetchRequestTemplate) throws(StoreError) -> GraphPredicate?
    {
        guard let parsed = try template.parsedPredicate() else { return nil }
        var paths: Set<[String]> = []
        _ = parsed.replacingLeaves { leaf in
            if case .variable("FETCH_SOURCE", let path) = leaf { paths.insert(path) }
            return nil
        }
        var values: [[String]: GraphValue] = [:]
        for path in paths { values[path] = try value(at: path) }
        return parsed.replacingLeaves { leaf in
            guard case .variable("FETCH_SOURCE", let path) = leaf else { return nil }
            return values[path].map { .constant($0) }
        }
    }

    /// Returns the value at the end of a path of to-ones.
    private func value(at path: [String]) throws(StoreError) -> GraphValue {
        var here = self
        let path = try live().container.model.folded(path, from: entityName)
        for (position, name) in path.enumerated() {
            switch try here.property(name) {
            case .attribute(let slot):
                guard position == path.count - 1 else { break }
                let type = SQLType(here.layout.attributes[slot].description)
                return GraphValue(try here.attribute(slot), type)
            case .toOne(let slot):
                guard let next = try here.toOne(slot) else { return .null }
                here = next
                continue
            case .toMany: break
            }
            throw StoreError(
                .invalidRequest,
                "'$FETCH_SOURCE.\(path.joined(separator: "."))' is not a single value")
        }
        return .object(here.objectID)
    }
}
