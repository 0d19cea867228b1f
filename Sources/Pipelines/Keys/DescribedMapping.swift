/// One kind of mapping in a file of ours, with its keys: a part of a spec, or of a model.
///
/// The schema for editors and the reference pages are made of it.
package protocol DescribedMapping: Sendable {
    /// Its name in a schema.
    var definition: String { get }
    /// The keys in the order in which a file would have them.
    var keys: [KeyDescription] { get }
    /// What other keys stand for, where there may be any.
    var others: ValueForm.Named? { get }
    /// What the mapping is called on a page.
    var title: String { get }
    /// Where a page of the reference leads to for it.
    var address: String { get }
    /// What the mapping is for, in a sentence or two.
    var purpose: String { get }
    /// An example under its key.
    var example: String? { get }
    /// Whether a page has a table of its keys.
    var hasTable: Bool { get }
    /// Whether the table tells the meaning of each word that a key allows.
    var explainsWords: Bool { get }
}

extension DescribedMapping {
    package var others: ValueForm.Named? { nil }
    package var hasTable: Bool { true }
    package var explainsWords: Bool { true }

    /// The names of the keys.
    package var keyNames: [String] { keys.map(\.name) }

    /// The place of a title on its page.
    static func anchor(_ title: String) -> String {
        let letters = title.lowercased().filter {
            $0.isLetter || $0.isNumber || $0 == " " || $0 == "-"
        }
        return "#" + letters.replacing(" ", with: "-")
    }
}
