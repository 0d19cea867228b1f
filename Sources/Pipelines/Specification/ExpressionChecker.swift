package import Diagnostics
package import GraphModel
import GraphStore

/// Checks a spec's predicates and expressions against the model, before any value is known.
package struct ExpressionChecker {
    private let model: ManagedObjectModel?
    /// Tells what a store cannot answer; nil where the model has errors, and made when something
    /// is asked: many specs ask nothing.
    private lazy var support = isWhole ? model.map(PredicateSupport.init) : nil
    private let isWhole: Bool
    private let variables: [String: any GraphPredicateArgument]
    private var found: [Diagnostic] = []

    /// Every problem, at its place in the spec; without a model, those that need none.
    ///
    /// - Parameters:
    ///   - model: may be what is certain of a model with errors.
    ///   - isWhole: whether it is the whole model.
    package static func check(
        _ spec: PipelineSpec, _ model: ManagedObjectModel?, isWhole: Bool = true
    ) -> [Diagnostic] {
        var checker = ExpressionChecker(spec, model, isWhole: isWhole)
        for stage in spec.stages { checker.check(stage.kind) }
        return checker.found
    }

    private init(_ spec: PipelineSpec, _ model: ManagedObjectModel?, isWhole: Bool) {
        self.model = model
        self.isWhole = isWhole
        variables = Self.placeholders(spec)
    }

    private mutating func check(_ kind: StageKind) {
        switch kind {
        case .import(let stage):
            let records = RecordExpressionCheck(variables: variables)
            if let text = stage.keepIf { found += records.problems(in: text) }
            for subject in stage.expressions(in: model) { found += records.problems(in: subject) }
            if let mirror = stage.mirror { check(mirror.selection, stage.into.text) }
        case .update(let stage):
            check(stage.selection, stage.entity.text)
            for assignment in stage.set {
                check(assignment, stage.entity.text, stage.rules)
            }
        case .delete(let stage): check(stage.selection, stage.entity.text)
        case .export(let stage): check(stage.selection, stage.entity.text)
        case .verify(let stage):
            for expectation in stage.expectations {
                check(expectation.selection, expectation.entity.text)
            }
        }
    }

    private mutating func check(_ selection: Selection, _ entity: String) {
        guard case .matching(let text) = selection else { return }
        let (resolved, mistakes) = formatCheck(entity).predicate(text.text)
        report(mistakes, text.location)
        warn(ofPercents: resolved?.percentPatterns ?? [], text.location)
        guard mistakes.isEmpty, let resolved, let support else { return }
        reportThrown(at: text.location) { () throws(StoreError) in
            try support.check(resolved, entityName: entity)
        }
    }

    private mutating func check(
        _ assignment: UpdateSpec.Assignment, _ entity: String, _ rules: ChangeRules
    ) {
        guard case .expression(let text) = assignment.value else { return }
        let attribute = model?.attribute(assignment.attribute.text, of: entity)
        let target = attribute.flatMap { $0.isDoubtful ? nil : $0 }
        let (resolved, mistakes) = formatCheck(entity).expression(text.text, assignedTo: target)
        report(mistakes.map { $0.offeringText(text.text) }, text.location)
        warn(ofPercents: resolved?.percentPatterns ?? [], text.location)
        guard mistakes.isEmpty, let resolved else { return }
        if let target, let problem = Self.problem(with: resolved, for: target, rules) {
            found.append(
                Diagnostic(code: "spec.constant", problem, at: .source(text.location)))
        } else if let support, attribute != nil {
            reportThrown(at: text.location) { () throws(StoreError) in
                try support.check(resolved, entityName: entity)
            }
        }
    }

    private func formatCheck(_ entity: String) -> FormatCheck {
        FormatCheck(entityName: entity, model: model, variables: variables)
    }

    private mutating func report(_ mistakes: [GraphPredicateError], _ place: SourceLocation) {
        found += mistakes.map { Diagnostic(predicateError: $0, at: place) }
    }

    private mutating func warn(ofPercents patterns: [String], _ place: SourceLocation) {
        found += patterns.map { Diagnostic(percentPattern: $0, at: .source(place)) }
    }

    private mutating func reportThrown(
        at place: SourceLocation, _ body: () throws(StoreError) -> Void
    ) {
        do throws(StoreError) {
            try body()
        } catch {
            found.append(
                Diagnostic(code: "predicate.unsupported", error.message, at: .source(place)))
        }
    }

    /// What an attribute says against an expression that has one value, of the right kind.
    private static func problem(
        with expression: GraphExpression, for attribute: AttributeDescription,
        _ rules: ChangeRules
    ) -> String? {
        guard case .constant(let value) = expression else { return nil }
        switch value {
        case .null:
            return attribute.isOptional
                ? nil : "'\(attribute.name)' is not optional, so it cannot be null"
        case .integer(let number):
            let constant = ConstantValue.integer(number)
            return ConstantCheck.wanted(constant, for: attribute).map {
                "'\(attribute.name)' is \(attribute.type.rawValue) and must be \($0)"
            }
                ?? (rules == .enforce ? ConstantCheck.brokenRule(constant, of: attribute) : nil)
        default: return nil
        }
    }

    /// A value of the right kind for every name that a run will know.
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
