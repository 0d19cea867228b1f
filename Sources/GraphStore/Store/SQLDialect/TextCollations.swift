import GraphModel
import SQLite

/// The orders of texts that SQLite does not have, as collations.
enum TextCollations {
    /// How their names begin.
    static let prefix = "ETL_TEXT_"

    /// The name after COLLATE; nil for the order of bytes, which columns have anyway.
    static func name(_ order: GraphSortDescriptor.TextOrder) -> String? {
        switch order {
        case .binary: nil
        case .caseInsensitive: prefix + "C"
        case .caseAndDiacriticInsensitive: prefix + "CD"
        case .localizedStandard: prefix + "STANDARD"
        }
    }

    static func register(on connection: Connection) throws(StoreError) {
        for order in GraphSortDescriptor.TextOrder.allCases {
            guard let name = name(order) else { continue }
            try connection.register(
                Collation(name) { TextCollation.compare($0, $1, order: order, unless: $2) })
        }
    }
}
