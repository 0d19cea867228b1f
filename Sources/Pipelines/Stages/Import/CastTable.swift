import GraphModel

/// The accepted values of each attribute type.
enum CastTable {
    static let rows: [(types: [AttributeType], accepts: String)] = [
        (
            [.integer16, .integer32, .integer64],
            "`-?(0|[1-9][0-9]*)` within the type's range, or a JSON number without a fraction; so "
                + "neither `007` nor `1.9`"
        ),
        (
            [.double, .float],
            "a JSON number, or text that is written like one; never infinite. The value is the "
                + "nearest one of the type, so digits can be lost: a Double holds 15 to 17, and a "
                + "Float 6 to 9. An export writes the Float of 0.15 as 0.15000000596046448. SQLite "
                + "stores `-0.0` as `0.0`"
        ),
        (
            [.decimal],
            "a JSON number, or text that is written like one. The digits are kept: a number with "
                + "more than a double holds (15 to 17) is rejected, unless the store has "
                + "`exact-decimals`, which keep 38"
        ),
        ([.boolean], "JSON's true and false; true/false, yes/no, 1/0 in any case; JSON's 1 and 0"),
        ([.uuid], "32 hexadecimal digits in five groups with hyphens, in any case"),
        (
            [.date],
            "ISO 8601: an offset is converted, a date alone is 00:00 UTC, and without an offset "
                + "it is UTC; see `date`, `zone`, and `number` for others. From 1729 to 2272 the "
                + "fraction of a second is kept to the microsecond, and further digits become the "
                + "nearest double, but never one in the next second; in other years a fraction "
                + "that a double of seconds cannot store is rejected"
        ),
        ([.binary], "base64"),
        ([.string], "JSON strings; JSON numbers with their original digits"),
        ([.uri], "text with a scheme"),
        (
            [.transformable],
            "any JSON value; where the transformer is not `json`, base64 of the bytes that it reads"
        ),
    ]

    /// The values that `cast: lossy` accepts in addition.
    static let coercedRows: [(types: [AttributeType], accepts: String)] = [
        (
            [.integer16, .integer32, .integer64],
            "white space around the number, a plus sign, leading zeros, text such as `5.0` and "
                + "`1e2`; a fraction is dropped"
        ),
        ([.double, .float], "white space around the number, a plus sign, leading zeros"),
        (
            [.decimal],
            "the same, and more digits than the store keeps: the nearest double is taken"
        ),
        (
            [.boolean],
            "t/f, y/n, on/off in any case, white space around the word; any number, of which 0 is "
                + "false"
        ),
        (
            [.uuid],
            "32 hexadecimal digits without hyphens, or with hyphens elsewhere, and in braces"
        ),
        (
            [.date],
            "a fraction of a second that is not kept: it is rounded, but never into the next second"
        ),
        ([.string], "true and false; nested JSON as its text"),
    ]

    /// The tables with their heading.
    static var text: String {
        var text = """
            ## Casts

            A value is converted to the type of its attribute without loss, except for digits \
            that a Double, a Float, or a Date cannot hold. If that is not possible, the record is \
            rejected with the code `cast`.

            | attribute | takes |
            |---|---|

            """
        text += table(rows)
        text += """

            `cast: lossy` coerces values. A number outside its attribute's range, or a value that \
            cannot be converted at all, is still rejected.

            | attribute | takes besides |
            |---|---|

            """
        return text + table(coercedRows)
    }

    private static func table(_ rows: [(types: [AttributeType], accepts: String)]) -> String {
        rows.map { types, accepts in
            let names = types.map(\.rawValue).joined(separator: ", ")
            return "| \(names) | \(MarkdownText.cell(accepts)) |\n"
        }.joined()
    }
}
