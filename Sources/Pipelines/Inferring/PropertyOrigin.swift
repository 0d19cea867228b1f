import GraphModel

/// What the import that created a property knew of its column, in the property's user info.
///
/// A later import of a changed file reads the column in the same way. User info is in no version
/// hash, so it changes no store.
struct PropertyOrigin: Equatable {
    /// The column as its file has it: the path of a field, if it is not the property's name.
    var column: String?
    /// The pattern of its dates.
    var date: String?
    /// How its numbers are written.
    var number: TypeGuess.Number?
    /// The texts of its column that stand for null, besides the empty one.
    var nulls: [String] = []
    /// The fields of which a row key is made.
    var rowKey: RowKeyFields?
    /// Those that every record had, if that is not all of them.
    var needed: RowKeyFields?

    private static let columnKey = "etl.column"
    private static let dateKey = "etl.date"
    private static let numberKey = "etl.number"
    private static let nullKey = "etl.null"
    private static let rowKeyKey = "etl.row-key"
    private static let neededKey = "etl.row-key-needs"

    /// - Parameter column: the path of the field that fills the property.
    init(_ column: String, fills property: String) {
        self.column = column == property || column.isEmpty ? nil : column
    }

    init(_ userInfo: [String: String]) {
        column = userInfo[Self.columnKey]
        date = userInfo[Self.dateKey]
        number = userInfo[Self.numberKey].flatMap(TypeGuess.Number.init(example:))
        // No field of a table without quotes holds a line feed.
        nulls = userInfo[Self.nullKey]?.split(separator: "\n").map(String.init) ?? []
        rowKey = userInfo[Self.rowKeyKey].flatMap(RowKeyFields.init(parsing:))
        needed = userInfo[Self.neededKey].flatMap(RowKeyFields.init(parsing:))
    }

    /// Whether it is known how the values are written.
    var hasFormat: Bool { date != nil || number != nil }

    /// The entries of the user info.
    var entries: [(key: String, value: String)] {
        let all = [
            (Self.columnKey, column), (Self.dateKey, date), (Self.numberKey, number?.example),
            (Self.nullKey, nulls.isEmpty ? nil : nulls.joined(separator: "\n")),
            (Self.rowKeyKey, rowKey?.expression), (Self.neededKey, needed?.expression),
        ]
        return all.compactMap { key, value in value.map { (key, $0) } }
    }

    /// Returns the user info of a property that gets another name.
    static func userInfo(
        _ userInfo: [String: String], of column: String, fills property: String
    ) -> [String: String] {
        var origin = PropertyOrigin(userInfo)
        origin.column = PropertyOrigin(column, fills: property).column
        return Dictionary(uniqueKeysWithValues: origin.entries.map { ($0.key, $0.value) })
    }
}

extension TypeGuess.Number {
    /// A unit, or a number in the form: `1.234,5`.
    fileprivate var example: String {
        switch self {
        case .seconds: "seconds"
        case .milliseconds: "milliseconds"
        case .text(let form):
            "1\(form.thousands.map { String($0) } ?? "")234\(form.decimal)5"
        }
    }

    fileprivate init?(example: String) {
        switch example {
        case "seconds": self = .seconds
        case "milliseconds": self = .milliseconds
        default:
            let signs = Array(example)
            guard signs.count == 6 || signs.count == 7 else { return nil }
            self = .text(
                NumberForms.Form(
                    decimal: signs[signs.count - 2], thousands: signs.count == 7 ? signs[1] : nil))
        }
    }
}
