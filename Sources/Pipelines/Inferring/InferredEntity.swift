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
    var note: String?
}

/// A relationship of the model.
struct InferredRelationship {
    var name: String
    var target: String
    var isMany: Bool
    var inverse: String
}

/// What fills a relationship.
struct InferredLink {
    var relationship: String
    /// The attribute of the target's key.
    var by: String
    var source: String
    /// Objects that are missing are made.
    var creates = false
    /// What the relationship holds already stays.
    var adds = false
    var note: String
}

/// One import: what a spec says of it.
struct InferredImport {
    /// What the stage is called.
    var name: String
    var paths: [String]
    var format: RecordFormat
    var at: String
    var delimiter: UInt8?
    var links: [InferredLink] = []
    var records: Int
    var isCut: Bool
}

/// The import of a table that holds nothing but pairs of keys, which fill a relationship.
struct InferredJoin {
    var stage: InferredImport
    /// The entity on the relationship's one side, its key, and the field that holds it.
    var entity: String
    var key: String
    var keySource: String
}

/// An entity with its import; without one it gets its objects from the links of others.
struct InferredEntity {
    var name: String
    var attributes: [InferredAttribute] = []
    var relationships: [InferredRelationship] = []
    var key: String?
    var keyNote: String?
    /// What could not be taken over.
    var notes: [String] = []
    var stage: InferredImport?
}
