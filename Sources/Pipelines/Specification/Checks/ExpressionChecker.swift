package import Diagnostics
package import GraphModel
import GraphStore

/// Checks a spec's predicates and expressions against the model, before any value is known.
package struct ExpressionChecker {
    let model: ManagedObjectModel?
    /// The check for unsupported predicates, or `nil` if the model has errors; many specs never
    /// need it.
    lazy var support = isWhole ? model.map(PredicateSupport.init) : nil
    private let isWhole: Bool
    let variables: [String: any GraphPredicateArgument]
    var found: [Diagnostic] = []

    /// Returns every problem with its location in the spec.
    ///
    /// - Parameters:
    ///   - model: The model, which may be the valid part of a model with errors; without a model,
    ///     only checks that need none are performed.
    ///   - isWhole: Whether it is the complete model.
    package static func check(
        _ spec: PipelineSpec, _ model: ManagedObjectModel?, isWhole: Bool = true
    ) -> [Diagnostic] {
        var checker = ExpressionChecker(spec, model, isWhole: isWhole)
        for stage in spec.stages { stage.kind.check(&checker) }
        return checker.found
    }

    private init(_ spec: PipelineSpec, _ model: ManagedObjectModel?, isWhole: Bool) {
        self.model = model
        self.isWhole = isWhole
        variables = Self.placeholders(spec)
    }

    mutating func check(_ selection: Selection, _ entity: String) {
        guard case .matching(let text) = selection else { return }
        let (resolved, mistakes) = formatCheck(entity).predicate(text.text)
        report(mistakes, text.location)
        warn(ofPercents: resolved?.percentPatterns ?? [], text.location)
        guard mistakes.isEmpty, let resolved, let support else { return }
        reportThrown(at: text.location) { () throws(StoreError) in
            try support.check(resolved, entityName: entity)
        }
    }

    func formatCheck(_ entity: String) -> FormatCheck {
        FormatCheck(entityName: entity, model: model, variables: variables)
    }

    mutating func report(_ mistakes: [GraphPredicateError], _ place: SourceLocation) {
        found += mistakes.map { Diagnostic(predicateError: $0, at: place) }
    }

    mutating func warn(ofPercents patterns: [String], _ place: SourceLocation) {
        found += patterns.map { Diagnostic(percentPattern: $0, at: .source(place)) }
    }

    mutating func reportThrown(
        at place: SourceLocation, _ body: () throws(StoreError) -> Void
    ) {
        do throws(StoreError) {
            try body()
        } catch {
            found.append(
                Diagnostic(code: "predicate.unsupported", error.message, at: .source(place)))
        }
    }

    /// Returns a value of the right kind for every name that a run will know.
    private static func placeholders(
        _ spec: PipelineSpec
    ) -> [String: any GraphPredicateArgument] {
        let moment = GraphValue.date(secondsSinceReference: 0)
        var values: [String: any GraphPredicateArgument] = ["now": moment, "today": moment]
        for parameter in spec.parameters {
            let value: any GraphPredicateArgument =
                switch parameter.kind {
                case .string, .path, .secret: GraphValue.string("")
                case .int, .duration: GraphValue.integer(0)
                case .bool: GraphValue.boolean(false)
                case .date: moment
                case .list: GraphExpression.aggregate([])
                }
            values[parameter.name] = value
        }
        return values
    }
}
