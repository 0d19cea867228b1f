import GraphModel

/// A fetched property by name, with the class of what it finds.
public struct FetchedKey<Destination: ManagedObject>: Sendable {
    /// The property's name.
    public let name: String

    /// Creates a key.
    public init(_ name: String) {
        self.name = name
    }
}

extension FetchedKey where Destination == ManagedObject {
    /// A fetched property by its name.
    public static func fetched(_ name: String) -> Self { Self(name) }
}

/// Fetched properties: to-manys that a request computes.
extension ManagedObject {
    /// What a fetched property finds: `task[.fetched("similar")]`.
    ///
    /// Does not throw: what goes wrong is thrown by the context's next save.
    public final subscript<Destination>(key: FetchedKey<Destination>) -> [Destination] {
        do throws(StoreError) {
            return try fetchedObjects(for: key.name).map { object throws(StoreError) in
                try object.typed()
            }
        } catch {
            link.listener?.note(error)
            return []
        }
    }

    /// What a fetched property finds, pending changes included.
    ///
    /// It is looked for once, and kept until the object is refreshed or becomes a fault. In its
    /// predicate `$FETCH_SOURCE` is this object, whose to-ones and attributes may follow:
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

    /// The value at the end of a path of to-ones.
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
                "'$FETCH_SOURCE.\(path.joined(separator: "."))' is no single value")
        }
        return .object(here.objectID)
    }
}
