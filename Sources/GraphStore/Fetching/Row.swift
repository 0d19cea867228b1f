public import GraphModel

/// One row of a result that is made of values, not of objects.
///
/// May be sent anywhere; it does not follow later changes.
public struct Row: Sendable, Hashable {
    /// What the rows of one result have in common.
    final class Header: Sendable, Hashable {
        let names: [String]
        let places: [String: Int]

        init(_ names: [String]) {
            self.names = names
            places = Dictionary(
                names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
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
    /// How many columns there are.
    public var count: Int { values.count }

    /// A column's value, from 0.
    public subscript(index: Int) -> GraphValue { values[index] }

    /// A column's value by its name; nil where there is no such column.
    public subscript(name: String) -> GraphValue? {
        header.places[name].map { values[$0] }
    }

    /// A column's value as a Swift type; nil where it has none, or one of another type.
    public func value<Value: AttributeValue>(
        _ name: String, as type: Value.Type = Value.self
    ) -> Value? {
        self[name].flatMap { Value(storedValue: $0.stored) }
    }

    /// The object that a to-one, or `objectID`, stands for.
    public func objectID(_ name: String) -> ManagedObjectID? {
        if case .object(let id)? = self[name] { id } else { nil }
    }

    /// The row as a struct whose properties are named as the columns are.
    public func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try type.init(from: RowDecoder(row: self))
    }
}
