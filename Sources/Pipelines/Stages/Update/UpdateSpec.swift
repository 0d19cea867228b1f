package import Diagnostics
import GraphModel
import GraphStore
import YAML

/// The keys of an `update`.
enum UpdateKeys {
    static let update = Key(
        required: "update", StageKeys.nameForm, "The stage's name.", example: "calm-down")
    static let entity = Key(
        required: "entity", .text, "The entity, including sub-entities.", example: "Task")
    static let set = Key(
        required: "set", UpdateSpec.Assignment.form,
        """
        The new values of attributes: [an expression](predicates.md) in text, or a constant. A \
        date is an expression, too: `due: "cast('2026-05-05', 'Date')"`. Add seconds to move it: \
        `due: "cast(cast(due, 'Double') + 7 * 86400, 'Date')"`. Relationships are not set here, \
        but by `link` of an import.
        """, example: "{ priority: priority + 1 }")
    static let mapping = DescribedMapping(
        "update", "Sets new values of the objects that match.",
        example: """
              - update: escalate
                entity: Task
                where: "isCompleted == NO AND dueOn < $today AND priority < 2"
                set: { priority: "priority + 1" }
                at-most: 10%
            """, page: "stage-update.md",
        keys: [update, entity, StageKeys.selection, set] + ChangeKeys.all + [StageKeys.always])
}

/// An `update` stage, which sets attributes of the objects that match.
package struct UpdateSpec: Sendable, Hashable {
    /// The new value of an attribute.
    package enum NewValue: Sendable, Hashable {
        case expression(ExpressionText)
        case constant(ConstantValue)
        /// An unreadable value, which has been reported.
        case unreadable
    }

    /// An attribute and its new value.
    package struct Assignment: Sendable, Hashable {
        /// The attribute's name, with the location of its key.
        package var attribute: PlacedText
        /// The new value.
        package var value: NewValue
        /// The location of the value.
        package var location: SourceLocation

        /// Whether the value is null, which is also allowed for a complete composite.
        var isNull: Bool {
            if case .constant(.null) = value { true } else { false }
        }
    }

    /// The entity, including sub-entities.
    package var entity: PlacedText
    /// The objects to change.
    package var selection: Selection
    /// The assignments, in the order of the file.
    package var set: [Assignment]
    /// The limits and rules of the update.
    package var extent = ChangeExtent()
}

extension UpdateSpec: StageKind {
    static let mapping = UpdateKeys.mapping
    static let isWriting = true

    static func read(_ keys: KeyedMapping) -> ReadStage {
        var stage = ReadStage(word, named: keys[UpdateKeys.update], keys.reader)
        let set = keys[UpdateKeys.set]
        if let set, set.isEmpty { keys.source.value.fail("set", "'set' names no attribute") }
        stage.kind = UpdateSpec(
            entity: keys[UpdateKeys.entity] ?? PlacedText("", keys.location),
            selection: keys[StageKeys.selection] ?? .all, set: set ?? [],
            extent: ChangeExtent(keys))
        return stage
    }

    var entityName: String? { entity.text }

    func check(_ checker: inout SpecificationChecker) {
        guard let entity = checker.entity(entity) else { return }
        for assignment in set { checker.check(assignment, of: self, entity) }
    }

    func check(_ checker: inout ExpressionChecker) {
        checker.check(selection, entity.text)
        for assignment in set { checker.check(assignment, entity.text, extent.rules) }
    }
}

extension UpdateSpec.Assignment {
    fileprivate static let form = Form<[UpdateSpec.Assignment]>.named("ATTRIBUTE", .constant) {
        name, value, reader in
        UpdateSpec.Assignment(
            attribute: name, value: newValue(value, reader) ?? .unreadable,
            location: value.location)
    }

    private static func newValue(
        _ value: YAMLValue, _ reader: SpecificationReader
    ) -> UpdateSpec.NewValue? {
        guard let scalar = value.scalar else {
            let mapping = value.isMapping ? value.mapping() : nil
            return value.wrong(
                "an expression or a constant",
                fix: mapping.flatMap(FieldMapping.elementFix)
                    ?? "write the expression itself: \"priority + 1\"")
        }
        guard scalar.value == .text else {
            return Form.constant.read(value, reader).map { .constant($0) }
        }
        return Form.expression.read(value, reader).map { .expression($0) }
    }
}

extension SpecificationChecker {
    fileprivate mutating func check(
        _ assignment: UpdateSpec.Assignment, of spec: UpdateSpec, _ entity: EntityDescription
    ) {
        let name = assignment.attribute.text
        let elements = model.elements(of: name, in: entity.name)
        // An unreadable value has already been reported.
        if case .unreadable = assignment.value, elements != nil { return }
        if assignment.isNull, let elements {
            for element in elements {
                checkConstant(.null, for: element, at: assignment.location, spec.extent.rules)
            }
            return checkNull(
                of: name, with: spec.set.map(\.attribute.text), entity, at: assignment.location)
        }
        guard let attribute = attribute(assignment.attribute, of: entity, or: spec.word),
            case .constant(let constant) = assignment.value
        else { return }
        checkConstant(constant, for: attribute, at: assignment.location, spec.extent.rules)
    }
}

extension ExpressionChecker {
    fileprivate mutating func check(
        _ assignment: UpdateSpec.Assignment, _ entity: String, _ rules: BatchRules
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

    /// Returns the problem of a constant expression for an attribute, or `nil`.
    private static func problem(
        with expression: GraphExpression, for attribute: AttributeDescription,
        _ rules: BatchRules
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
}
