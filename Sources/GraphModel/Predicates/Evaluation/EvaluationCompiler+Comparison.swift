extension EvaluationCompiler {
    /// Adds a comparison and returns its node.
    mutating func compile(
        _ comparison: GraphComparison
    ) throws(GraphPredicateError) -> Int {
        var comparison = comparison
        var left = try compile(comparison.left)
        var right = try compile(comparison.right)
        if comparison.op == .in, right.shape == .single, comparison.modifier == .direct,
            mayBeText(comparison.right)
        {
            // `IN` between two strings means that the right one contains the left one.
            comparison = GraphComparison(
                comparison.right, .contains, comparison.left, options: comparison.options)
            swap(&left, &right)
        }
        try checkLeft(comparison, left)
        try checkRight(comparison, left, right)
        if comparison.op == .matches, case .constant(.string(let text)) = comparison.right {
            do throws(PatternError) {
                program.patterns.append(
                    try PatternMatch.compile(Array(text.utf8), comparison.options))
            } catch {
                throw self.error(.type, error.description)
            }
            nodes[right.node] = .pattern(program.patterns.count - 1)
        }
        if comparison.modifier == .direct, let slot = slotTestedForNil(left, right) {
            if comparison.op == .equal { return add(.nilTest(slot, isNegated: false)) }
            if comparison.op == .notEqual { return add(.nilTest(slot, isNegated: true)) }
        }
        return add(
            .comparison(
                comparison.op, comparison.options, comparison.modifier, left.node, right.node,
                left.shape))
    }

    private func mayBeText(_ expression: GraphExpression) -> Bool {
        switch expression {
        case .constant(.string), .keyPath, .function, .conditional, .member, .index: true
        case .variable(let name, _):
            if case .string? = setting.variables[name] {
                true
            } else {
                setting.variables[name] == nil
            }
        default: false
        }
    }

    /// Returns the slot that is compared with nil, or `nil` for other comparisons.
    ///
    /// The comparison has a separate node, since it is the only one that a list in a record
    /// supports.
    private func slotTestedForNil(_ left: Compiled, _ right: Compiled) -> Int? {
        guard left.shape == .single, right.shape == .single else { return nil }
        switch (nodes[left.node], nodes[right.node]) {
        case (.slot(let slot), .constant(.null)), (.constant(.null), .slot(let slot)):
            return slot
        default: return nil
        }
    }

    private func checkLeft(
        _ comparison: GraphComparison, _ left: Compiled
    ) throws(GraphPredicateError) {
        guard comparison.modifier == .direct else {
            if left.shape == .single {
                throw error(
                    .toMany, "\(comparison.modifier.rawValue) needs a to-many key path after it")
            }
            return
        }
        if comparison.op != .contains { try rejectSeveral(left) }
    }

    private func checkRight(
        _ comparison: GraphComparison, _ left: Compiled, _ right: Compiled
    ) throws(GraphPredicateError) {
        switch comparison.op {
        case .in:
            if right.shape == .single {
                throw error(.type, "IN needs a list on its right: {1, 2}")
            }
        case .between:
            if case .list(let bounds) = nodes[right.node], bounds.count != 2 {
                throw error(.type, "BETWEEN needs a list of two bounds: {1, 5}")
            }
            if right.shape == .single {
                throw error(.type, "BETWEEN needs a list of two bounds: {1, 5}")
            }
        case .contains where left.shape != .single: try rejectSeveral(right)
        case .contains, .beginsWith, .endsWith, .like, .matches:
            try rejectSeveral(right)
            if case .constant(let value) = nodes[right.node], !value.isNull,
                value.textBytes == nil
            {
                throw error(
                    .type, "\(comparison.op.rawValue) needs text on its right, such as 'a'")
            }
        default: try rejectSeveral(right)
        }
    }

    // MARK: Functions

    /// Adds a call of a function and returns it.
    mutating func function(
        _ name: String, _ arguments: [GraphExpression]
    ) throws(GraphPredicateError) -> Compiled {
        guard let function = PredicateFunction.named[name] else {
            throw error(.function, "There is no function '\(name)'")
        }
        var parts = try arguments.map { part throws(GraphPredicateError) in try compile(part) }
        guard function.counts.contains(parts.count) else {
            throw error(.function, "'\(name)' does not take \(parts.count) arguments")
        }
        if case .moment(let moment) = function.evaluation {
            return add(.constant(.date(moment(setting.now))))
        }
        if let wanted = function.parameters.first?.takes.wantedList, parts[0].shape == .single {
            throw error(.type, "'\(name)' needs \(wanted)")
        }
        if function.isOfGeneratedRecords { parts.append(try drawn(by: name)) }
        for part in parts.dropFirst(function.takesList ? 1 : 0) {
            try rejectSeveral(part)
        }
        try checkConstants(function, arguments)
        let list = program.list(parts.map(\.node))
        program.functions.append(function.evaluation)
        return add(
            .function(program.functions.count - 1, list),
            function.result == .texts ? .several : .single)
    }

    /// Adds the hidden last argument of a function such as `random`.
    ///
    /// The argument is the number that each row draws from the call's own stream.
    private mutating func drawn(by name: String) throws(GraphPredicateError) -> Compiled {
        guard let drawing = setting.drawing else {
            throw error(
                .function, "'\(name)' makes values of generated records, and nothing else")
        }
        drawCount += 1
        let row = try compile(.keyPath(drawing.rowPath))
        hiddenNodes += 2
        return add(.drawing(stream: drawing.stream(drawCount), row: row.node))
    }

    /// Throws if a constant argument is invalid, before the program runs.
    private func checkConstants(
        _ function: PredicateFunction, _ arguments: [GraphExpression]
    ) throws(GraphPredicateError) {
        for (argument, parameter) in zip(arguments, function.parameters) {
            guard case .constant(.string(let text)) = argument else { continue }
            switch parameter.takes {
            case .datePattern:
                do throws(DatePattern.ParsingError) {
                    _ = try DatePattern(parsing: text)
                } catch {
                    throw self.error(
                        .function,
                        error.description + (error.correction.map { ", as in '\($0)'" } ?? ""))
                }
            case .typeName:
                guard let type = AttributeType(rawValue: text), CastFunction.makes(type) else {
                    throw error(.function, CastFunction.needsType)
                }
            default: break
            }
        }
    }
}
