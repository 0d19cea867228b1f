import YAML

/// A mapping of a spec or of a model file: the complete file, one of its parts, or a stage.
///
/// The editor schema and the reference pages are generated from it.
package struct DescribedMapping: Sendable {
    /// The mapping's name under `$defs` in the editor schema; for a stage, its keyword.
    package let definition: String
    /// The heading of the mapping's section or page.
    package let title: String
    /// The explanation under the heading, in Markdown; the index shows a stage's first paragraph.
    package let purpose: String
    /// An example: a stage as an item of `stages`, any other mapping under its key.
    package let example: String?
    /// The keys with fixed names, in the order of their table.
    package let keys: [KeyDescription]
    /// The form of the keys that the user names, or `nil` if the mapping allows only `keys`.
    package let others: ValueForm.Named?
    /// Whether a page has a table of the keys; `false` if another table lists the same keys.
    package let hasTable: Bool
    /// Whether the table explains the words that a key allows.
    ///
    /// It is `false` if each word has the same meaning under all keys.
    package let explainsChoices: Bool
    /// The link target: the file name of a separate page, or an anchor such as `#store`.
    package let address: String
    /// A function that returns the text at the end of the mapping's page; only the reference calls
    /// it.
    let appendix: @Sendable () -> String

    /// Describes a mapping.
    ///
    /// - Parameters:
    ///   - title: The title on pages, by default the definition.
    ///   - page: The mapping's page, if it has a separate page.
    init(
        _ definition: String, title: String? = nil, _ purpose: String, example: String? = nil,
        page: String? = nil, appendix: @autoclosure @escaping @Sendable () -> String = "",
        keys: [any SpecificationKey],
        others: ValueForm.Named? = nil,
        hasTable: Bool = true, explainsChoices: Bool = true
    ) {
        self.definition = definition
        self.title = title ?? definition
        self.purpose = purpose
        self.example = example
        self.keys = keys.map(\.description)
        self.others = others
        self.hasTable = hasTable
        self.explainsChoices = explainsChoices
        address = page ?? Self.anchor(self.title)
        self.appendix = appendix
    }

    /// The names of the keys.
    package var keyNames: [String] { keys.map(\.name) }

    private static func anchor(_ title: String) -> String {
        let letters = title.lowercased().filter {
            $0.isLetter || $0.isNumber || $0 == " " || $0 == "-"
        }
        return "#" + letters.replacing(" ", with: "-")
    }

    /// Returns the mapping and all nested mappings, each once and after the mapping that refers to
    /// it.
    func family(without left: [DescribedMapping] = []) -> [DescribedMapping] {
        var found: [DescribedMapping] = []
        func add(_ mapping: DescribedMapping) {
            guard !(left + found).contains(where: { $0.definition == mapping.definition }) else {
                return
            }
            found.append(mapping)
            for key in mapping.keys { key.form.mappings.forEach(add) }
        }
        add(self)
        return found
    }
}

extension YAMLMapping {
    /// Reports every key that is not in the description, unless the mapping allows any key.
    ///
    /// - Parameter alternatives: Keys that may be used instead of the required keys.
    func finish(_ mapping: DescribedMapping, alternatives: [String] = []) {
        guard mapping.others == nil else { return }
        finish(known: mapping.keyNames, alternatives: alternatives)
    }
}
