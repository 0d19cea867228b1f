import GraphModel
import SQLite

/// An entity's rules over the whole object, inherited ones too, resolved against the model.
struct ValidationRules {
    struct Rule {
        var predicate: GraphPredicate
        var message: String
        /// What must have a value, where the rule asks for one.
        var required: String?
    }

    let rules: [Rule]

    /// - Throws: `StoreError` where a rule does not parse or looks at what a row does not hold.
    init(of entity: String, in model: ManagedObjectModel) throws(StoreError) {
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

    /// An element of an optional composite that must have a value beside the others.
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

    /// A composite of which some element must have a value.
    private static func rule(of composite: RequiredComposite) -> Rule {
        var predicate = GraphPredicate.or(composite.elements.map { .not(isNil($0)) })
        var message = "'\(composite.path)' is required"
        if let whole = composite.beside {
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

    /// The properties that the rules look at; each is an attribute or a to-one of the entity.
    var properties: [String] {
        var found: [String] = []
        for path in rules.flatMap(\.predicate.keyPaths) where !found.contains(path[0]) {
            found.append(path[0])
        }
        return found
    }
}

/// The rules as a load checks them: on a row's cells, before it is written.
struct RowRules {
    /// Where a property's value is.
    private enum Place {
        /// A column of the plan, else, where the record says nothing, of the row that is there.
        case column(Int, BulkCell)
        /// A column that the plan does not write, by its place behind the plan's columns.
        case extra(Int, BulkCell)
    }

    /// Keeps the bytes of defaults.
    private final class Memory {
        var arena = ByteArena()
    }

    private struct Slot {
        var place: Place
        var type: AttributeType
    }

    private let memory = Memory()
    /// The properties that the rules look at; each has the slot of its place.
    private let properties: [String]
    private var slots: [Slot] = []
    private var rules: [(predicate: CompiledPredicate, rule: ValidationRules.Rule)] = []
    /// Columns that the select of a row must also give.
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
                    "A rule of '\(entity.name)' looks at '\(property)', which a"
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
                    path.count == 1 ? properties.firstIndex(of: path[0]) : nil
                }
                rules.append((predicate, rule))
            } catch {
                throw StoreError(.invalidRequest, "A rule of '\(entity.name)': \(error.rendered)")
            }
        }
    }

    var isEmpty: Bool { rules.isEmpty }

    /// What the first rule that the row would break says.
    ///
    /// - Parameters:
    ///   - found: the row that is there, if one is, on a select of the plan.
    ///   - firstColumn: where the plan's columns begin in the select.
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

    /// What the rules that the row would break say, all of them.
    ///
    /// - Parameter unknown: columns of which nothing is known; rules that look at them are left out.
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

    /// A row as the rules see it.
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
