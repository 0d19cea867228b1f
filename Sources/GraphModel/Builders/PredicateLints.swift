import Diagnostics
import YAML

/// Checks the predicates of partial indexes against the model.
struct PredicateLints {
    private let model: ManagedObjectModel
    private let problems: YAMLProblems

    static func check(
        _ declared: ModelDeclarations, _ model: ManagedObjectModel, _ problems: YAMLProblems
    ) {
        let lints = PredicateLints(model: model, problems: problems)
        for entity in declared.entities {
            for (index, place) in zip(entity.description.indexes, entity.indexPredicatePlaces) {
                lints.check(index, of: entity.name, at: place)
            }
        }
    }

    private func error(_ code: String, _ message: String, _ place: SourceLocation) {
        problems.report(code, message, at: .source(place))
    }

    private func check(
        _ index: FetchIndexDescription, of entity: String, at place: SourceLocation
    ) {
        guard let text = index.partialIndexPredicate else { return }
        let found = FormatCheck(entityName: entity, model: model).predicate(text)
        for mistake in found.mistakes {
            error(mistake.code.rawValue, mistake.description, place)
        }
        guard found.mistakes.isEmpty, let predicate = found.resolved else { return }
        guard predicate.comparesWithConstants else {
            return error(
                "model.index",
                "A partial index takes comparisons (==, !=, <, <=, >, >=) of properties with"
                    + " values, joined by AND and OR", place)
        }
        for path in predicate.keyPaths {
            let isStored =
                path.count == 1
                && model.attribute(path[0], of: entity).map { !$0.isTransient } ?? true
                && model.relationship(path[0], of: entity)?.isToMany != true
                && !model.isTransientRelationship(path[0], of: entity)
                && !model.isObjectNumber(path[0], of: entity)
            if !isStored {
                error(
                    "model.index",
                    "'\(path.joined(separator: "."))' has no column in the indexed row", place)
            }
        }
    }
}

extension GraphPredicate {
    /// Whether the predicate only compares properties with values, which every SQLite can evaluate.
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
