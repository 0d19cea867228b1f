package import GraphModel
package import RecordStreams

/// What is known of data before anything is guessed from it.
package struct InferenceOptions: Sendable {
    /// The fields that tell records apart, as the input names them; empty to find them.
    package var key: [String] = []
    /// The entity that records become; nil for one that is named like the file.
    package var entity: String?
    /// Types, by the fields that have them, as the input names them.
    package var types: [String: AttributeType] = [:]
    /// The format of every file; nil to tell it from the name or the first byte.
    package var format: RecordFormat?
    /// Whether the first row of a table names its columns; nil to find out.
    package var hasHeader: Bool?
    /// How the bytes of every file stand for text; nil to find out.
    package var encoding: TextEncoding?
    /// Texts of a table that stand for null, beside the empty one and those that are found.
    package var nullTexts: [String] = []
    /// So many records of each form of input are read at most.
    package var limit: Int?
    /// So many values are remembered, to see what is unique and what refers to what.
    package var valuesMax = DistinctRoom.countMax

    /// Nothing is known.
    package init() {}
}
