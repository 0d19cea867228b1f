import GraphModel
import GraphStore
import RecordStreams

/// Writes the rows of a cursor as nested objects.
struct NestedRowEncoder {
    private let output: RecordEncoder
    private let cells: CellEncoder<RecordEncoder>
    private let columns: [RowColumn]
    private let faults: TextFaults
    private let members: [NestedShape.Member]
    private let inner = FragmentEncoder()
    private let innerCells: CellEncoder<FragmentEncoder>
    private let missing: MissingFiles

    init(
        _ shape: NestedShape, _ cursor: RowCursor, to output: RecordEncoder, _ missing: MissingFiles
    ) {
        self.missing = missing
        self.output = output
        columns = cursor.columns
        faults = TextFaults(cursor)
        members = shape.members
        cells = CellEncoder(output, external: cursor.externalValues, missing)
        innerCells = CellEncoder(inner, external: cursor.externalValues, missing)
    }

    /// Writes one row of a batch.
    func write(_ row: Int, of batch: RowBatch) throws {
        let values = batch.row(row)
        output.beginRecord()
        for member in members {
            switch member.node {
            case .value(let column): cells.write(values[column], columns[column])
            case .list(let column, let members):
                let list = values[column]
                repeat {
                    output.beginList()
                    for item in 0..<list.listCount {
                        if members.isEmpty {
                            cells.write(batch.item(list.listStart + item), columns[column])
                        } else {
                            writeObject(members, isItem: true) {
                                batch.item(values[$0].listStart + item)
                            }
                        }
                    }
                } while output.endList()
            case .object(let members): writeObject(members, isItem: false) { values[$0] }
            }
        }
        guard !output.hasInvalidText else { throw faults.fault(in: row, of: batch) }
        try missing.check(row, of: batch)
        try output.endRecord()
    }

    private func writeObject(
        _ members: [NestedShape.Member], isItem: Bool, cell: (Int) -> BulkCell
    ) {
        inner.bytes.removeAll(keepingCapacity: true)
        append(members, isItem: isItem, cell)
        inner.bytes.withUnsafeBufferPointer { output.json($0) }
    }

    /// Appends an object, or null if it has no value and is not an item of a list.
    ///
    /// - Parameter cell: Returns the cell of a column.
    /// - Returns: Whether the object has a value.
    @discardableResult
    private func append(
        _ members: [NestedShape.Member], isItem: Bool = false, _ cell: (Int) -> BulkCell
    ) -> Bool {
        let start = inner.bytes.count
        var hasValue = false
        inner.beginObject()
        for member in members {
            inner.name(member.name)
            switch member.node {
            case .value(let column):
                let value = cell(column)
                hasValue = hasValue || value.kind != .null
                innerCells.write(value, columns[column])
            case .object(let members):
                // A separate statement, because `||` would not evaluate the call, which writes.
                let isThere = append(members, cell)
                hasValue = hasValue || isThere
            // A to-many relationship can only be the first step of a path.
            case .list: inner.null()
            }
        }
        guard hasValue || isItem else {
            inner.bytes.removeSubrange(start...)
            inner.null()
            return false
        }
        inner.endObject()
        return true
    }
}

/// An encoder of JSON in memory, for nested values.
final class FragmentEncoder: CellOutput {
    var bytes: [UInt8] = []

    func beginObject() { bytes.append(UInt8(ascii: "{")) }
    func endObject() { bytes.append(UInt8(ascii: "}")) }

    /// Writes the name before a member's value, after a comma if it is not the first member.
    func name(_ name: String) {
        if bytes.last != UInt8(ascii: "{") { bytes.append(UInt8(ascii: ",")) }
        text(name)
        bytes.append(UInt8(ascii: ":"))
    }

    /// Writes a member with a text, or with null.
    func member(_ name: String, _ value: String?) {
        self.name(name)
        value.map { text($0) } ?? null()
    }

    func null() { bytes += "null".utf8 }
    func bool(_ value: Bool) { bytes += (value ? "true" : "false").utf8 }
    func integer(_ value: Int64) { bytes += String(value).utf8 }

    func double(_ value: Double) {
        guard value.isFinite else { return null() }
        bytes += "\(value)".utf8
    }

    func text(_ value: UnsafeBufferPointer<UInt8>) {
        bytes.append(UInt8(ascii: "\""))
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: JSONText.escapeBytesMax) { room in
            for byte in value {
                if JSONText.needsEscape(byte), let start = room.baseAddress {
                    bytes += room.prefix(JSONText.writeEscape(of: byte, to: start))
                } else {
                    bytes.append(byte)
                }
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    func ascii(_ value: UnsafeBufferPointer<UInt8>) {
        bytes.append(UInt8(ascii: "\""))
        bytes += value
        bytes.append(UInt8(ascii: "\""))
    }

    func number(_ value: UnsafeBufferPointer<UInt8>) { bytes += value }
    func json(_ value: UnsafeBufferPointer<UInt8>) { bytes += value }
}
