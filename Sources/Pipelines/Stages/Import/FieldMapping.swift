package import Diagnostics
import RecordStreams

/// The keys of a field mapping: the long form of `set` and of `by`.
enum FieldKeys {
    static let from = Key(
        "from", .text, without: "the field that has the attribute's name",
        "The path of a field, such as `owner.email`; under `by` it must be named.",
        example: "owner.email")
    static let expression = Key(
        "expr", .expression,
        """
        Computes the value from the record instead of `from`. `rowkey()` alone is a key for \
        records without an identifying field. It is the SHA-256 of all fields in their written \
        form, so that `1` and `1.0` differ. Equal records of one file get `-2` and so on after it. \
        They stay separate objects, and reading the same file again changes nothing. \
        `rowkey("day", "what")` covers these fields alone, with the result that `rowkey()` has for \
        records without other ones, so a file with one more column has the same keys. Paths such \
        as `owner.name` name fields inside objects of JSON. A table without one of the columns is \
        an error (78).
        """, example: "\"coalesce(title, 'Untitled')\"")
    static let need = Key(
        "need", .boolean, default: false, "Rejects a record without a value.", example: "true")
    static let fallback = Key(
        "default", FieldMapping.fallbackForm,
        "The value if the field is absent or null. A column must be in a table's header.",
        example: "Untitled")
    static let clean = Key(
        "clean", .oneOrMore(.choice(FieldMapping.Cleaning.self)),
        "Clean-up steps for text, applied first and in this order.", example: "[trim, lower]")
    static let date = Key(
        "date", FieldMapping.dateForm, without: "ISO 8601",
        """
        The format of a date, in Unicode's letters: y M d H h m s S a X. `yy` is a year from 1950 to \
        2049.
        """, example: "dd.MM.yyyy")
    static let zone = Key(
        "zone", FieldMapping.zoneForm, without: "UTC", "The offset of dates without an offset.",
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
        "const", .constant, "The value for every record, instead of a field.",
        example: "imported")

    static let mapping = DescribedMapping(
        "field", title: "set.ATTRIBUTE",
        "The source of a value, and how to convert it before it is stored.",
        keys: all + [constant])
    static let keyMapping = DescribedMapping(
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
    static let mapping = DescribedMapping(
        "number", title: "set.ATTRIBUTE.number", "The format of a number that JSON does not allow.",
        keys: [decimal, thousands])
}

/// The conversion of one field of a record to a value: the long form of `set` and of `by`.
package struct FieldMapping: Sendable, Hashable {
    /// The path into the record; for an expression, the name of the property.
    package var source: PlacedText
    /// The expression that computes the field instead of a path.
    package var expression: ExpressionText?
    /// Whether a record without a value is rejected.
    package var isNeeded = FieldKeys.need.default
    /// The value that replaces an absent field and null.
    package var fallback: Fallback?
    /// The steps that clean a text before any other conversion, in this order.
    package var clean: [Cleaning] = []
    /// A Unicode date pattern.
    package var datePattern: PlacedText?
    /// The UTC offset of dates without a time zone, in seconds east of UTC.
    package var zone: Zone?
    /// The format of numbers.
    package var number: NumberForm?
    /// Whether values that do not fit are coerced.
    package var isLossy = false
    /// The separator that splits a text into a list.
    package var separator: PlacedText?
    /// The entries of `map`, which replace single texts with other values.
    package var map: [MapEntry]?
}

extension FieldMapping {
    /// The fields of the row key, which no expression can compute; `nil` for other values.
    var rowKey: RowKeyFields? { expression.flatMap { RowKeyFields(parsing: $0.text) } }

    /// Whether the value is a row key.
    package var isRowKey: Bool { rowKey != nil }

    /// One step of `clean`.
    package enum Cleaning: String, ExplainedChoice {
        case trim, lower, upper, nfc, collapse

        /// The change to the text, as in the generated reference.
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

    /// Whether values are coerced to fit their attribute.
    package enum CastRule: String, ExplainedChoice {
        case lossless, lossy

        /// The effect on a value that does not fit exactly, as in the generated reference.
        package var meaning: String {
            switch self {
            case .lossless: "Rejects the record."
            case .lossy: "Coerces the value if possible. Out-of-range values are still rejected."
            }
        }
    }

    /// A constant with its location.
    package struct Fallback: Sendable, Hashable {
        /// The value if the field is absent or null.
        package var value: ConstantValue
        /// The location of the constant in the spec.
        package var location: SourceLocation
    }

    /// An offset from UTC with its location.
    package struct Zone: Sendable, Hashable {
        /// The offset in seconds, positive east of UTC.
        package var seconds: Int
        /// The location of the offset in the spec.
        package var location: SourceLocation
    }

    /// The format of a number.
    package struct NumberForm: Sendable, Hashable {
        /// The unit of dates that are numbers.
        package enum Epoch: String, ExplainedChoice {
            case seconds, milliseconds

            /// The unit and its epoch, as in the generated reference.
            package var meaning: String {
                switch self {
                case .seconds: "Seconds since 1970 up to the year 9999, for dates."
                case .milliseconds: "Milliseconds since 1970, for dates."
                }
            }
        }

        /// The meaning of the number.
        package enum Kind: Sendable, Hashable {
            /// Seconds since 1970, for dates.
            case seconds
            /// Milliseconds since 1970, for dates.
            case milliseconds
            /// A decimal number that is written with the given separators.
            case text(decimal: String, thousands: String?)
        }

        /// The meaning of the number, with its separators if it is not a date.
        package var kind: Kind
        /// The location of the format in the spec.
        package var location: SourceLocation

        /// Whether the number is a date.
        package var isEpoch: Bool { kind == .seconds || kind == .milliseconds }
    }
}

/// One entry of a `map`.
package struct MapEntry: Sendable, Hashable {
    /// The text in the record.
    package var from: String
    /// The value that the field gets if its text equals `from`.
    package var to: ConstantValue
    /// The location of the value.
    package var location: SourceLocation
}

/// The source of one attribute.
package struct AttributeMapping: Sendable, Hashable {
    /// The source of the value.
    package enum Origin: Sendable, Hashable {
        case field(FieldMapping)
        /// The element of a composite that a field fills completely; a record may lack the element.
        case element(PlacedText, whole: PlacedText)
        case constant(ConstantValue, SourceLocation)
        /// An unreadable value, which has been reported.
        case unreadable
    }

    /// The attribute's name, with the location of its key.
    package var attribute: PlacedText
    /// The source of the value.
    package var origin: Origin
}

/// The fields of a row key: all fields for `rowkey()`, or the given fields for `rowkey("a", "b")`.
///
/// The key of given fields equals the key of a record that has no other fields, so a column that is
/// added to a file changes no key.
package struct RowKeyFields: Sendable, Hashable {
    /// The names of columns, or the paths of fields in JSON; empty for all fields.
    let names: [String]

    init(_ names: [String]) {
        self.names = names
    }

    /// Parses `rowkey("a", "b")`, or returns `nil` for other expressions.
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

    /// The expression for the fields.
    var expression: String {
        let texts = names.map { name in
            "\"" + name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
        }
        return "rowkey(\(texts.joined(separator: ", ")))"
    }
}
