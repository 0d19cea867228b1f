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
            entityName: spec.entity.text,
            predicate: try spec.selection.predicate(
                environment.values, of: spec.entity.text, in: environment.container.model),
            propertiesToUpdate: try assignments(environment.container.model),
            variables: environment.values.graphValues, limit: spec.extent.atMost?.objectLimit)
        request.fetchLimit = try environment.values.objectsMax(spec.extent.limit)
        request.rules = spec.extent.rules
        let changes = request
        let report: StageReport
        do {
            report = try environment.change(stage) { context, report in
                let result = try context.write(changes)
                report.matched = result.matched
                report.changed = result.updated
            }
        } catch let error as StoreError {
            throw Self.failure(error)
        }
        if spec.extent.isCompacting { try environment.container.compact() }
        return report
    }

    /// Returns the failure for a rule that the new values violate, with a fix for the stage.
    private static func failure(_ error: StoreError) -> RunFailure {
        let fix: String
        switch error.code {
        case .unique:
            fix =
                "narrow `where`, set a different value for each object, or change the values in "
                + "two stages"
        case .validation: fix = "narrow `where`, or set values that the model allows"
        default: return RunFailure(error)
        }
        return RunFailure(
            .dataError, code: "store.\(error.code.rawValue)",
            error.message + "; nothing was done", fix: fix)
    }

    private func assignments(
        _ model: ManagedObjectModel
    ) throws -> [String: GraphExpression] {
        var assignments: [String: GraphExpression] = [:]
        for assignment in spec.set {
            let name = assignment.attribute.text
            if assignment.isNull,
                let elements = model.elements(of: name, in: spec.entity.text)
            {
                for element in elements where !element.isTransient {
                    assignments[element.name] = .constant(.null)
                }
                continue
            }
            switch assignment.value {
            case .unreadable: continue
            case .expression(let text):
                assignments[name] = try text.parsed().expression
            case .constant(let constant):
                guard let attribute = model.attribute(name, of: spec.entity.text),
                    let value = ConstantCast.value(constant, for: attribute, environment.values)
                else {
                    throw Diagnostic(
                        code: "spec.constant", "The constant does not fit '\(name)'",
                        at: .source(assignment.location))
                }
                assignments[name] = .constant(value.graphValue(as: attribute.type))
            }
        }
        return assignments
    }
}
