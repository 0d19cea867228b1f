package import Diagnostics
package import GraphModel
import GraphStore

/// Checks a spec's predicates and expressions against the model, before any value is known.
package enum ExpressionChecker {
    /// Every problem, at its place in the spec; without a model, those of syntax.
    package static func check(_ spec: PipelineSpec, _ model: ManagedObjectModel?) -> [Diagnostic] {
        let variables = placeholders(spec)
        var found: [Diagnostic] = []
        func collect(_ body: () throws -> Void) {
            do {
                try body()
            } catch let diagnostic as Diagnostic {
                found.append(diagnostic)
            } catch {
                found.append(Diagnostic(code: "spec.predicate", "\(error)"))
            }
        }
        for stage in spec.stages {
            switch stage.kind {
            case .import(let stage):
                if let text = stage.keepIf { collect { _ = try text.parsed() } }
                if let mirror = stage.mirror {
                    collect { try check(mirror.selection, stage.into.text, model, variables) }
                }
                for subject in stage.expressions(in: model) {
                    collect {
                        try RecordExpressionCheck(subject: subject, variables: variables).check()
                    }
                }
            case .update(let stage):
                collect { try check(stage.selection, stage.entity.text, model, variables) }
                for assignment in stage.set {
                    collect { try check(assignment, stage.entity.text, model, variables) }
                }
            case .delete(let stage):
                collect { try check(stage.selection, stage.entity.text, model, variables) }
            case .export(let stage):
                collect { try check(stage.selection, stage.entity.text, model, variables) }
            case .verify(let stage):
                for expectation in stage.expectations {
                    collect {
                        try check(
                            expectation.selection, expectation.entity.text, model, variables)
                    }
                }
            }
        }
        return found
    }

    private static func check(
        _ selection: Selection, _ entity: String, _ model: ManagedObjectModel?,
        _ variables: [String: GraphValue]
    ) throws {
        guard case .matching(let text) = selection else { return }
        let parsed = try text.parsed()
        guard let model, model.entity(named: entity) != nil else { return }
        do {
            let resolved = try parsed.resolved(for: entity, in: model, variables: variables)
            try PredicateSupport(model).check(resolved, entityName: entity)
        } catch let error as GraphPredicateError {
            throw Diagnostic(predicateError: error, at: text.location)
        } catch let error as StoreError {
            throw Diagnostic(
                code: "predicate.unsupported", error.message, at: .source(text.location))
        }
    }

    private static func check(
        _ assignment: UpdateSpec.Assignment, _ entity: String, _ model: ManagedObjectModel?,
        _ variables: [String: GraphValue]
    ) throws {
        guard case .expression(let text) = assignment.value else { return }
        let parsed = try text.parsed()
        guard let model, let attribute = model.attribute(assignment.attribute.text, of: entity)
        else { return }
        do {
            let resolved = try parsed.resolved(
                for: entity, in: model, variables: variables, assignedTo: attribute)
            try PredicateSupport(model).check(resolved, entityName: entity)
        } catch let error as GraphPredicateError {
            throw Diagnostic(predicateError: error, at: text.location)
        } catch let error as StoreError {
            throw Diagnostic(
                code: "predicate.unsupported", error.message, at: .source(text.location))
        }
    }

    /// A value of the right kind for every name that a run will know.
    private static func placeholders(_ spec: PipelineSpec) -> [String: GraphValue] {
        var values: [String: GraphValue] = [
            "now": .date(secondsSinceReference: 0), "today": .date(secondsSinceReference: 0),
        ]
        for parameter in spec.parameters {
            values[parameter.name] =
                switch parameter.kind {
                case .string, .path, .secret: .string("")
                case .int, .duration: .integer(0)
                case .bool: .boolean(false)
                case .date: .date(secondsSinceReference: 0)
                }
        }
        return values
    }
}
