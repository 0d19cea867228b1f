package import Diagnostics
package import RecordStreams

/// An `import` stage: records of files become objects.
package struct ImportSpec: Sendable, Hashable {
    /// What to do with a key that an earlier record of the stage had.
    package enum Duplicates: String, Sendable, Hashable, CaseIterable {
        /// Records apply in their order; a later one's fields win.
        case last
        /// Later records count as superseded.
        case first
        /// Later records are rejected.
        case reject
    }

    /// The files and how to read them.
    package var read: ReadSpec
    /// The entity of the objects.
    package var into: PlacedText
    /// The attributes that tell objects apart; empty for the entity's own constraint.
    package var key: [PlacedText] = []
    /// What fills attributes, in the order of the file.
    package var set: [AttributeMapping] = []
    /// Fields that no `set` names fill nothing.
    package var isSetOnly = false
    /// What fills relationships, in the order of the file.
    package var link: [LinkMapping] = []
    /// What to do with repeated keys.
    package var duplicates = Duplicates.last
    /// Records for which this is false are filtered out.
    package var keepIf: PredicateText?
    /// Where the stage stands.
    package var location: SourceLocation
}

/// The files of an import and how to read them.
package struct ReadSpec: Sendable, Hashable {
    /// How inputs are compressed.
    package enum Compression: String, Sendable, Hashable, CaseIterable {
        /// By the name, else by the first bytes.
        case auto
        case gzip
        case none
    }

    /// File patterns; `-` is standard input.
    package var files: [TemplateText] = []
    /// The format; without one, by extension and then by the first byte.
    package var format: RecordFormat?
    /// The path to the array of records inside a JSON document.
    package var arrayPath = "$"
    /// How the files are compressed.
    package var compression = Compression.auto
    /// The first row names the columns.
    package var hasHeader = true
    /// The columns' names, in place of the header's.
    package var columns: [String]?
    /// The byte between fields; without one, the format's.
    package var delimiter: UInt8?
    /// The byte around fields; nil for none.
    package var quote: UInt8? = UInt8(ascii: "\"")
    /// Unquoted texts that stand for null.
    package var nulls = [""]
}

/// How one field of a record becomes a value: the long form of `set` and of `by`.
package struct FieldMapping: Sendable, Hashable {
    /// The path into the record.
    package var source: PlacedText
    /// A record without a value is rejected.
    package var isNeeded = false
    /// A Unicode date pattern.
    package var datePattern: PlacedText?
    /// Text is cut at this into a list.
    package var separator: PlacedText?
    /// Values by the text that stands for them.
    package var map: [MapEntry]?
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
        case constant(ConstantValue, SourceLocation)
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
        case create, null, reject
    }

    /// How the objects of a to-many relationship change.
    package enum Many: String, Sendable, Hashable, CaseIterable {
        case replace, add, remove
    }

    /// The relationship's name, with the place of its key.
    package var relationship: PlacedText
    /// The entity that is looked up; without one, the relationship's destination.
    package var to: PlacedText?
    /// The attribute of that entity that tells its objects apart.
    package var by: PlacedText
    /// Where the attribute's value comes from.
    package var field: FieldMapping
    /// What to do about a key that no object has.
    package var missing = Missing.reject
    /// Where `missing` stands.
    package var missingLocation: SourceLocation
    /// How a to-many relationship changes; nil where the spec does not say, which is `replace`.
    package var many: Many?
}
