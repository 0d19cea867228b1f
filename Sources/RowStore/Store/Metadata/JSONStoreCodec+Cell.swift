import FoundationEssentials
import GraphModel
import SQLite

extension JSONStoreCodec {
    /// A value of a row.
    struct Cell: Codable {
        let value: StoredValue

        private enum CodingKeys: String, CodingKey { case real, blob }

        init(_ rows: Statement, _ column: Int32) {
            value = rows.value(column)
        }

        init(from decoder: any Decoder) throws {
            // The type of a JSON value is found by trying each in turn; only the last attempt
            // throws.
            if let tagged = try? decoder.container(keyedBy: CodingKeys.self) {
                value = try Self.tagged(tagged)
                return
            }
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                value = .null
            } else if let text = try? container.decode(String.self) {
                value = .text(text)
            } else {
                value = .integer(try container.decode(Int64.self))
            }
        }

        private static func tagged(
            _ container: KeyedDecodingContainer<CodingKeys>
        ) throws -> StoredValue {
            if let text = try container.decodeIfPresent(String.self, forKey: .real) {
                guard let number = Double(text) else {
                    throw DecodingError.dataCorruptedError(
                        forKey: .real, in: container, debugDescription: "'\(text)' is not a number")
                }
                return .real(number)
            }
            return .blob([UInt8](try container.decode(Data.self, forKey: .blob)))
        }

        func encode(to encoder: any Encoder) throws {
            switch value {
            case .null:
                var container = encoder.singleValueContainer()
                try container.encodeNil()
            case .integer(let number):
                var container = encoder.singleValueContainer()
                try container.encode(number)
            case .text(let text):
                var container = encoder.singleValueContainer()
                try container.encode(text)
            case .real(let number):
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode("\(number)", forKey: .real)
            case .blob(let bytes):
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(Data(bytes), forKey: .blob)
            }
        }
    }
}
