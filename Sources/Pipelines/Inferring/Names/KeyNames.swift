/// Rules about field names that may be keys; all names are folded.
enum KeyNames {
    /// Names of identifiers, which are text even if they contain only digits.
    private static let codes: Set<String> = [
        "code", "sku", "isbn", "ean", "gtin", "upc", "iban", "slug", "symbol", "serial", "barcode",
        "serialnumber", "iso", "isocode", "reference",
    ]
    private static let accounts: Set<String> = [
        "email", "emailaddress", "mail", "username", "login", "handle", "nickname",
    ]
    private static let numbers: Set<String> = ["number", "no", "nr", "num", "nummer"]

    /// Words in the names of columns that do not identify records, even if the column is the first.
    private static let others = [
        "title", "description", "text", "note", "comment", "date", "time", "day", "month", "year",
        "created", "updated", "amount", "price", "total", "quantity", "count", "size", "status",
        "type", "kind", "value", "zip", "postal", "phone", "fax", "lat", "lon", "score",
        "first", "last", "age", "address", "street", "city", "country", "category",
    ]

    /// Whether a name that does not end in `id` makes a field a candidate key.
    static func mayBeKey(_ name: String) -> Bool {
        rank(name, of: "") != nil
            || ["code", "number", "no", "key"].contains(where: name.hasSuffix)
    }

    /// Returns whether values under that name are codes, which are text even if they are digits.
    static func isCode(_ name: String) -> Bool { codes.contains(name) || name.hasSuffix("code") }

    /// Returns the rank of a name as an entity's key, from 0, the likeliest; `nil` for other names.
    ///
    /// Rank 3 is reserved for names that end in `id`, which the name alone does not decide.
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

    /// Names of fields that identify items only within a list.
    private static let positions: Set<String> = [
        "position", "pos", "index", "idx", "line", "lineno", "linenumber", "seq", "sequence",
        "sequencenumber", "order", "ordinal", "rank", "nr", "no", "item", "step", "year", "month",
        "week", "quarter", "day", "date", "version", "revision", "page",
    ]

    /// Whether the name is that of a document number and not of a position in a list.
    static func isNumber(_ name: String) -> Bool {
        numbers.contains(name) && !positions.contains(name)
    }

    /// Whether fields of that name are unique only within a list or together with another field.
    static func isPosition(_ name: String) -> Bool { positions.contains(name) }

    /// The highest rank of names that mean the ID of these records, whatever the values are.
    static let lastOfOwnIDs = 2

    /// The highest rank of names that mean an ID in any table.
    static let lastOfIDs = 3

    /// The rank of a first column that is a number of something, such as `Kundennr`: before `name`.
    static let numberOfOther = 7

    /// Whether a name ends with a word for a number.
    static func endsAsNumber(_ name: String) -> Bool {
        numbers.contains { name.hasSuffix($0) && name.count > $0.count + 2 }
    }

    /// The rank of the key that etl computed for the records of an export.
    static let exported = 1

    /// The rank of the first column of a table.
    static let firstColumn = 9

    /// Whether the first column may be the key under that name.
    static func mayBeFirst(_ name: String) -> Bool {
        name.count > 1 && !others.contains(where: name.contains)
    }
}
