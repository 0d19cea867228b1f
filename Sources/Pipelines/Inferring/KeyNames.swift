/// What names of fields say about keys; all of them folded.
enum KeyNames {
    /// Names of identifiers, which are no numbers although they may have digits alone.
    private static let codes: Set<String> = [
        "code", "sku", "isbn", "ean", "gtin", "upc", "iban", "slug", "symbol", "serial", "barcode",
        "serialnumber", "iso", "isocode", "reference",
    ]
    private static let accounts: Set<String> = [
        "email", "emailaddress", "mail", "username", "login", "handle", "nickname",
    ]
    private static let numbers: Set<String> = ["number", "no", "nr", "num"]

    /// What stands first in many a table, and tells nothing apart.
    private static let others = [
        "title", "description", "text", "note", "comment", "date", "time", "day", "month", "year",
        "created", "updated", "amount", "price", "total", "quantity", "count", "size", "status",
        "type", "kind", "value", "zip", "postal", "phone", "fax", "lat", "lon", "score",
        "first", "last", "age", "address", "street", "city", "country", "category",
    ]

    /// Whether a name alone makes a field worth a look, besides those that end in `id`.
    static func mayBeKey(_ name: String) -> Bool {
        rank(name, of: "") != nil
            || ["code", "number", "no", "key"].contains(where: name.hasSuffix)
    }

    /// Whether digits under that name are text all the same.
    static func isCode(_ name: String) -> Bool { codes.contains(name) || name.hasSuffix("code") }

    /// How likely a name is that of an entity's key, best first; nil for other names.
    ///
    /// Rank 3 is that of names that end in `id`, which take more than the name to judge.
    static func rank(_ name: String, of entity: String) -> Int? {
        switch name {
        case "id": return 0
        case "uuid", "guid": return 1
        case "key": return 4
        case "name": return 8
        default: break
        }
        if !entity.isEmpty, name.hasPrefix(entity) {
            switch name.dropFirst(entity.count) {
            case "id", "uuid", "key": return 2
            case "code", "number", "no", "nr": return 4
            default: break
            }
        }
        if codes.contains(name) { return 5 }
        if accounts.contains(name) { return 6 }
        return numbers.contains(name) ? 7 : nil
    }

    /// Names of what tells things apart only in a list.
    private static let positions: Set<String> = [
        "position", "pos", "index", "idx", "line", "lineno", "linenumber", "seq", "sequence",
        "sequencenumber", "order", "ordinal", "rank", "nr", "no", "item", "step", "year", "month",
        "week", "quarter", "day", "date", "version", "revision", "page",
    ]

    /// Whether the name is that of a document's number, and not of a place in a list.
    static func isNumber(_ name: String) -> Bool {
        numbers.contains(name) && !positions.contains(name)
    }

    /// Whether things are told apart by that name only in a list, or along with another field.
    static func isPosition(_ name: String) -> Bool { positions.contains(name) }

    /// The rank of the last names that mean the ID of these records, whatever their values are.
    static let lastOfOwnIDs = 2

    /// The rank of the last names that mean an ID, which is one everywhere.
    static let lastOfIDs = 3

    /// The rank of a first column that is a number of something, such as `Kundennr`: before `name`.
    static let numberOfOther = 7

    /// Whether a name ends as that of a number does.
    static func endsAsNumber(_ name: String) -> Bool {
        numbers.contains { name.hasSuffix($0) && name.count > $0.count + 2 }
    }

    /// The rank of the first column of a table.
    static let firstColumn = 9

    /// Whether the first column may be the key under that name.
    static func mayBeFirst(_ name: String) -> Bool {
        name.count > 1 && !others.contains(where: name.contains)
    }
}
