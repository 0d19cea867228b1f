public import GraphModel

extension StoreError {
    /// The validation failures, if they made the save fail.
    public var validationError: ValidationError? { cause as? ValidationError }

    /// The merge conflicts, if they made the save fail.
    public var mergeError: MergeError? { cause as? MergeError }
}
