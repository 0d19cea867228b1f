package import Diagnostics
import RecordStreams

/// How one field of a record becomes a value: the long form of `set` and of `by`.
package struct FieldMapping: Sendable, Hashable {
    /// The path into the record; for an expression, the property that it fills.
    package var source: PlacedText
    /// Computes the field, in place of a path.
    package var expression: ExpressionText?
    /// A record without a value is rejected.
    package var isNeeded = false
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
    /// Whether the value is made of all fields of the record, which no expression sees.
    package var isRowKey: Bool {
        expression?.text.filter { !$0.isWhitespace } == "rowkey()"
    }

    /// One step of `clean`.
    package enum Cleaning: String, Sendable, Hashable, CaseIterable {
        /// Without white space at both ends.
        case trim
        case lower, upper
        /// In Unicode's composed form.
        case nfc
        /// Runs of white space become one space.
        case collapse
    }

    /// Whether values are bent to fit their attribute.
    package enum CastRule: String, Sendable, Hashable, CaseIterable {
        case lossless, lossy
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
        package enum Epoch: String, Sendable, Hashable, CaseIterable {
            case seconds, milliseconds
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

/// What fills one relationship.
package struct LinkMapping: Sendable, Hashable {
    /// What to do about a key that no object has.
    package enum Missing: String, Sendable, Hashable, CaseIterable {
        case create, null, report, skip, reject
    }

    /// How the objects of a to-many relationship change.
    package enum Many: String, Sendable, Hashable, CaseIterable {
        case replace, add, remove
    }

    /// One part of the other object's key.
    package struct KeyPart: Sendable, Hashable {
        /// What fills the part.
        package enum Content: Sendable, Hashable {
            /// A field fills an attribute.
            case field(FieldMapping)
            /// A relationship leads to the object with this key.
            case object(to: PlacedText?, by: [KeyPart])
        }

        /// The name of the attribute or relationship, with its place.
        package var property: PlacedText
        /// What fills it.
        package var content: Content

        /// The fields that fill the part.
        var fields: [FieldMapping] {
            switch content {
            case .field(let field): [field]
            case .object(_, let parts): parts.flatMap(\.fields)
            }
        }
    }

    /// The relationship's name, with the place of its key.
    package var relationship: PlacedText
    /// The entity that is looked up; without one, the relationship's destination.
    package var to: PlacedText?
    /// The attributes and to-one relationships that identify the objects of that entity, and what
    /// fills them.
    package var by: [KeyPart]
    /// What to do about a key that no object has.
    package var missing = Missing.reject
    /// Where `missing` stands.
    package var missingLocation: SourceLocation
    /// How a to-many relationship changes; nil where the spec does not say, which is `replace`.
    package var many: Many?
    /// The other objects stand in the record itself; `by` is empty then.
    package var nested: NestedMapping?
}

/// Objects inside the records, which become objects of their own: a link with `each`.
package struct NestedMapping: Sendable, Hashable {
    /// What to do with an object that has the key.
    package enum WhenFound: String, Sendable, Hashable, CaseIterable {
        case update, append
    }

    /// The path to the object, or with `[*]` at its end to the list of them.
    ///
    /// Empty where it cannot be read, which is reported.
    package var each: PlacedText
    /// The entity; without one, the relationship's destination.
    package var into: PlacedText?
    /// The attributes that tell the objects apart; empty for the entity's own constraint.
    package var key: [PlacedText] = []
    /// Nothing is looked for: each becomes a new object.
    package var isAppended = false
    /// What fills attributes, in the order of the file.
    package var set: [AttributeMapping] = []
    /// Fields that no `set` names fill nothing.
    package var isSetOnly = false
    /// What fills relationships of the objects.
    package var link: [LinkMapping] = []
    /// Where it stands.
    package var location: SourceLocation

    /// The import that would make the same objects if they stood in a file of their own.
    func importSpec(into entity: String) -> ImportSpec {
        ImportSpec(
            read: ReadSpec(), into: PlacedText(entity, into?.location ?? each.location), key: key,
            set: set, isSetOnly: isSetOnly, link: link,
            whenFound: isAppended ? .append : .update, location: location)
    }

    /// The path, which was checked when the spec was read.
    var path: FieldPath? { try? FieldPath(parsing: each.text) }

    /// Whether the path leads to a list.
    var isList: Bool { path?.steps.last == .each }

    /// The path without `[*]`, as messages name the list.
    var label: String { isList ? String(each.text.dropLast(3)) : each.text }
}
