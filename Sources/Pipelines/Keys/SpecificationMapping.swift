import YAML

/// A mapping of a spec: the whole, one of its parts, or a stage.
package struct SpecificationMapping: DescribedMapping {
    package let definition: String
    package let title: String
    package let purpose: String
    /// A stage as an item of `stages`, any other mapping under its key.
    package let example: String?
    package let keys: [KeyDescription]
    package let others: ValueForm.Named?
    /// False if another table has the same keys.
    package let hasTable: Bool
    /// False if all words mean the same under each key.
    package let explainsWords: Bool
    package let address: String
    /// What its page ends with.
    let appendix: String

    /// Describes a mapping.
    ///
    /// - Parameters:
    ///   - title: what pages call it; without one, its definition.
    ///   - page: the page that it has to itself.
    init(
        _ definition: String, title: String? = nil, _ purpose: String, example: String? = nil,
        page: String? = nil, appendix: String = "", keys: [any SpecificationKey],
        others: ValueForm.Named? = nil,
        hasTable: Bool = true, explainsWords: Bool = true
    ) {
        self.definition = definition
        self.title = title ?? definition
        self.purpose = purpose
        self.example = example
        self.keys = keys.map(\.description)
        self.others = others
        self.hasTable = hasTable
        self.explainsWords = explainsWords
        address = page ?? Self.anchor(self.title)
        self.appendix = appendix
    }

    /// The mapping and those in it, at any depth, each once and behind the one that leads to it.
    func family(without left: [SpecificationMapping] = []) -> [SpecificationMapping] {
        var found: [SpecificationMapping] = []
        func add(_ mapping: SpecificationMapping) {
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
    /// Reports every key that the description does not have, unless it allows any.
    ///
    /// - Parameter alternatives: keys that may be used instead of the required ones.
    func finish(_ mapping: SpecificationMapping, alternatives: [String] = []) {
        guard mapping.others == nil else { return }
        finish(known: mapping.keyNames, alternatives: alternatives)
    }
}
