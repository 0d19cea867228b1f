import Diagnostics
import YAML

/// Checks the rules over whole objects, once there is a model to check them against.
enum RuleLints {
    static func check(
        _ declared: ModelDeclarations, _ model: ManagedObjectModel, _ problems: YAMLProblems
    ) {
        for entity in declared.entities {
            for (rule, place) in zip(entity.description.validationRules, entity.rulePlaces) {
                check(rule, of: entity.name, at: place, model, problems)
            }
        }
    }

    private static func check(
        _ rule: ValidationRule, of entity: String, at place: SourceLocation,
        _ model: ManagedObjectModel, _ problems: YAMLProblems
    ) {
        func report(_ code: String, _ message: String, fix: String? = nil) {
            problems.report(Diagnostic(code: code, message, at: .source(place), fix: fix))
        }
        let resolved: GraphPredicate
        do {
            resolved = try ParsedPredicate(format: rule.predicate)
                .resolved(for: entity, in: model, allowsTransient: true)
            _ = try CompiledPredicate(resolved) { _ in 0 }
        } catch {
            return report(error.code.rawValue, error.description)
        }
        for path in resolved.keyPaths {
            if path.count > 1 {
                report(
                    "model.rule",
                    "A rule may not follow a relationship yet, as '\(path.joined(separator: "."))'"
                        + " does", fix: "use properties of the object itself")
            } else if model.attribute(path[0], of: entity)?.isTransient == true {
                report("model.rule", "'\(path[0])' is transient, so no stored row has it")
            }
        }
    }
}
