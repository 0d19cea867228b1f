import GraphModel
import YAML

/// Which texts of a table stand for null.
extension StoreFit {
    /// Lets the texts stand for null that did so when a column was imported first.
    ///
    /// Those that are found in this file do so, too, in columns that are new, and in those that have no
    /// room for a text. A text of the store that says nothing of its column is never cleared by a
    /// guess.
    ///
    /// - Parameters:
    ///   - own: the inferred entity.
    ///   - names: the store's property for each column.
    mutating func fitNulls(_ stage: inout YAMLNode, of own: String, _ names: [String: String]) {
        guard facts.isTable(own) else { return }
        let found = Dictionary(grouping: facts.nullMarkers(own), by: \.column)
        var columns: [(String, YAMLNode)] = []
        for column in facts.sources(own) {
            guard let name = names[column] else { continue }
            let kept = keepsNulls ? nulls(of: name, in: original) : []
            let isNew = original.entity(named: current.entity).map { _ in
                original.attribute(name, of: current.entity) == nil
                    && original.relationship(name, of: current.entity) == nil
            }
            let takesGuesses = isNew ?? true || !holdsTexts(name)
            let guessed = (takesGuesses ? found[column] ?? [] : []).filter {
                !kept.contains($0.text)
            }
            current.nulls += guessed
            let texts = kept + guessed.map(\.text)
            if !texts.isEmpty {
                columns.append((column, YAMLNode(names: texts)))
            }
        }
        stage["read"]?["null-in"] = columns.isEmpty ? nil : YAMLNode(columns)
    }

    /// The texts that stood for null when a property was imported first.
    private func nulls(of name: String, in model: ManagedObjectModel) -> [String] {
        let info =
            model.attribute(name, of: current.entity)?.userInfo
            ?? model.relationship(name, of: current.entity)?.userInfo
        return PropertyOrigin(info ?? [:]).nulls
    }

    /// Whether texts fill a property, or the key of the objects to which it leads.
    private func holdsTexts(_ name: String) -> Bool {
        if let attribute = model.attribute(name, of: current.entity) {
            return attribute.type == .string
        }
        guard let link = model.relationship(name, of: current.entity),
            let key = key(of: link.destinationEntityName)
        else { return true }
        return model.attribute(key, of: link.destinationEntityName)?.type == .string
    }
}
