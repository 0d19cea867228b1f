import GraphModel
package import SQLite

/// An arena that owns the bytes of values while another component reads them.
package final class ArenaBox {
    private var arena = ByteArena()

    /// Creates an empty arena.
    package init() {}

    /// Frees the bytes of all values.
    package func reset() { arena.removeAll() }

    /// Copies a value into the arena; the cell is valid until the next `reset()`.
    package func cell(_ value: StoredValue) -> BulkCell { arena.cell(value) }

    /// Binds some of an object's values, in one call per object; their bytes remain valid until the
    /// next `reset()`.
    ///
    /// - Parameters:
    ///   - places: The indexes of the values, and the positions of their parameters.
    ///   - first: The index of the parameter at position 0.
    package func bind(
        _ values: [StoredValue], _ places: [(slot: Int, position: Int32)],
        to statement: Statement, from first: Int32
    ) {
        for (slot, position) in places {
            bind(values[slot], to: statement, at: first + position)
        }
    }

    /// Binds a value whose bytes remain valid until the next `reset()`.
    package func bind(_ value: StoredValue, to statement: Statement, at index: Int32) {
        switch value {
        case .null: statement.bindNull(at: index)
        case .integer(let number): statement.bind(number, at: index)
        case .real(let number): statement.bind(number, at: index)
        case .text: statement.bind(text: arena.cell(value).bytes, at: index)
        case .blob: statement.bind(blob: arena.cell(value).bytes, at: index)
        }
    }

    /// Returns an attribute's value in the form that predicates evaluate.
    package func evaluated(_ value: StoredValue, _ type: AttributeType) -> EvaluatedValue {
        switch value {
        case .null: .null
        case .integer(let number):
            switch type {
            case .boolean: .boolean(number != 0)
            case .date: .date(Double(number))
            case .double, .float, .decimal: .double(Double(number))
            default: .integer(number)
            }
        case .real(let number): type == .date ? .date(number) : .double(number)
        case .text: type == .decimal ? .decimal(cell(value).bytes) : .text(cell(value).bytes)
        case .blob: type == .uuid ? .uuid(cell(value).bytes) : .binary(cell(value).bytes)
        }
    }
}
