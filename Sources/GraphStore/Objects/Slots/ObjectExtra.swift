import GraphModel
import SQLite

/// State that few objects need, stored separately to save memory in the other objects.
final class ObjectExtra {
    /// The values that a fetch of some properties has read; the object is still a fault.
    var partial: PartialRow?
    /// The batch of objects that were fetched together, and this object's position in it.
    var batch: (neighbors: FetchBatch, position: Int)?
    /// The results of fetched properties, by name.
    var fetchedProperties: [String: [ManagedObjectID]] = [:]

    /// Discards the partial values after the row was loaded.
    func didFill() {
        partial = nil
        batch = nil
    }
}

/// Objects that were fetched together and whose rows are loaded together.
final class FetchBatch {
    private let ids: [ManagedObjectID]
    private let size: Int

    init(_ ids: [ManagedObjectID], size: Int) {
        self.ids = ids
        self.size = size
    }

    /// Returns the objects that are loaded together with the object at a position.
    func neighbors(of position: Int) -> ArraySlice<ManagedObjectID> {
        let start = position / size * size
        return ids[start..<min(start + size, ids.count)]
    }
}

/// The values of some of an object's slots, as read by a fetch.
struct PartialRow {
    /// The indexes of the slots' values; -1 for a slot that was not read.
    final class Shape: Sendable {
        let attributes: [Int]
        let toOnes: [Int]

        init(attributes: [Int], toOnes: [Int]) {
            self.attributes = attributes
            self.toOnes = toOnes
        }
    }

    let shape: Shape
    let values: [StoredValue]
    let links: [ManagedObjectID?]

    func attribute(_ slot: Int) -> StoredValue? {
        guard slot < shape.attributes.count, shape.attributes[slot] >= 0 else { return nil }
        return values[shape.attributes[slot]]
    }

    /// Returns the destination; `nil` if the link was not read.
    func toOne(_ slot: Int) -> ManagedObjectID?? {
        guard slot < shape.toOnes.count, shape.toOnes[slot] >= 0 else { return nil }
        return .some(links[shape.toOnes[slot]])
    }
}

/// A plan for reading the properties that a fetch names.
struct PartialPlan {
    /// The columns `Z_PK, Z_ENT` and the property columns, with the alias `t`.
    let columns: String
    private let shape: PartialRow.Shape
    private let attributes: [(column: Int32, isExternal: Bool)]
    private let toOnes: [(key: Int32, entity: Int32?, destination: Int64)]

    init(
        _ properties: [ExpressionDescription], of layout: EntityLayout
    ) throws(StoreError) {
        var columns = ["t.Z_PK", "t.Z_ENT"]
        var attributePlaces = layout.attributes.map { _ in -1 }
        var toOnePlaces = layout.toOnes.map { _ in -1 }
        var attributes: [(column: Int32, isExternal: Bool)] = []
        var toOnes: [(key: Int32, entity: Int32?, destination: Int64)] = []
        func place(_ column: String) -> Int32 {
            columns.append(column)
            return Int32(columns.count) - 1
        }
        func slots(of property: ExpressionDescription) throws(StoreError) -> [EntityLayout.Property]
        {
            guard property.function == nil, case .keyPath(let path) = property.expression else {
                throw Self.refusal(property, layout)
            }
            // The name of a composite's element is its path.
            let name = path.joined(separator: ".")
            if let elements = layout.composites[name] {
                let stored = elements.filter { layout.attributes[$0].column != nil }
                guard !stored.isEmpty else { throw Self.refusal(property, layout) }
                return stored.map { .attribute($0) }
            }
            guard let found = layout.properties[name] else {
                throw Self.refusal(property, layout)
            }
            return [found]
        }
        for property in properties {
            for found in try slots(of: property) {
                switch found {
                case .attribute(let slot):
                    guard let column = layout.attributes[slot].column else {
                        throw Self.refusal(property, layout)
                    }
                    guard attributePlaces[slot] < 0 else { continue }
                    attributePlaces[slot] = attributes.count
                    attributes.append((place("t.\(column)"), layout.attributes[slot].isExternal))
                case .toOne(let slot):
                    guard toOnePlaces[slot] < 0 else { continue }
                    let toOne = layout.toOnes[slot]
                    toOnePlaces[slot] = toOnes.count
                    toOnes.append(
                        (
                            place(toOne.place.key(of: "t")), toOne.place.entity(of: "t").map(place),
                            toOne.destination
                        ))
                case .toMany: throw Self.refusal(property, layout)
                }
            }
        }
        self.columns = columns.joined(separator: ", ")
        self.attributes = attributes
        self.toOnes = toOnes
        shape = PartialRow.Shape(attributes: attributePlaces, toOnes: toOnePlaces)
    }

    private static func refusal(
        _ property: ExpressionDescription, _ layout: EntityLayout
    ) -> StoreError {
        StoreError(
            .invalidRequest,
            "'\(property.name)' is not a stored attribute or to-one relationship of '\(layout.name)', and "
                + "only these can be fetched with objects; use rows(_:) for paths and expressions")
    }

    /// Returns the values of the current row.
    func row(_ statement: Statement, _ files: ExternalFiles) throws(StoreError) -> PartialRow {
        var values: [StoredValue] = []
        for place in attributes {
            let value = statement.value(place.column)
            values.append(place.isExternal ? try files.value(of: value) : value)
        }
        let links = toOnes.map { statement.link($0.key, $0.entity, $0.destination) }
        return PartialRow(shape: shape, values: values, links: links)
    }
}
