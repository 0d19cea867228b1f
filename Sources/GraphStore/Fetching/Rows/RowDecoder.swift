import FoundationEssentials
import GraphModel

/// Decodes a `Decodable` type from a row; its keys are the column names.
struct RowDecoder: Decoder {
    let row: Row
    /// The column to decode; `nil` for the complete row.
    var column: Int?
    var codingPath: [any CodingKey] = []
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(
        keyedBy type: Key.Type
    ) throws -> KeyedDecodingContainer<Key> {
        guard column == nil else { throw noContainer() }
        return KeyedDecodingContainer(KeyedRow<Key>(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw noContainer()
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        guard let column else { throw noContainer() }
        return Cell(value: row.values[column], decoder: self)
    }

    private func noContainer() -> DecodingError {
        .dataCorrupted(
            .init(codingPath: codingPath, debugDescription: "A row holds single values"))
    }

    /// A single value of a row.
    struct Cell: SingleValueDecodingContainer {
        let value: GraphValue
        let decoder: RowDecoder
        var codingPath: [any CodingKey] { decoder.codingPath }

        func decodeNil() -> Bool { value == .null }

        func decode<T: Decodable>(_ type: T.Type) throws -> T {
            if type is ManagedObjectID.Type, case .object(let id) = value, let id = id as? T {
                return id
            }
            if type is GraphValue.Type, let value = value as? T { return value }
            if let known = type as? any AttributeValue.Type {
                guard value != .null, let found = known.init(storedValue: value.stored) as? T
                else { throw mismatch(type) }
                return found
            }
            if let known = type as? any FixedWidthInteger.Type {
                guard case .integer(let number) = value.stored,
                    let found = known.init(exactly: number) as? T
                else { throw mismatch(type) }
                return found
            }
            return try type.init(from: decoder)
        }

        private func mismatch(_ type: Any.Type) -> DecodingError {
            let context = DecodingError.Context(
                codingPath: codingPath, debugDescription: "\(value) is not of type \(type)")
            return value == .null
                ? .valueNotFound(type, context) : .typeMismatch(type, context)
        }
    }
}

/// The values of a row by column name.
private struct KeyedRow<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: RowDecoder
    var codingPath: [any CodingKey] { decoder.codingPath }
    var allKeys: [Key] { decoder.row.names.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { decoder.row[key.stringValue] != nil }

    func decodeNil(forKey key: Key) throws -> Bool { try cell(key).decodeNil() }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try cell(key).decode(type)
    }

    private func cell(_ key: Key) throws -> RowDecoder.Cell {
        guard let place = decoder.row.header.places[key.stringValue] else {
            throw DecodingError.keyNotFound(
                key,
                .init(
                    codingPath: codingPath,
                    debugDescription: "The row has no column '\(key.stringValue)'"))
        }
        let inner = RowDecoder(
            row: decoder.row, column: place, codingPath: codingPath + [key])
        return RowDecoder.Cell(value: decoder.row.values[place], decoder: inner)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try cell(key).decoder.container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try cell(key).decoder.unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { decoder }

    func superDecoder(forKey key: Key) throws -> any Decoder { try cell(key).decoder }
}
