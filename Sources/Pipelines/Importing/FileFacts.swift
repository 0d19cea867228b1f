import GraphModel
import YAML

/// What an import must know of its files to fit them to a store.
struct FileFacts {
    /// How an inferred attribute fills one that the store has: the attribute, its entity, and the
    /// store's attribute.
    var mapping: (String, String, AttributeDescription) -> YAMLNode?
    /// What the column of an inferred attribute holds: the attribute, and its entity.
    var content: (String, String) -> ColumnContent
    /// Whether the records of an inferred entity are rows of tables.
    var isTable: (String) -> Bool
    /// What is to be told of the values that fill an attribute of the store: the inferred attribute,
    /// its entity, and the store's attribute.
    var remark: (String, String, AttributeDescription) -> String?
    /// The columns of an inferred entity's records, or the paths of their fields.
    var sources: (String) -> [String]

    /// The texts that were found to stand for null in the tables of an inferred entity.
    var nullMarkers: (String) -> [NullMarkers.Use]

    init(_ inference: Inference) {
        nullMarkers = inference.nullMarkers
        mapping = inference.mapping
        remark = inference.remark
        content = inference.content
        isTable = inference.isTable
        sources = inference.sources
    }
}
