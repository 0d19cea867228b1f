import GraphModel
import SQLite

/// The collations for string orders that SQLite does not provide.
enum TextCollations {
    /// The prefix of the collation names.
    static let prefix = "ETL_TEXT_"

    /// Returns the collation's name; `nil` for the binary order, which is the default of columns.
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

/// The collation that orders exact decimals, which are stored as canonical strings, by value.
enum DecimalCollation {
    static let name = "ETL_DECIMAL"

    static func register(on connection: Connection) throws(StoreError) {
        try connection.register(
            Collation(name) { left, right, _ in ExactDecimal.order(ofTexts: left, right) })
    }
}
