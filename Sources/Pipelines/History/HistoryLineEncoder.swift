import FoundationEssentials
import GraphModel
import GraphStore

/// Encodes the changes of a history as lines of JSON, each with all keys.
struct HistoryLineEncoder {
    private let schema: StoreLayout
    private let output = FragmentEncoder()
    private let cells: CellEncoder<FragmentEncoder>

    init(_ schema: StoreLayout) {
        self.schema = schema
        cells = CellEncoder(output)
    }

    /// Returns the entity and its unique key; `nil` if it has no key.
    func key(of id: ManagedObjectID) -> (entity: String, key: [String])? {
        guard let entity = schema.entity(number: id.entityNumber) else { return nil }
        let key = schema.key(of: entity.name)
        return key.isEmpty ? nil : (entity.name, key)
    }

    /// Returns one line.
    ///
    /// - Parameter place: the position after this change, from which to continue.
    func line(
        _ change: HistoryChange, of transaction: HistoryTransaction, _ place: HistoryPlace,
        _ reader: HistoryReader
    ) throws -> [UInt8] {
        let entity = schema.entity(number: change.objectID.entityNumber)
        output.bytes.removeAll(keepingCapacity: true)
        let time = ScalarText.isoDate(transaction.timestamp.timeIntervalSinceReferenceDate)
        output.beginObject()
        output.member("token", place.text)
        output.member("time", time)
        output.member("author", transaction.author)
        output.member("change", "\(change.kind)")
        output.member("entity", entity?.name)
        output.name("object")
        output.integer(change.objectID.primaryKey)
        output.name("key")
        try appendKey(of: change, entity, reader)
        output.name("properties")
        append(change.updatedProperties)
        output.name("tombstone")
        append(
            change.tombstone.sorted { $0.key < $1.key }.map { ($0.key, $0.value) },
            of: change.kind == .delete ? entity : nil)
        output.bytes += "}\n".utf8
        return output.bytes
    }

    private func append(_ names: [String]?) {
        guard let names else { return output.null() }
        output.bytes.append(UInt8(ascii: "["))
        for (place, name) in names.enumerated() {
            if place > 0 { output.bytes.append(UInt8(ascii: ",")) }
            output.text(name)
        }
        output.bytes.append(UInt8(ascii: "]"))
    }

    /// Appends the current key of the object, or the key that the history has kept.
    private func appendKey(
        of change: HistoryChange, _ entity: StoreLayout.Entity?, _ reader: HistoryReader
    ) throws {
        guard let entity else { return output.null() }
        let key = schema.key(of: entity.name)
        guard !key.isEmpty else { return output.null() }
        if let values = try reader.values(of: key, change.objectID, entity) {
            return append(Array(zip(key, values)), of: entity)
        }
        let kept = key.compactMap { name in change.tombstone[name].map { (name, $0) } }
        append(kept, of: kept.count == key.count ? entity : nil)
    }

    private func append(_ values: [(String, StoredValue)], of entity: StoreLayout.Entity?) {
        guard let entity else { return output.null() }
        var arena = ByteArena()
        output.beginObject()
        for (name, value) in values {
            output.name(name)
            guard let attribute = entity.attributes[name]?.attribute else {
                output.null()
                continue
            }
            cells.write(arena.cell(value), RowColumn(attribute))
        }
        output.endObject()
    }
}
