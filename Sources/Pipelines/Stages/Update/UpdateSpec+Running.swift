import Diagnostics
import GraphModel
import GraphStore

extension UpdateSpec {
    /// Sets attributes of all objects that match, in one statement.
    func run(_ stage: Stage, _ environment: StageEnvironment) throws -> StageReport {
        var request = BatchUpdateRequest(
            entityName: entity.text,
            predicate: try selection.predicate(
                environment.values, of: entity.text, in: environment.container.model),
            propertiesToUpdate: try assignments(environment.values, environment.container.model),
            variables: environment.values.graphValues, limit: extent.atMost?.objectLimit)
        request.fetchLimit = try environment.values.objectsMax(extent.limit)
        request.rules = extent.rules
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
        if extent.isCompacting { try environment.container.compact() }
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
        _ values: ParameterValues, _ model: ManagedObjectModel
    ) throws -> [String: GraphExpression] {
        var assignments: [String: GraphExpression] = [:]
        for assignment in set {
            let name = assignment.attribute.text
            if assignment.isNull,
                let elements = model.elements(of: name, in: entity.text)
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
                guard let attribute = model.attribute(name, of: entity.text),
                    let value = ConstantCast.value(constant, for: attribute, values)
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
