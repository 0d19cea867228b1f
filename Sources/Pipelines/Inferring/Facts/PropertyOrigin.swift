/// The source column of a property and its formats, as the first import stored them in user info.
///
/// A later import of a changed file reads the column in the same way. User info is not part of
/// version hashes, so it does not change the store's version.
struct PropertyOrigin: Equatable {
    /// The column's name in its file, or the path of a field, if it is not the property's name.
    var column: String?
    /// The pattern of its dates.
    var date: String?
    /// The format of its numbers.
    var number: TypeGuess.Number?
    /// The texts of the column that mean null, in addition to the empty text.
    var nulls: [String] = []
    /// Whether keys that belong to no object leave a link empty and are reported.
    var reportsMissing = false
    /// The fields that the row key consists of.
    var rowKey: RowKeyFields?
    /// The fields of the row key that every record had, if not all of them did.
    var needed: RowKeyFields?

    private static let columnKey = "etl.column"
    private static let dateKey = "etl.date"
    private static let numberKey = "etl.number"
    private static let nullKey = "etl.null"
    private static let missingKey = "etl.missing"
    private static let missingReport = "report"
    private static let rowKeyKey = "etl.row-key"
    private static let neededKey = "etl.row-key-needs"

    /// Creates the origin of a property; it stores the column only if its name differs from the
    /// property's.
    ///
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
        reportsMissing = userInfo[Self.missingKey] == Self.missingReport
        rowKey = userInfo[Self.rowKeyKey].flatMap(RowKeyFields.init(parsing:))
        needed = userInfo[Self.neededKey].flatMap(RowKeyFields.init(parsing:))
    }

    /// Whether the format of the values is known.
    var hasFormat: Bool { date != nil || number != nil }

    /// The entries of the user info.
    var entries: [(key: String, value: String)] {
        let all = [
            (Self.columnKey, column), (Self.dateKey, date), (Self.numberKey, number?.example),
            (Self.nullKey, nulls.isEmpty ? nil : nulls.joined(separator: "\n")),
            (Self.missingKey, reportsMissing ? Self.missingReport : nil),
            (Self.rowKeyKey, rowKey?.expression), (Self.neededKey, needed?.expression),
        ]
        return all.compactMap { key, value in value.map { (key, $0) } }
    }

    /// Returns the user info of a property that was renamed.
    static func userInfo(
        _ userInfo: [String: String], of column: String, fills property: String
    ) -> [String: String] {
        var origin = PropertyOrigin(userInfo)
        origin.column = PropertyOrigin(column, fills: property).column
        return Dictionary(uniqueKeysWithValues: origin.entries.map { ($0.key, $0.value) })
    }
}

/// How the first import read the tables of an entity, as it stored it in the entity's user info.
struct TableOrigin: Equatable {
    /// The byte that makes the next character literal.
    var escape: UInt8?

    private static let escapeKey = "etl.escape"

    init(escape: UInt8?) { self.escape = escape }

    init(_ userInfo: [String: String]) {
        let bytes = Array((userInfo[Self.escapeKey] ?? "").utf8)
        escape = bytes.count == 1 ? bytes[0] : nil
    }

    /// The entries of the user info.
    var entries: [(key: String, value: String)] {
        escape.map { [(Self.escapeKey, String(Unicode.Scalar($0)))] } ?? []
    }
}

extension TypeGuess.Number {
    /// A unit, or a number in the format: `1.234,5`.
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
