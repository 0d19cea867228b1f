package import Diagnostics
import RecordStreams

/// The keys of what fills an attribute: the long form of `set`, and that of `by`.
enum FieldKeys {
    static let from = Key(
        "from", .text, without: "the field that has the attribute's name",
        "The path of a field, such as `owner.email`; under `by` it must be named.",
        example: "owner.email")
    static let expression = Key(
        "expr", .expression,
        """
        Computes the value from the record, in place of `from`. `rowkey()` alone is a key for \
        records without an identifying field: the SHA-256 of all fields, followed by `-2` and so on \
        for equal records of one file. Equal records then stay separate objects, and reading the \
        same file again changes nothing. `rowkey("day", "what")` covers these fields alone, with \
        the result that `rowkey()` has for records without other ones, so a file with one more \
        column has the same keys. Paths such as `owner.name` name fields inside objects of JSON. \
        A table without one of the columns is an error (78).
        """, example: "\"coalesce(title, 'Untitled')\"")
    static let need = Key(
        "need", .boolean, default: false, "Rejects a record without a value.", example: "true")
    static let fallback = Key(
        "default", FieldMapping.fallbackForm, "The value if the field is absent or null.",
        example: "Untitled")
    static let clean = Key(
        "clean", .oneOrMore(.choice(FieldMapping.Cleaning.self)),
        "Clean-up steps for text, applied first and in this order.", example: "[trim, lower]")
    static let date = Key(
        "date", FieldMapping.dateForm, without: "ISO 8601",
        "The format of a date, in Unicode's letters: y M d H h m s S a X.", example: "dd.MM.yyyy")
    static let zone = Key(
        "zone", FieldMapping.zoneForm, without: "UTC", "The offset of dates that have none.",
        example: "\"+02:00\"")
    static let number = Key(
        "number",
        .either(
            FieldMapping.NumberForm.epoch,
            or: .mapping(NumberKeys.mapping) { FieldMapping.NumberForm($0) }),
        without: "as JSON has it", "The format of a number, or the date that it stands for.",
        example: "milliseconds")
    static let split = Key(
        "split", .text,
        #"""
        Splits text into a list at this separator. A separator after a backslash is part of the text \#
        (`a\|b`), and a backslash right before a separator is written twice. Exports write lists in \#
        tables in this form.
        """#, example: "\"|\"")
    static let map = Key(
        "map", FieldMapping.mapForm, "Maps texts to values; any other text is rejected.",
        example: "{ done: true, open: false }")
    static let cast = Key(
        "cast", .choice(FieldMapping.CastRule.self), default: .lossless,
        "What to do with a value that does not fit the type.", example: "lossy")
    static let all: [any SpecificationKey] = [
        from, expression, need, fallback, clean, date, zone, number, split, map, cast,
    ]
    static let constant = Key(
        "const", .constant, "The value for every record, in place of a field.",
        example: "imported")

    static let mapping = SpecificationMapping(
        "field", title: "set.ATTRIBUTE",
        "The source of a value, and how to convert it before it is stored.",
        keys: all + [constant])
    static let keyMapping = SpecificationMapping(
        "keyField", title: "link.RELATIONSHIP.by.ATTRIBUTE",
        """
        The source of an attribute by which an object is looked up: the keys of \
        [set.ATTRIBUTE](#setattribute) except `const`. One of `from` and `expr` is required.
        """, keys: all, hasTable: false)
}

/// The keys of `number`.
enum NumberKeys {
    static let decimal = Key(
        "decimal", FieldMapping.NumberForm.sign, default: ".", "The decimal separator.",
        example: "\",\"")
    static let thousands = Key(
        "thousands", FieldMapping.NumberForm.sign,
        "The optional separator between groups of digits.", example: "\"'\"")
    static let mapping = SpecificationMapping(
        "number", title: "set.ATTRIBUTE.number", "The format of a number that JSON does not allow.",
        keys: [decimal, thousands])
}

/// How one field of a record becomes a value: the long form of `set` and of `by`.
package struct FieldMapping: Sendable, Hashable {
    /// The path into the record; for an expression, the property that it fills.
    package var source: PlacedText
    /// Computes the field, in place of a path.
    package var expression: ExpressionText?
    /// A record without a value is rejected.
    package var isNeeded = FieldKeys.need.default
    /// Stands in for an absent field and for null.
    package var fallback: Fallback?
    /// What is done to text before anything else, in this order.
    package var clean: [Cleaning] = []
    /// A Unicode date pattern.
    package var datePattern: PlacedText?
    /// The offset of dates that name none, in seconds east of UTC.
    package var zone: Zone?
    /// How numbers are written.
    package var number: NumberForm?
    /// Values that do not fit are bent until they do.
    package var isLossy = false
    /// Text is cut at this into a list.
    package var separator: PlacedText?
    /// Values by the text that stands for them.
    package var map: [MapEntry]?
}

extension FieldMapping {
    /// The fields that the value is made of as a whole, which no expression sees.
    var rowKey: RowKeyFields? { expression.flatMap { RowKeyFields(parsing: $0.text) } }

    /// Whether the value is a row key.
    package var isRowKey: Bool { rowKey != nil }

    /// One step of `clean`.
    package enum Cleaning: String, ExplainedChoice {
        case trim, lower, upper, nfc, collapse

        package var meaning: String {
            switch self {
            case .trim: "Removes white space at both ends."
            case .lower: "Changes letters to lower case."
            case .upper: "Changes letters to upper case."
            case .nfc: "Normalizes to Unicode's composed form (NFC)."
            case .collapse: "Replaces each run of white space with one space."
            }
        }
    }

    /// Whether values are bent to fit their attribute.
    package enum CastRule: String, ExplainedChoice {
        case lossless, lossy

        package var meaning: String {
            switch self {
            case .lossless: "Rejects the record."
            case .lossy: "Coerces the value if possible. Out-of-range values are still rejected."
            }
        }
    }

    /// A constant with its place.
    package struct Fallback: Sendable, Hashable {
        package var value: ConstantValue
        package var location: SourceLocation
    }

    /// An offset from UTC with its place.
    package struct Zone: Sendable, Hashable {
        package var seconds: Int
        package var location: SourceLocation
    }

    /// How a number is written.
    package struct NumberForm: Sendable, Hashable {
        /// Numbers that tell a date.
        package enum Epoch: String, ExplainedChoice {
            case seconds, milliseconds

            package var meaning: String {
                switch self {
                case .seconds: "Seconds since 1970, for dates."
                case .milliseconds: "Milliseconds since 1970, for dates."
                }
            }
        }

        /// What the number is.
        package enum Kind: Sendable, Hashable {
            /// Seconds since 1970, for dates.
            case seconds
            /// Milliseconds since 1970, for dates.
            case milliseconds
            /// Digits with these signs between them.
            case text(decimal: String, thousands: String?)
        }

        package var kind: Kind
        package var location: SourceLocation

        /// Whether it tells a date.
        package var isEpoch: Bool { kind == .seconds || kind == .milliseconds }
    }
}

/// One line of a `map`.
package struct MapEntry: Sendable, Hashable {
    /// The text in the record.
    package var from: String
    /// What it stands for.
    package var to: ConstantValue
    /// Where the value stands.
    package var location: SourceLocation
}

/// What fills one attribute.
package struct AttributeMapping: Sendable, Hashable {
    /// Where the value comes from.
    package enum Origin: Sendable, Hashable {
        case field(FieldMapping)
        /// The element of a composite that a field fills as a whole, which a record may lack.
        case element(PlacedText, whole: PlacedText)
        case constant(ConstantValue, SourceLocation)
        /// What stands there cannot be read, which is reported.
        case unreadable
    }

    /// The attribute's name, with the place of its key.
    package var attribute: PlacedText
    /// Where the value comes from.
    package var origin: Origin
}

/// The fields that a row key is made of: all fields for `rowkey()`, and some for `rowkey("a", "b")`.
///
/// The key of some fields is that of a record which has no other ones, so a column that is added to
/// a file changes no key.
package struct RowKeyFields: Sendable, Hashable {
    /// The columns, or the paths of fields in JSON; empty for all.
    let names: [String]

    init(_ names: [String]) {
        self.names = names
    }

    /// Reads `rowkey("a", "b")`; nil for other expressions.
    init?(parsing expression: String) {
        var rest = Substring(expression)
        func skipSpace() { rest = rest.drop(while: \.isWhitespace) }
        skipSpace()
        guard rest.hasPrefix("rowkey") else { return nil }
        rest = rest.dropFirst("rowkey".count)
        skipSpace()
        guard rest.popFirst() == "(" else { return nil }
        var names: [String] = []
        skipSpace()
        while let quote = rest.first, quote == "\"" || quote == "'" {
            rest.removeFirst()
            var name = ""
            while let character = rest.first, character != quote {
                rest.removeFirst()
                if character == "\\", let next = rest.popFirst() {
                    name.append(next)
                } else {
                    name.append(character)
                }
            }
            guard rest.popFirst() != nil, !name.isEmpty else { return nil }
            names.append(name)
            skipSpace()
            guard rest.first == "," else { break }
            rest.removeFirst()
            skipSpace()
            guard rest.first == "\"" || rest.first == "'" else { return nil }
        }
        guard rest.popFirst() == ")" else { return nil }
        skipSpace()
        guard rest.isEmpty else { return nil }
        self.names = names
    }

    /// The expression that stands for the fields.
    var expression: String {
        let texts = names.map { name in
            "\"" + name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
        }
        return "rowkey(\(texts.joined(separator: ", ")))"
    }
}
