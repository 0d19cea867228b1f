public import GraphModel

extension StoreError {
    /// What was wrong with objects, if a save was refused for that.
    public var validationError: ValidationError? { cause as? ValidationError }

    /// The conflicts, if a save failed for them.
    public var mergeError: MergeError? { cause as? MergeError }
}
