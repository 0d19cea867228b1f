import Diagnostics
import YAML

/// Checks the rules over whole objects against the model.
struct RuleLints {
    private let model: ManagedObjectModel
    private let problems: YAMLProblems

    static func check(
        _ declared: ModelDeclarations, _ model: ManagedObjectModel, _ problems: YAMLProblems
    ) {
        let lints = RuleLints(model: model, problems: problems)
        for entity in declared.entities {
            for (rule, place) in zip(entity.description.validationRules, entity.rulePlaces) {
                lints.check(rule.predicate, of: entity.name, at: place)
            }
        }
    }

    private func report(
        _ code: String, _ message: String, _ place: SourceLocation, fix: String? = nil
    ) {
        problems.report(Diagnostic(code: code, message, at: .source(place), fix: fix))
    }

    private func check(_ rule: String, of entity: String, at place: SourceLocation) {
        let found = FormatCheck(entityName: entity, model: model, allowsTransient: true)
            .predicate(rule)
        for mistake in found.mistakes {
            report(mistake.code.rawValue, mistake.description, place)
        }
        guard found.mistakes.isEmpty, let resolved = found.resolved,
            !resolved.keyPaths.contains(where: {
                model.attribute($0[0], of: entity)?.isDoubtful ?? false
            })
        else { return }
        do {
            _ = try CompiledPredicate(resolved) { _ in 0 }
        } catch {
            return report(error.code.rawValue, error.description, place)
        }
        for path in resolved.keyPaths {
            if path.count > 1 {
                report(
                    "model.rule",
                    "A rule may not follow a relationship yet, as '\(path.joined(separator: "."))'"
                        + " does", place, fix: "use properties of the object itself")
            } else if model.isObjectNumber(path[0], of: entity) {
                report(
                    "model.rule",
                    "A rule cannot use '\(path[0])': new objects are checked before they have a"
                        + " number", place)
            } else if model.attribute(path[0], of: entity)?.isTransient == true
                || model.isTransientRelationship(path[0], of: entity)
            {
                report("model.rule", "'\(path[0])' is transient, so no stored row has it", place)
            }
        }
    }
}
