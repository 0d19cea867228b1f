import GraphModel
import GraphStore

/// Encodes a mapped row as JSON, in the form in which an export writes the object.
///
/// A link is written as the key that identifies its object, `{"by":{"email":"a@b.c"}}`. A nested
/// object is written completely. Properties that the record does not set are left out.
struct MappedRowEncoder {
    /// The attributes and links of a row, one per cell.
    private struct Shape {
        var attributes: [(name: String, column: RowColumn)]
        var links: [Link]

        var width: Int { attributes.count + links.count }
    }

    private struct Link {
        var name: String
        var isToMany: Bool
        /// The key of the destination that identifies the object.
        var key: [KeyPart]
        /// The shape of the nested object, if the link has one; `key` is then not used.
        var nested: [Shape]
    }

    private struct KeyPart {
        var name: String
        var column: RowColumn
        /// The key of the destination, if the part is a relationship.
        var key: [KeyPart] = []

        var width: Int { key.isEmpty ? 1 : key.reduce(0) { $0 + $1.width } }
    }

    private let shape: Shape
    private let output = FragmentEncoder()
    private let cells: CellEncoder<FragmentEncoder>

    init(_ plan: ImportPlan, _ model: ManagedObjectModel) {
        shape = Self.shape(plan.bulk, model)
        cells = CellEncoder(output)
    }

    private static func shape(_ plan: BulkPlan, _ model: ManagedObjectModel) -> Shape {
        Shape(
            attributes: plan.attributes.map { ($0, column($0, of: plan.entity, model)) },
            links: plan.links.map { link in
                Link(
                    name: link.relationship,
                    isToMany: model.relationship(link.relationship, of: plan.entity)?.isToMany
                        ?? false,
                    key: key(link.key, of: link.destination, model),
                    nested: link.nested.map { [shape($0, model)] } ?? [])
            })
    }

    private static func key(
        _ parts: [BulkPlan.KeyPart], of entity: String, _ model: ManagedObjectModel
    ) -> [KeyPart] {
        parts.map { part in
            guard part.property != ObjectNumber.explicitKey else {
                return KeyPart(
                    name: ObjectNumber.key, column: RowColumn(content: .objectNumber, isList: false)
                )
            }
            return KeyPart(
                name: part.property, column: column(part.property, of: entity, model),
                key: part.entity.map { key(part.key, of: $0, model) } ?? [])
        }
    }

    private static func column(
        _ name: String, of entity: String, _ model: ManagedObjectModel
    ) -> RowColumn {
        model.attribute(name, of: entity).map(RowColumn.init)
            ?? RowColumn(content: .attribute(.undefined), isList: false)
    }

    /// Returns one line of NDJSON.
    func line(
        stage: String, file: String, record: Int?, into entity: String, of batch: MappedBatch,
        _ row: Int
    ) -> [UInt8] {
        output.bytes.removeAll(keepingCapacity: true)
        output.beginObject()
        output.member("stage", stage)
        output.member("file", file)
        output.name("record")
        record.map { output.integer(Int64($0)) } ?? output.null()
        output.member("into", entity)
        output.name("object")
        append(shape, batch.rows) { batch.rows[row, $0] }
        output.bytes += "}\n".utf8
        return output.bytes
    }

    private func append(_ shape: Shape, _ rows: RowBatch, _ cell: (Int) -> BulkCell) {
        output.beginObject()
        for (place, attribute) in shape.attributes.enumerated() {
            let cell = cell(place)
            guard cell.kind != .absent else { continue }
            output.name(attribute.name)
            cells.write(cell, attribute.column)
        }
        for (place, link) in shape.links.enumerated() {
            let cell = cell(shape.attributes.count + place)
            guard cell.kind != .absent else { continue }
            output.name(link.name)
            append(link, cell, rows)
        }
        output.endObject()
    }

    private func append(_ link: Link, _ cell: BulkCell, _ rows: RowBatch) {
        guard cell.kind != .null else {
            return link.isToMany ? output.bytes.append(contentsOf: "[]".utf8) : output.null()
        }
        // A key with one attribute is in its cell; all other keys are lists.
        let items =
            cell.kind == .list
            ? (cell.listStart..<(cell.listStart + cell.listCount)).map { rows.item($0) } : [cell]
        let width = max(1, link.nested.first?.width ?? link.key.reduce(0) { $0 + $1.width })
        if link.isToMany { output.bytes.append(UInt8(ascii: "[")) }
        for start in stride(from: 0, to: items.count, by: width) {
            if start > 0 { output.bytes.append(UInt8(ascii: ",")) }
            if let shape = link.nested.first {
                append(shape, rows) { items[start + $0] }
            } else {
                appendKey(link.key, items[start..<min(start + width, items.count)])
            }
        }
        if link.isToMany { output.bytes.append(UInt8(ascii: "]")) }
    }

    private func appendKey(_ key: [KeyPart], _ values: ArraySlice<BulkCell>) {
        output.bytes += #"{"by":{"#.utf8
        var rest = values
        for part in key {
            output.name(part.name)
            if !part.key.isEmpty {
                appendKey(part.key, rest.prefix(part.width))
            } else if let value = rest.first {
                cells.write(value, part.column)
            }
            rest = rest.dropFirst(part.width)
        }
        output.bytes += "}}".utf8
    }
}
