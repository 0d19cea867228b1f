/// One key of a mapping in a spec or a model: its allowed values and its meaning.
///
/// The reader of specs takes the names of keys from here, and the schema and the reference pages
/// take the rest, so that all of them agree:
/// ```
/// KeyDescription(
///     "keep", .integer(1...100_000), .same(as: "60"), "How many reports are kept.",
///     example: "10")
/// ```
package struct KeyDescription: Sendable {
    /// The effect of leaving out the key.
    package enum Absence: Sendable, Hashable {
        /// The key is required.
        case error
        /// The default is this value, in YAML.
        case same(as: String)
        /// The default behavior is this description.
        case means(String)
        /// The key has no effect if it is missing.
        case nothing
    }

    /// The name of the key in the file.
    package var name: String
    /// The allowed values.
    package var form: ValueForm
    /// The effect of leaving out the key.
    package var absence: Absence
    /// The meaning of the key, in one sentence.
    package var meaning: String
    /// An example value, in YAML.
    package var example: String

    /// Describes a key.
    package init(
        _ name: String, _ form: ValueForm, _ absence: Absence = .nothing, _ meaning: String,
        example: String
    ) {
        self.name = name
        self.form = form
        self.absence = absence
        self.meaning = meaning
        self.example = example
    }
}
