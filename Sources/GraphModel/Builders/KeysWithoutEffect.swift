/// Keys of model files that have no effect on the property that has them.
extension AttributeDescription {
    /// The warning about a transformer that no value goes through; nil if there is none.
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
    /// The warning about a key that only a relationship to many objects can use.
    ///
    /// - Parameter key: The name of the key in the file.
    package static func toOneProblem(key: String) -> String {
        "'\(key)' has no effect on a relationship to one object"
    }
}
