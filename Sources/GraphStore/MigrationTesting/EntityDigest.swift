import Digests
public import GraphModel

/// A summary of the objects of one entity.
public struct EntityDigest: Sendable, Hashable {
    /// The number of objects of the entity itself.
    public let count: Int
    /// Sixteen hexadecimal digits that change with every value and every link of the objects.
    ///
    /// Values that are derived from the current time are excluded.
    public let text: String

    /// Returns the digests of all concrete entities of a store that is not open.
    ///
    /// - Parameters:
    ///   - path: The path of the store's file.
    ///   - model: The store's model; `nil` uses the model that the store contains.
    public static func all(
        ofStoreAt path: String, by model: ManagedObjectModel?
    ) throws(StoreError) -> [String: EntityDigest] {
        var options = StoreOptions()
        options.isReadOnly = true
        let isOfApp = PersistentContainer.isAppStore(at: path)
        let container = try PersistentContainer(
            model: isOfApp ? model : nil, .sqlite(at: path, options: options))
        var digests: [String: EntityDigest] = [:]
        for entity in container.schema.heldEntities where !entity.isAbstract {
            digests[entity.name] = try digest(of: entity.name, in: container)
        }
        return digests
    }

    private static let batchRows = 1_000

    private static func digest(
        of name: String, in container: PersistentContainer
    ) throws(StoreError) -> EntityDigest {
        let attributes = container.model.attributes(of: name).filter {
            let derivation = $0.derivationExpression ?? ""
            return !$0.isTransient && !derivation.contains("now(")
                && !derivation.contains("today(")
        }
        let relationships = container.model.relationships(of: name)
        let ordered = Set(relationships.filter(\.isOrdered).map(\.name))
        let keys = (attributes.map(\.name) + relationships.map(\.name)).sorted()
        let context = container.newContext()
        var request = FetchRequest<ManagedObject>(entityName: name)
        request.includesSubentities = false
        let ids = try context.fetchIDs(request).sorted { $0.primaryKey < $1.primaryKey }
        var digest = ByteDigest()
        for batch in ids.chunks(of: batchRows) {
            for object in try context.fault(Array(batch)) {
                digest.add(text: "\(object.objectID.primaryKey)")
                for key in keys {
                    digest.add(text: key)
                    digest.add(
                        text: text(try object.value(forKey: key), isOrdered: ordered.contains(key)))
                }
            }
            context.reset()
        }
        return EntityDigest(count: ids.count, text: digest.value.prefix(8).hexText)
    }

    private static func text(_ value: PropertyValue, isOrdered: Bool) -> String {
        switch value {
        case .attribute(.null): return "null"
        case .attribute(.integer(let number)): return "integer \(number)"
        case .attribute(.real(let number)): return "real \(number)"
        case .attribute(.text(let text)): return "text \(text)"
        case .attribute(.blob(let bytes)): return "blob \(bytes.hexText)"
        // Its elements are separate attributes with their own paths.
        case .composite: return "composite"
        // The primary key identifies the object even if its entity is renamed.
        case .object(let object):
            return "to \(object.map { "\($0.objectID.primaryKey)" } ?? "none")"
        case .objects(let objects):
            let keys = objects.map(\.objectID.primaryKey)
            return "to \(isOrdered ? keys : keys.sorted())"
        }
    }
}
