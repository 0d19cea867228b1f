import GraphStore

/// Deletes all objects that match, and applies the delete rules.
struct DeleteStage: Sendable {
    let stage: Stage
    let spec: DeleteSpec
    let environment: StageEnvironment

    func run() throws -> StageReport {
        var request = BatchDeleteRequest(
            entityName: spec.entity.text,
            predicate: try spec.selection.predicate(
                environment.values, of: spec.entity.text, in: environment.container.model),
            variables: environment.values.graphValues, limit: spec.extent.atMost?.objectLimit)
        request.fetchLimit = try environment.values.objectsMax(spec.extent.limit)
        request.rules = spec.extent.rules
        request.defersIndexes = true
        let changes = request
        var report = try environment.change(stage) { context, report in
            let result = try context.write(changes)
            report.matched = result.matched
            report.changed = result.deleted
            report.cascaded = result.cascaded.filter { $0.value > 0 }
            report.nullified = result.nullified
            report.noteDenied(result)
            environment.warn(of: result, spec.entity.text, in: stage)
        }
        try environment.buildIndexes(addingTo: &report)
        if spec.extent.isCompacting { try environment.container.compact() }
        return report
    }
}
