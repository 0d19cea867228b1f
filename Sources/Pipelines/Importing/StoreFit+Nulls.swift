import GraphModel
import YAML

/// The texts of a table that mean null.
extension StoreFit {
    /// Sets the texts that mean null in each column of a table.
    ///
    /// Texts that meant null in the first import of a column keep that meaning. Texts that are
    /// detected in this file mean null only in new columns and in columns that hold no texts. A
    /// guess therefore never clears a text of an existing column.
    ///
    /// - Parameters:
    ///   - own: the inferred entity.
    ///   - names: the store's property for each column.
    mutating func fitNulls(_ stage: inout YAMLNode, of own: String, _ names: [String: String]) {
        guard inference.isTable(own, stage: stageName) else { return }
        let found = Dictionary(grouping: inference.nullMarkers(of: own), by: \.column)
        var columns: [(String, YAMLNode)] = []
        for column in inference.sources(of: own, stage: stageName) {
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

    /// Returns the texts that meant null when a property was imported first.
    private func nulls(of name: String, in model: ManagedObjectModel) -> [String] {
        let info =
            model.attribute(name, of: current.entity)?.userInfo
            ?? model.relationship(name, of: current.entity)?.userInfo
        return PropertyOrigin(info ?? [:]).nulls
    }

    /// Whether a property, or the key of its related objects, holds texts.
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
