import GraphModel

/// An attribute of the model and the field that fills it.
struct InferredAttribute {
    var name: String
    var type: AttributeType
    /// Whether the attribute belongs to the key, which every object must have.
    ///
    /// Other attributes are optional even if every record has them, because a later record may not.
    var isRequired: Bool
    /// Whether every record has a value.
    var isEverywhere = false
    var source: String
    /// The words for true and false in the field.
    var words: TruthWords.Pair?
    /// The pattern of the dates.
    var date: String?
    /// Whether the user specified the date pattern.
    var isDateGiven = false
    /// The format of the numbers.
    var number: TypeGuess.Number?
    /// Whether the value is computed from all fields of the record.
    var isRowKey = false
    var note: String?
    /// Whether `etl import` also shows the note, although its user does not see the model.
    var isRemark = false
    /// Whether the point in numbers such as `1.125` may be a group separator instead of a decimal
    /// mark.
    var isOpenNumber = false
    /// Whether no record has a value, or only lists without items.
    var isEmpty = false
    /// Whether the values are scalars or lists of scalars, which may be keys.
    var holdsScalars = false
    /// The facts about the values, for conversion to another type.
    var facts: ValueFacts?
    /// The column and the formats to store in the model, so that later imports read the field in
    /// the same way.
    ///
    /// It is `nil` for `etl infer`, which imports nothing.
    var origin: PropertyOrigin?

    /// Returns the attribute for files of one form, which may spell its column differently.
    ///
    /// Returns `nil` if these files have no such column.
    func seen(in form: SampleForm) -> InferredAttribute? {
        guard !isRowKey else { return self }
        guard let source = form.source(of: source) else { return nil }
        var seen = self
        seen.source = source
        return seen
    }

    /// Returns the attribute with another type, and with the format of its values for that type.
    func retyped(_ type: AttributeType) -> InferredAttribute {
        guard type != self.type, let guess = facts?.guess(named: name, given: type) else {
            return self
        }
        var other = self
        (other.type, other.date, other.number) = (type, guess.date, guess.number)
        (other.words, other.note) = (guess.words, nil)
        return other
    }

    /// Returns the attribute with the formats of the first import.
    ///
    /// If all values have the plain format that exports write, no other format applies. Numbers
    /// that prove another decimal mark are read with it.
    func keeping(_ origin: PropertyOrigin) -> InferredAttribute {
        guard origin.hasFormat, !isDateGiven, let facts else { return self }
        var number = origin.number
        if case .text(let kept) = origin.number {
            let form = facts.numberForms.form(keeping: kept)
            number = form == NumberForms.Form() ? nil : .text(form)
        }
        let isPlain = facts.isPlain(type)
        var other = self
        (other.date, other.number) = isPlain ? (nil, nil) : (origin.date, number)
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
    /// The origin for later imports; `nil` if no field fills it or no import creates the model.
    var origin: PropertyOrigin?
}

/// A link of the spec, which fills a relationship.
struct InferredLink {
    var relationship: String
    /// The key attribute of the target; empty if the objects are nested in the record.
    var by: String
    var source: String
    /// The entity of objects that are nested in the record; `nil` if they are looked up.
    var nested: String?
    /// Whether the field is a table's text with several keys.
    var isSplit = false
    /// Whether missing objects are created.
    var creates = false
    /// Whether a link without an object stays empty and is reported.
    var isReported = false
    /// Whether existing links are kept.
    var adds = false
    /// Whether a record without the key is rejected.
    var isNeeded = false
    var note: String

    /// Returns the link for files of one form, which may spell its column differently.
    ///
    /// Returns `nil` if these files have no such column.
    func seen(in form: SampleForm) -> InferredLink? {
        guard let source = form.source(of: source) else { return nil }
        var seen = self
        seen.source = source
        return seen
    }
}

/// The import of an entity's files that are read in the same way, as one stage of the spec.
struct InferredImport {
    /// The name of the stage.
    var name: String
    var paths: [String]
    var form: SampleForm
    /// The texts of a table that the user specified to mean null.
    var nulls: [String]
    /// The texts of a table that were found to mean null.
    var nullMarkers: [NullMarkers.Use]
    var records: Int
    var isTruncated: Bool
}

/// The import of a join table, which has only pairs of keys that fill a relationship.
struct InferredJoin {
    /// The name that an entity of the join table's records would have.
    var name: String
    var stages: [InferredImport]
    /// The entity on the owning side of the relationship.
    var entity: String
    /// The key attribute of that entity.
    var key: String
    /// The field that holds the key.
    var keySource: String
    /// Whether the join table may have keys of the owning side that belong to no object.
    var hasUnknownOwners = false
    /// The keys of either side that belong to no object.
    var dangling: [DanglingKeys] = []
    var link: InferredLink
}

/// An entity with its imports; without imports, links of other entities create its objects.
struct InferredEntity {
    var name: String
    var attributes: [InferredAttribute] = []
    var relationships: [InferredRelationship] = []
    /// The attributes and relationships that identify an object.
    var key: [String] = []
    var keyNote: String?
    /// The field of an entity without a key that has a different value in each of many records.
    var possibleKey: String?
    /// Whether the files describe the same objects, so that the record in the last file is kept.
    var isOfDumps = false
    /// The key and date for files that each seem to hold the records of one day.
    struct Day {
        /// The fields of the key.
        var key: [String]
        /// The field that holds the day; `nil` if there is none.
        var field: String?
    }
    var day: Day?
    /// The records that repeat a value of the key, or of a field that looks like the key.
    var repeats: RepeatedKey?
    /// The facts that could not be inferred, and the fields that are left out.
    var notes: [String] = []
    /// The notes about fields whose names suggest a reference that their values do not confirm.
    var unlinked: [String] = []
    /// The keys in links that belong to no object.
    var dangling: [DanglingKeys] = []
    var links: [InferredLink] = []
    /// The columns, or the paths of all fields.
    var sources: [String] = []
    /// The paths of objects whose fields are columns, and that are null in some records.
    var nullObjects: [String] = []
    /// How its tables are read, for later imports; `nil` if no import creates the model.
    var origin: TableOrigin?
    /// The number of objects that were read; `nil` for an entity of tags.
    var records: Int?
    /// The imports, one for each form of the files.
    var stages: [InferredImport] = []
}
