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
    let isRequired: Bool

    var name: String { path.last ?? "" }
}

/// An attribute of the model, and what fills it.
struct InferredAttribute {
    var name: String
    var type: AttributeType
    var isRequired: Bool
    var source: String
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
    var note: String
}

/// One import: what a spec says of it.
struct InferredImport {
    var paths: [String]
    var format: RecordFormat
    var at: String
    var delimiter: UInt8?
    var links: [InferredLink] = []
    var records: Int
    var isCut: Bool
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
