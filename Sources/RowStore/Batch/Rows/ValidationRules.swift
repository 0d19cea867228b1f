import GraphModel
import SQLite

/// An entity's rules over complete objects, including inherited rules, resolved against the model.
package struct ValidationRules {
    /// One rule of an entity.
    package struct Rule {
        /// The condition that a valid object meets.
        package var predicate: GraphPredicate
        /// The message for an object that violates the rule.
        package var message: String
        /// The property that must have a value, if the rule requires one.
        package var required: String?
    }

    /// The rules, an ancestor's rules first.
    package let rules: [Rule]

    /// Parses the rules of an entity and of its ancestors.
    ///
    /// - Throws: `StoreError` if a rule does not parse or reads a property that a row does not
    ///   store.
    package init(of entity: String, in model: ManagedObjectModel) throws(StoreError) {
        var rules: [Rule] = []
        for declaring in model.lineage(of: entity).reversed() {
            for rule in declaring.validationRules {
                let predicate = try Self.resolve(rule, of: entity, in: model)
                rules.append(Rule(predicate: predicate, message: rule.message))
            }
            for element in model.ownAttributes(of: declaring) where !element.isTransient {
                if let rule = Self.rule(of: element, in: declaring.name, model) {
                    rules.append(rule)
                }
            }
            rules += model.ownRequiredComposites(of: declaring).map(Self.rule)
        }
        self.rules = rules
    }

    /// Returns the rule of an optional composite's element that is required if another element has
    /// a value.
    private static func rule(
        of element: AttributeDescription, in entity: String, _ model: ManagedObjectModel
    ) -> Rule? {
        guard let whole = element.requiredBeside else { return nil }
        let others = (model.elements(of: whole, in: entity) ?? []).filter {
            $0.name != element.name && !$0.isTransient
        }
        guard !others.isEmpty else { return nil }
        return Rule(
            predicate: .or([.not(isNil(element.name)), .and(others.map { isNil($0.name) })]),
            message: "'\(element.name)' is required where '\(whole)' has a value",
            required: element.name)
    }

    /// Returns the rule of a composite of which at least one element must have a value.
    private static func rule(of composite: RequiredComposite) -> Rule {
        var predicate = GraphPredicate.or(composite.elements.map { .not(isNil($0)) })
        var message = "'\(composite.path)' is required"
        if let whole = composite.dependent {
            predicate = .or([predicate, .and(composite.others.map(isNil))])
            message += " where '\(whole)' has a value"
        }
        return Rule(predicate: predicate, message: message, required: composite.path)
    }

    private static func isNil(_ name: String) -> GraphPredicate {
        .comparison(GraphComparison(.keyPath([name]), .equal, .constant(.null)))
    }

    private static func resolve(
        _ rule: ValidationRule, of entity: String, in model: ManagedObjectModel
    ) throws(StoreError) -> GraphPredicate {
        do {
            return try ParsedPredicate(format: rule.predicate)
                .resolved(for: entity, in: model, allowsTransient: true)
        } catch {
            throw StoreError(.invalidRequest, "A rule of '\(entity)': \(error.rendered)")
        }
    }

    var isEmpty: Bool { rules.isEmpty }

    /// The properties that the rules read; each is an attribute or a to-one of the entity.
    package var properties: [String] {
        var found: [String] = []
        for path in rules.flatMap(\.predicate.keyPaths) where !found.contains(path[0]) {
            found.append(path[0])
        }
        return found
    }
}

/// The rules as a load applies them to a row's cells before the row is written.
struct RowRules {
    /// The source of a property's value.
    private enum Place {
        /// A column of the plan; if the record omits it, the existing row's value or the default.
        case column(Int, BulkCell)
        /// A column that the plan does not write, by its offset after the plan's columns.
        case extra(Int, BulkCell)
    }

    /// The owner of the bytes of default values.
    private final class Memory {
        var arena = ByteArena()
    }

    private struct Slot {
        var place: Place
        var type: AttributeType
    }

    private let memory = Memory()
    /// The properties that the rules read, in the order of `slots`.
    private let properties: [String]
    private var slots: [Slot] = []
    private var rules: [(predicate: CompiledPredicate, rule: ValidationRules.Rule)] = []
    /// The columns that the select of a row must also return.
    private(set) var extraColumns: [String] = []

    init(
        _ entity: StoreLayout.Entity, _ columns: [ColumnPlan.Column],
        _ model: ManagedObjectModel
    ) throws(StoreError) {
        let compiled = try ValidationRules(of: entity.name, in: model)
        let properties = compiled.properties
        self.properties = properties
        for property in properties {
            let attribute = entity.attributes[property]
            let toOne = entity.toOnes[property]
            guard
                let column = attribute?.column
                    ?? toOne.map({ $0.column ?? $0.key(of: entity.table) })
            else {
                throw StoreError(
                    .invalidRequest,
                    "A rule of '\(entity.name)' reads '\(property)', which a"
                        + " row does not hold")
            }
            let type = attribute?.attribute.type ?? .integer64
            let value = memory.arena.cell(attribute?.attribute.defaultValue ?? .null)
            if let place = columns.firstIndex(where: { $0.name == column }) {
                slots.append(Slot(place: .column(place, value), type: type))
            } else {
                slots.append(Slot(place: .extra(extraColumns.count, value), type: type))
                extraColumns.append(column)
            }
        }
        for rule in compiled.rules {
            do {
                let predicate = try CompiledPredicate(rule.predicate) { path in
                    properties.firstIndex(of: path[0])
                }
                rules.append((predicate, rule))
            } catch {
                throw StoreError(.invalidRequest, "A rule of '\(entity.name)': \(error.rendered)")
            }
        }
    }

    var isEmpty: Bool { rules.isEmpty }

    /// Returns the message of the first rule that the row would violate.
    ///
    /// - Parameters:
    ///   - found: The existing row, if any, of a select of the plan.
    ///   - firstColumn: The index of the plan's first column in the select.
    func problem(
        with row: ResolvedRow, found: Statement?, firstColumn: Int32
    ) -> (message: String, required: String?)? {
        let values = RuleRow(rules: self, row: row, found: found, firstColumn: firstColumn)
        for (predicate, rule) in rules {
            do {
                guard try !predicate.evaluate(values) else { continue }
                return (rule.message, rule.required)
            } catch {
                return ("\(rule.message) (\(error))", nil)
            }
        }
        return nil
    }

    /// Returns the messages of all rules that the row would violate.
    ///
    /// - Parameter unknown: The columns with unknown values; rules that read them are skipped.
    func problems(
        with row: ResolvedRow, found: Statement?, firstColumn: Int32, but unknown: Set<Int>
    ) -> [(message: String, required: String?)] {
        rules.compactMap { entry in
            let isKnown = entry.rule.predicate.keyPaths.allSatisfy { path in
                guard let slot = properties.firstIndex(of: path[0]) else { return true }
                guard case .column(let column, _) = slots[slot].place else { return true }
                return !unknown.contains(column)
            }
            guard isKnown else { return nil }
            var single = self
            single.rules = [entry]
            return single.problem(with: row, found: found, firstColumn: firstColumn)
        }
    }

    /// A row for the evaluation of rules.
    private struct RuleRow: EvaluationRow {
        let rules: RowRules
        let row: ResolvedRow
        let found: Statement?
        let firstColumn: Int32

        func value(at slot: Int) -> EvaluatedValue {
            let slot = rules.slots[slot]
            switch slot.place {
            case .column(let column, let defaultValue):
                let cell = row.cells[column]
                guard cell.kind == .absent else { return RowRules.value(cell, slot.type) }
                return stored(firstColumn + Int32(column), defaultValue, slot.type)
            case .extra(let extra, let defaultValue):
                return stored(
                    firstColumn + Int32(row.cells.count + extra), defaultValue, slot.type)
            }
        }

        private func stored(
            _ column: Int32, _ defaultValue: BulkCell, _ type: AttributeType
        ) -> EvaluatedValue {
            if let found { return RowRules.value(BulkCell(column: column, of: found), type) }
            return RowRules.value(defaultValue, type)
        }
    }

    private static func value(_ cell: BulkCell, _ type: AttributeType) -> EvaluatedValue {
        switch cell.kind {
        case .absent, .null, .list: .null
        case .integer:
            switch type {
            case .boolean: .boolean(cell.integerValue != 0)
            case .date: .date(Double(cell.integerValue))
            case .double, .float, .decimal: .double(Double(cell.integerValue))
            default: .integer(cell.integerValue)
            }
        case .real: type == .date ? .date(cell.realValue) : .double(cell.realValue)
        case .text: type == .decimal ? .decimal(cell.bytes) : .text(cell.bytes)
        case .blob: type == .uuid ? .uuid(cell.bytes) : .binary(cell.bytes)
        }
    }
}
