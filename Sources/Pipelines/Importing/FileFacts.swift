import GraphModel
import YAML

/// Facts about files that an import needs to fit them to a store.
struct FileFacts {
    private let inference: Inference
    /// The import that is being fitted: its files may lack columns that other files of the entity
    /// have.
    var stage: String?

    init(_ inference: Inference) {
        self.inference = inference
    }

    /// Returns the mapping of an inferred attribute to an attribute of the store.
    func mapping(
        _ name: String, _ entity: String, _ stored: AttributeDescription
    ) -> YAMLNode? {
        inference.mapping(of: name, in: entity, as: stored, stage: stage)
    }

    /// Returns the kind of values in the column of an inferred attribute.
    func content(_ name: String, _ entity: String) -> ColumnContent {
        inference.content(of: name, in: entity)
    }

    /// Returns the keys in a column that may fill a link of the store.
    func keys(_ column: String, _ entity: String, for link: String) -> StoredLinkKeys? {
        inference.keys(in: column, of: entity, stage: stage, for: link)
    }

    /// Returns the texts that mean null in the tables of an inferred entity.
    func nullMarkers(_ entity: String) -> [NullMarkers.Use] { inference.nullMarkers(of: entity) }

    /// The paths of objects that are null in some records of an inferred entity.
    func nullObjects(_ entity: String) -> [String] { inference.nullObjects(of: entity) }

    /// Whether the files lack the column of an inferred attribute.
    func lacks(_ name: String, _ entity: String) -> Bool {
        inference.lacks(name, of: entity, stage: stage)
    }

    /// Whether the files of an import have a header; `true` for JSON.
    func hasHeader(_ stage: String) -> Bool { inference.hasHeader(stage: stage) }

    /// Whether the records of an inferred entity are rows of tables.
    func isTable(_ entity: String) -> Bool { inference.isTable(entity, stage: stage) }

    /// Returns the fix of dates that fill an attribute of the store if day and month are ambiguous.
    func fix(
        ofOpenDates name: String, _ entity: String, _ stored: AttributeDescription
    ) -> String? {
        inference.fix(ofOpenDates: name, of: entity, for: stored)
    }

    /// Returns the doubt about the decimal mark of the numbers that fill an attribute of the store.
    func decimalDoubt(
        _ name: String, _ entity: String, _ stored: AttributeDescription
    ) -> DecimalDoubt? {
        inference.decimalDoubt(on: name, of: entity, for: stored)
    }

    /// Returns the columns of an inferred entity's records, or the paths of their fields.
    func sources(_ entity: String) -> [String] { inference.sources(of: entity, stage: stage) }
}
