import GraphStore

extension DeleteSpec {
    /// Deletes all objects that match, and applies the delete rules.
    func run(_ stage: Stage, _ environment: StageEnvironment) throws -> StageReport {
        var request = BatchDeleteRequest(
            entityName: entity.text,
            predicate: try selection.predicate(
                environment.values, of: entity.text, in: environment.container.model),
            variables: environment.values.graphValues, limit: extent.atMost?.objectLimit)
        request.fetchLimit = try environment.values.objectsMax(extent.limit)
        request.rules = extent.rules
        request.defersIndexes = true
        let changes = request
        var report = try environment.change(stage) { context, report in
            let result = try context.write(changes)
            report.matched = result.matched
            report.changed = result.deleted
            report.cascaded = result.cascaded.filter { $0.value > 0 }
            report.nullified = result.nullified
            report.noteDenied(result)
            environment.warn(of: result, entity.text, in: stage)
        }
        try environment.buildIndexes(addingTo: &report)
        if extent.isCompacting { try environment.container.compact() }
        return report
    }
}
