/// One key of a mapping in a spec or a model: what may stand there and what it means.
///
/// The reader of specs takes the names of keys from here, the schema and the reference pages the rest, so
/// that what is read, what editors offer and what the pages say are one thing:
/// ```
/// KeyDescription(
///     "keep", .integer(1...100_000), .same(as: "60"), "How many reports are kept.",
///     example: "10")
/// ```
package struct KeyDescription: Sendable {
    /// What it means that the key is not there.
    package enum Absence: Sendable, Hashable {
        /// It must be there.
        case error
        /// The same as this value, in YAML.
        case same(as: String)
        /// What these words say.
        case means(String)
        /// Nothing is done or asked.
        case nothing
    }

    /// The key as it stands in the file.
    package var name: String
    /// What may stand there.
    package var form: ValueForm
    /// What it means that the key is not there.
    package var absence: Absence
    /// What the key is about, in one sentence.
    package var meaning: String
    /// A value, in YAML.
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
