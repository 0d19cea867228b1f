/// Warnings for keys of a model file that have no effect on their property.
extension AttributeDescription {
    /// Returns the warning for a transformer that is never applied, or `nil` if none is needed.
    ///
    /// - Parameter key: The name of the key in the file.
    package func transformerProblem(key: String) -> (message: String, fix: String)? {
        guard transformerName != nil, type != .transformable else { return nil }
        return (
            "'\(key)' has no effect on the type \(type.rawValue)",
            "remove it, or give the attribute the type Transformable"
        )
    }
}

extension RelationshipDescription {
    /// Returns the warning for a key that applies only to to-many relationships.
    ///
    /// - Parameter key: The name of the key in the file.
    package static func toOneProblem(key: String) -> String {
        "'\(key)' has no effect on a relationship to one object"
    }
}
