import GraphModel

/// What each type of attribute takes from a record.
enum CastTable {
    static let rows: [(types: [AttributeType], accepts: String)] = [
        (
            [.integer16, .integer32, .integer64],
            "`-?(0|[1-9][0-9]*)` within the type's range, or a JSON number that is whole; so "
                + "neither `007` nor `1.9`"
        ),
        ([.double, .float], "a JSON number, or text that is written like one; never infinite"),
        (
            [.decimal],
            "the same; the digits are kept: a number with more than a double holds (15 to 17) is "
                + "rejected, unless the store has `exact-decimals`, which keep 38"
        ),
        ([.boolean], "JSON's true and false; true/false, yes/no, 1/0 in any case; JSON's 1 and 0"),
        ([.uuid], "32 hexadecimal digits in five groups with hyphens, in any case"),
        (
            [.date],
            "ISO 8601: an offset is converted, a date alone is 00:00 UTC, and without an offset "
                + "it is UTC; see `date`, `zone` and `number` for others"
        ),
        ([.binary], "base64"),
        ([.string], "JSON strings; JSON numbers as they are written"),
        ([.uri], "text with a scheme"),
        ([.transformable], "any JSON value where the transformer is `json`"),
    ]

    /// The table, under its title.
    static var text: String {
        var text = """
            ## Casts

            A value becomes what its attribute is without losing anything, or the record is \
            refused with the code `cast`. `cast: lossy` bends it.

            | attribute | takes |
            |---|---|

            """
        for (types, accepts) in rows {
            let names = types.map(\.rawValue).joined(separator: ", ")
            text += "| \(names) | \(MarkdownText.cell(accepts)) |\n"
        }
        return text
    }
}
