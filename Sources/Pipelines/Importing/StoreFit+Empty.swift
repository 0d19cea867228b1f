import GraphModel
import YAML

/// The imports of files without records, which exist for their reports.
extension StoreFit {
    /// Returns the stages of files without records, with the names and keys of the store.
    mutating func fit(empty stages: [YAMLNode]) throws(RunFailure) -> [YAMLNode] {
        var fitted: [YAMLNode] = []
        for var stage in stages {
            let entity = try entity(stage["into"]?.text ?? "")
            stage["into"] = YAMLNode(text: entity)
            let key = model.uniquenessConstraints(of: entity).first { key in
                key.allSatisfy { model.attribute($0, of: entity) != nil }
            }
            if let key {
                stage["key"] = YAMLNode(names: key)
            } else {
                stage["when-found"] = YAMLNode(text: "append")
            }
            fitted.append(stage)
        }
        return fitted
    }
}
