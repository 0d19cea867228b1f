import Diagnostics
import GraphModel
import GraphStore

/// Sets attributes of all objects that match, in one statement.
struct UpdateStage: Sendable {
    let stage: Stage
    let spec: UpdateSpec
    let environment: StageEnvironment

    func run() throws -> StageReport {
        environment.progress.begin(stage: "update \(stage.name)", bytesTotal: 0)
        let model = environment.container.model
        let request = BatchUpdateRequest(
            entityName: spec.entity.text, predicate: try spec.selection.predicate(),
            propertiesToUpdate: try assignments(model),
            variables: environment.values.graphValues, limit: spec.atMost?.objectLimit)
        let background = environment.container.newBackgroundContext()
        let (result, change) = try background.performAndWait { context in
            let result = try context.execute(request)
            return (result, try context.save().change)
        }
        var report = StageReport(kind: "update", name: stage.name)
        report.matched = result.matched
        report.changed = result.updated
        var objects = ObjectTally()
        objects.add(change)
        report.objects = objects.report(environment.container.schema)
        return report
    }

    private func assignments(
        _ model: ManagedObjectModel
    ) throws -> [String: GraphExpression] {
        var assignments: [String: GraphExpression] = [:]
        for assignment in spec.set {
            let name = assignment.attribute.text
            switch assignment.value {
            case .expression(let text):
                assignments[name] = try text.parsed().expression
            case .constant(let constant):
                guard let attribute = model.attribute(name, of: spec.entity.text),
                    let value = ConstantCast.value(constant, for: attribute, environment.values)
                else {
                    throw Diagnostic(
                        code: "spec.constant", "This is no value of '\(name)'",
                        at: .source(assignment.location))
                }
                assignments[name] = .constant(value.graphValue(as: attribute.type))
            }
        }
        return assignments
    }
}
