import Diagnostics
import YAML

/// Checks the rules over whole objects and the predicates of partial indexes against the model.
struct FormatLints {
    private let model: ManagedObjectModel
    private let problems: YAMLProblems

    static func check(
        _ declared: ModelDeclarations, _ model: ManagedObjectModel, _ problems: YAMLProblems
    ) {
        let lints = FormatLints(model: model, problems: problems)
        for entity in declared.entities {
            for (rule, place) in zip(entity.description.validationRules, entity.rulePlaces) {
                lints.check(rule.predicate, of: entity.name, at: place)
            }
        }
        for entity in declared.entities {
            for (index, place) in zip(entity.description.indexes, entity.indexPredicatePlaces) {
                lints.check(index, of: entity.name, at: place)
            }
        }
    }

    /// Returns the predicate, or reports its mistakes.
    private func resolved(
        _ text: String, _ check: FormatCheck, at place: SourceLocation
    ) -> GraphPredicate? {
        let found = check.predicate(text)
        for mistake in found.mistakes {
            problems.report(mistake.code.rawValue, mistake.description, at: .source(place))
        }
        return found.mistakes.isEmpty ? found.resolved : nil
    }

    private func check(_ rule: String, of entity: String, at place: SourceLocation) {
        let check = FormatCheck(entityName: entity, model: model, allowsTransient: true)
        guard let resolved = resolved(rule, check, at: place),
            !resolved.keyPaths.contains(where: {
                model.attribute($0[0], of: entity)?.isDoubtful ?? false
            })
        else { return }
        do {
            _ = try CompiledPredicate(resolved) { _ in 0 }
        } catch {
            return problems.report(
                error.code.rawValue, error.description, at: .source(place))
        }
        for path in resolved.keyPaths {
            if path.count > 1 {
                problems.report(
                    "model.rule",
                    "A rule may not follow a relationship yet, as '\(path.joined(separator: "."))'"
                        + " does", at: .source(place), fix: "use properties of the object itself")
            } else if model.isObjectNumber(path[0], of: entity) {
                problems.report(
                    "model.rule",
                    "A rule cannot use '\(path[0])': new objects are checked before they have a"
                        + " number", at: .source(place))
            } else if model.attribute(path[0], of: entity)?.isTransient == true
                || model.isTransientRelationship(path[0], of: entity)
            {
                problems.report(
                    "model.rule", "'\(path[0])' is transient, so no stored row has it",
                    at: .source(place))
            }
        }
    }

    private func check(
        _ index: FetchIndexDescription, of entity: String, at place: SourceLocation
    ) {
        guard let text = index.partialIndexPredicate else { return }
        let check = FormatCheck(entityName: entity, model: model)
        guard let predicate = resolved(text, check, at: place) else { return }
        guard predicate.comparesWithConstants else {
            return problems.report(
                "model.index",
                "A partial index takes comparisons (==, !=, <, <=, >, >=) of properties with"
                    + " values, joined by AND and OR", at: .source(place))
        }
        for path in predicate.keyPaths {
            let isStored =
                path.count == 1
                && model.attribute(path[0], of: entity).map { !$0.isTransient } ?? true
                && model.relationship(path[0], of: entity)?.isToMany != true
                && !model.isTransientRelationship(path[0], of: entity)
                && !model.isObjectNumber(path[0], of: entity)
            if !isStored {
                problems.report(
                    "model.index",
                    "'\(path.joined(separator: "."))' has no column in the indexed row",
                    at: .source(place))
            }
        }
    }
}

extension GraphPredicate {
    /// Whether the predicate only compares properties with values.
    ///
    /// Every version of SQLite can evaluate such a predicate in a partial index.
    fileprivate var comparesWithConstants: Bool {
        switch self {
        case .constant, .not: return false
        case .and(let parts), .or(let parts): return parts.allSatisfy(\.comparesWithConstants)
        case .comparison(let comparison):
            let ops: [ComparisonOperator] = [
                .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
            ]
            guard case .keyPath = comparison.left, case .constant = comparison.right else {
                return false
            }
            return ops.contains(comparison.op) && comparison.options.isEmpty
                && comparison.modifier == .direct
        }
    }
}
