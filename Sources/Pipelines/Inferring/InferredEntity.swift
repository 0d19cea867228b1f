import GraphModel
import RecordStreams

/// A field that may become an attribute or a relationship.
struct Leaf {
    let node: FieldNode
    /// The names from the record to the field.
    let path: [String]
    /// The path as specs write it.
    let source: String
    /// Every record has a value.
    let isEverywhere: Bool

    var name: String { path.last ?? "" }

    /// The path to the field; a column of a table is named as it stands.
    func path(in form: SampleForm) -> FieldPath {
        let source = form.source(of: source) ?? source
        guard form.columns == nil else { return FieldPath(name: source) }
        return (try? FieldPath(parsing: source)) ?? FieldPath(name: source)
    }

    /// There is nothing in it, or only lists without items.
    var hasNoValue: Bool {
        node.facts.count == 0
            || node.facts.lists == node.facts.count && (node.items?.facts.count ?? 0) == 0
    }
    /// Its lists, if it has any, hold scalars alone.
    var holdsScalars: Bool {
        guard node.facts.objects == 0, let items = node.items?.facts else {
            return node.facts.objects + node.facts.lists == 0
        }
        return items.objects + items.lists == 0
    }
    /// How many values it has, those in lists one by one.
    var referenceCount: Int { node.items?.facts.count ?? node.facts.count }
}

/// An attribute of the model, and what fills it.
struct InferredAttribute {
    var name: String
    var type: AttributeType
    /// It is the key, which every object must have.
    ///
    /// What else every record has, a later one may lack.
    var isRequired: Bool
    /// Every record has a value.
    var isEverywhere = false
    var source: String
    /// The words that stand for its two values.
    var words: TruthWords.Pair?
    /// The pattern of its dates.
    var date: String?
    /// Somebody says the pattern.
    var isToldDate = false
    /// How its numbers are written.
    var number: TypeGuess.Number?
    /// It is made of all that the record holds.
    var isRowKey = false
    var note: String?
    /// The note is of use to people who see no model.
    var isRemark = false
    /// Nothing tells whether the point of its numbers groups digits.
    var isOpenNumber = false
    /// No record has a value, or only lists without items.
    var isEmpty = false
    /// Its values, if they are in lists, are scalars, which may be keys.
    var holdsScalars = false
    /// What is known of the values, for an attribute of another type.
    var facts: ValueFacts?
    /// What later imports are to know of it; nil if the model is not that of an import.
    var origin: PropertyOrigin?

    /// The attribute as files of a form fill it; nil if they lack its column.
    func seen(in form: SampleForm) -> InferredAttribute? {
        guard !isRowKey else { return self }
        guard let source = form.source(of: source) else { return nil }
        var seen = self
        seen.source = source
        return seen
    }

    /// The attribute as one of another type, with what tells how its values are written.
    func retyped(_ type: AttributeType) -> InferredAttribute {
        guard type != self.type, let guess = facts?.guess(named: name, told: type) else {
            return self
        }
        var other = self
        (other.type, other.date, other.number) = (type, guess.date, guess.number)
        (other.words, other.note) = (guess.words, nil)
        return other
    }

    /// The attribute with values that are written as those of the first import were.
    ///
    /// Values that are all written as exports write them are read as such.
    func keeping(_ origin: PropertyOrigin) -> InferredAttribute {
        guard origin.hasFormat, !isToldDate, let facts else { return self }
        let isPlain = facts.isPlain(type)
        var other = self
        (other.date, other.number) = isPlain ? (nil, nil) : (origin.date, origin.number)
        other.words = nil
        return other
    }
}

/// A relationship of the model.
struct InferredRelationship {
    var name: String
    var target: String
    var isMany: Bool
    var inverse: String
    /// What later imports are to know of it; nil if nothing fills it, or in a model of no import.
    var origin: PropertyOrigin?
}

/// What fills a relationship.
struct InferredLink {
    var relationship: String
    /// The attribute of the target's key; empty where the objects stand in the record.
    var by: String
    var source: String
    /// The entity of objects that stand in the record; nil where they are looked up.
    var nested: String?
    /// Objects that are missing are made.
    var creates = false
    /// What the relationship holds already stays.
    var adds = false
    /// A record without the key is rejected.
    var isNeeded = false
    var note: String

    /// The link as files of a form fill it; nil if they lack its column.
    func seen(in form: SampleForm) -> InferredLink? {
        guard let source = form.source(of: source) else { return nil }
        var seen = self
        seen.source = source
        return seen
    }
}

/// The import of files of one form: what a spec says of it.
struct InferredImport {
    /// What the stage is called.
    var name: String
    var paths: [String]
    var form: SampleForm
    /// Texts of a table that were said to stand for null.
    var nulls: [String]
    /// Those that were found to do.
    var nullMarkers: [NullMarkers.Use]
    var records: Int
    var isCut: Bool
}

/// The import of a table that holds nothing but pairs of keys, which fill a relationship.
struct InferredJoin {
    /// The entity that its records would have.
    var name: String
    var stages: [InferredImport]
    /// The entity on the relationship's one side, its key, and the field that holds it.
    var entity: String
    var key: String
    var keySource: String
    /// Some records may have keys of the one side that no object has.
    var hasUnknownOwners = false
    var link: InferredLink
}

/// An entity with its import; without one it gets its objects from the links of others.
struct InferredEntity {
    var name: String
    var attributes: [InferredAttribute] = []
    var relationships: [InferredRelationship] = []
    /// The attributes and relationships that tell objects apart.
    var key: [String] = []
    var keyNote: String?
    /// A key that comes in several files means one object, which the last of them describes.
    var isOfDumps = false
    /// What is known of a file that seems to be that of one day.
    struct Day {
        /// The fields of the key.
        var key: [String]
        /// The field that has the day; `nil` if there is none.
        var field: String?
    }
    var day: Day?
    /// Records that have one value of the key, or of a field that looks like it.
    var repeats: RepeatedKey?
    /// What could not be taken over.
    var notes: [String] = []
    var links: [InferredLink] = []
    /// The columns, or the paths of all fields.
    var sources: [String] = []
    /// The paths of objects whose fields are columns, and which some record has null for.
    var nullObjects: [String] = []
    /// How many objects were seen; nil where none was.
    var records: Int?
    /// One for each form in which its files are read.
    var stages: [InferredImport] = []
}
