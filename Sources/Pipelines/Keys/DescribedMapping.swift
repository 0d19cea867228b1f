/// One kind of mapping in a spec or model file, with its keys.
///
/// The editor schema and the reference pages are generated from it.
package protocol DescribedMapping: Sendable {
    /// The name of the mapping in a schema.
    var definition: String { get }
    /// The keys in the order in which a file would have them.
    var keys: [KeyDescription] { get }
    /// The names and values of keys that the user chooses; `nil` if only `keys` are allowed.
    var others: ValueForm.Named? { get }
    /// The title of the mapping on a reference page.
    var title: String { get }
    /// The link target of the mapping on reference pages.
    var address: String { get }
    /// The purpose of the mapping, in one or two sentences.
    var purpose: String { get }
    /// An example under its key.
    var example: String? { get }
    /// Whether a page has a table of its keys.
    var hasTable: Bool { get }
    /// Whether the table explains each choice that a key allows.
    var explainsChoices: Bool { get }
}

extension DescribedMapping {
    /// `nil`, so the mapping allows no other keys.
    package var others: ValueForm.Named? { nil }
    /// `true`, so the page lists the keys.
    package var hasTable: Bool { true }
    /// `true`, so the table also explains the choices.
    package var explainsChoices: Bool { true }

    /// The names of the keys.
    package var keyNames: [String] { keys.map(\.name) }

    /// Returns the anchor of a title on its page.
    static func anchor(_ title: String) -> String {
        let letters = title.lowercased().filter {
            $0.isLetter || $0.isNumber || $0 == " " || $0 == "-"
        }
        return "#" + letters.replacing(" ", with: "-")
    }
}
