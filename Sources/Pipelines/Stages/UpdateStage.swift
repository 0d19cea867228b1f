import Diagnostics
import GraphModel
import GraphStore

/// Sets attributes of all objects that match, in one statement.
struct UpdateStage: Sendable {
    let stage: Stage
    let spec: UpdateSpec
    let environment: StageEnvironment

    func run() throws -> StageReport {
        var request = BatchUpdateRequest(
            entityName: spec.entity.text, predicate: try spec.selection.predicate(),
            propertiesToUpdate: try assignments(environment.container.model),
            variables: environment.values.graphValues, limit: spec.atMost?.objectLimit)
        request.fetchLimit = spec.limit
        let changes = request
        let report = try environment.change(stage) { context, report in
            let result = try context.execute(changes)
            report.matched = result.matched
            report.changed = result.updated
        }
        if spec.isCompacting { try environment.container.compact() }
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
