/// The keys of a `delete`.
enum DeleteKeys {
    static let delete = Key(
        required: "delete", StageKeys.nameForm,
        "The entity, or the stage's name if `entity` is set.",
        example: "Task")
    static let mapping = DescribedMapping(
        "delete",
        "Deletes the objects that match. The model's delete rules apply to related objects.",
        example: """
              - delete: Task
                where: "isCompleted == YES AND completedAt < $today"
                at-most: 50000
            """, page: "stage-delete.md",
        keys: [delete, StageKeys.entity, StageKeys.selection] + ChangeKeys.all + [StageKeys.always])
}

/// A `delete` stage, which deletes the objects that match.
package struct DeleteSpec: Sendable, Hashable {
    /// The entity, including sub-entities.
    package var entity: PlacedText
    /// The objects to delete.
    package var selection: Selection
    /// The limits and rules of the deletion.
    package var extent = ChangeExtent()
}

extension DeleteSpec: StageKind {
    static let mapping = DeleteKeys.mapping
    static let isWriting = true

    static func read(_ keys: KeyedMapping) -> ReadStage {
        var (stage, entity) = ReadStage.withEntity(DeleteKeys.delete, keys)
        stage.kind = DeleteSpec(
            entity: entity, selection: keys[StageKeys.selection] ?? .all,
            extent: ChangeExtent(keys))
        return stage
    }

    var entityName: String? { entity.text }

    func check(_ checker: inout SpecificationChecker) { _ = checker.entity(entity) }

    func check(_ checker: inout ExpressionChecker) { checker.check(selection, entity.text) }
}
