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
            // A text is in another that contains it.
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

    /// The slot that is compared with nil; nil for other comparisons.
    ///
    /// A node of its own answers that: it is all that can be asked of a list in a record.
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
        if comparison.op != .contains { try refuseSeveral(left) }
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
        case .contains where left.shape != .single: try refuseSeveral(right)
        case .contains, .beginsWith, .endsWith, .like, .matches:
            try refuseSeveral(right)
            if case .constant(let value) = nodes[right.node], !value.isNull,
                value.textBytes == nil
            {
                throw error(
                    .type, "\(comparison.op.rawValue) needs text on its right, such as 'a'")
            }
        default: try refuseSeveral(right)
        }
    }

    // MARK: Functions

    /// Adds a call of a function.
    mutating func function(
        _ name: String, _ arguments: [GraphExpression]
    ) throws(GraphPredicateError) -> Compiled {
        guard let counts = PredicateKeywords.functions[name] else {
            throw error(.function, "There is no function '\(name)'")
        }
        var parts: [Compiled] = []
        for argument in arguments { parts.append(try compile(argument)) }
        guard counts.contains(parts.count) else {
            throw error(.function, "'\(name)' does not take \(parts.count) arguments")
        }
        if name == "now" { return add(.constant(.date(setting.now))) }
        if name == "today" {
            let day = (setting.now / 86_400).rounded(.down) * 86_400
            return add(.constant(.date(day)))
        }
        guard let function = EvaluationFunction(rawValue: name) else {
            throw error(.function, "There is no function '\(name)'")
        }
        let takesList = function == .join || function == .pick
        if takesList, parts[0].shape == .single {
            throw error(
                .type,
                function == .join
                    ? "'join' needs a collection or a list, then a separator"
                    : "'pick' needs a list, such as {'low', 'high'}")
        }
        if function.isDrawn { parts += try drawn(by: name) }
        for part in takesList ? parts.dropFirst() : parts[...] {
            try refuseSeveral(part)
        }
        try checkConstants(function, arguments)
        let list = program.list(parts.map(\.node))
        return add(.function(function, list), function == .split ? .several : .single)
    }

    /// What a drawing function is called with besides its arguments: the stream that is its own,
    /// and the row.
    private mutating func drawn(by name: String) throws(GraphPredicateError) -> [Compiled] {
        guard let drawing = setting.drawing else {
            throw error(
                .function, "'\(name)' makes values of generated records, and nothing else")
        }
        drawCount += 1
        let row = try compile(.keyPath(drawing.rowPath))
        let stream = add(.constant(.integer(drawing.stream(drawCount))), .single)
        hiddenNodes += 2
        return [stream, row]
    }

    /// Tells what a constant is worth before anything runs.
    private func checkConstants(
        _ function: EvaluationFunction, _ arguments: [GraphExpression]
    ) throws(GraphPredicateError) {
        guard arguments.count == 2, case .constant(.string(let text)) = arguments[1] else { return }
        switch function {
        case .date, .format:
            do throws(DatePattern.ParsingError) {
                _ = try DatePattern(parsing: text)
            } catch {
                throw self.error(
                    .function,
                    error.description + (error.correction.map { ", as in '\($0)'" } ?? ""))
            }
        case .cast:
            guard let type = AttributeType(rawValue: text), CastFunction.makes(type) else {
                throw error(
                    .function, "cast needs the name of an attribute's type, such as 'Integer 64'")
            }
        default: break
        }
    }
}
