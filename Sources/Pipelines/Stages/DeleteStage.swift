import Diagnostics
import GraphModel
import GraphStore

/// Deletes all objects that match, with what the delete rules say.
struct DeleteStage: Sendable {
    let stage: Stage
    let spec: DeleteSpec
    let environment: StageEnvironment

    func run() throws -> StageReport {
        environment.progress.begin(stage: "delete \(stage.name)", bytesTotal: 0)
        let request = BatchDeleteRequest(
            entityName: spec.entity.text, predicate: try spec.selection.predicate(),
            variables: environment.values.graphValues, limit: spec.atMost?.objectLimit)
        let background = environment.container.newBackgroundContext()
        let (result, change) = try background.performAndWait { context in
            let result = try context.execute(request)
            return (result, try context.save().change)
        }
        var report = StageReport(kind: "delete", name: stage.name)
        report.matched = result.matched
        report.changed = result.deleted
        report.denied = result.denied
        var objects = ObjectTally()
        objects.add(change)
        report.objects = objects.report(environment.container.schema)
        return report
    }
}
