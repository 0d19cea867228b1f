public import GraphModel

/// One row of a result that contains values instead of objects.
///
/// A row is `Sendable` and does not reflect later changes.
public struct Row: Sendable, Hashable {
    /// The column names that all rows of a result share.
    final class Header: Sendable, Hashable {
        let names: [String]
        let places: [String: Int]

        init(_ names: [String]) {
            self.names = names
            places = Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
        }

        static func == (left: Header, right: Header) -> Bool {
            left === right || left.names == right.names
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(names)
        }
    }

    let header: Header
    /// The values, in the order of the columns.
    public let values: [GraphValue]

    /// The names of the columns.
    public var names: [String] { header.names }
    /// The number of columns.
    public var count: Int { values.count }

    /// The value of the column at an index, from 0.
    public subscript(index: Int) -> GraphValue { values[index] }

    /// The value of a column by name; `nil` if the column does not exist.
    public subscript(name: String) -> GraphValue? {
        header.places[name].map { values[$0] }
    }

    /// Returns a column's value as a Swift type; `nil` without a value or if the type differs.
    public func value<Value: AttributeValue>(
        _ name: String, as type: Value.Type = Value.self
    ) -> Value? {
        self[name].flatMap { Value(storedValue: $0.stored) }
    }

    /// Returns the object ID in the column of a to-one or of `objectID`.
    public func objectID(_ name: String) -> ManagedObjectID? {
        if case .object(let id)? = self[name] { id } else { nil }
    }

    /// Decodes the row as a type whose property names match the columns.
    public func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try type.init(from: RowDecoder(row: self))
    }
}
