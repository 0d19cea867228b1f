import GraphModel

/// The compilation of values.
extension PredicateSQL {
    /// Compiles an expression.
    mutating func expression(_ expression: GraphExpression) throws(StoreError) -> SQLFragment {
        try operand(expression).sql
    }

    /// Compiles an expression to the form in which the attribute's column stores its value.
    mutating func value(
        _ expression: GraphExpression, for attribute: AttributeDescription
    ) throws(StoreError) -> SQLFragment {
        let operand = try operand(expression)
        return attribute.isExactDecimal ? DecimalSQL.operand(operand).sql : operand.sql
    }

    /// Compiles an expression and returns it with its type.
    mutating func operand(_ expression: GraphExpression) throws(StoreError) -> SQLOperand {
        switch expression {
        case .constant, .keyPath, .variable, .evaluatedObject:
            return try plainOperand(expression)
        default:
            return try known(expression) { compiler throws(StoreError) in
                let operand = try compiler.plainOperand(expression)
                guard expression.isDeep, operand.constant == nil else { return operand }
                return try compiler.program(for: expression, operand.type)
            }
        }
    }

    private mutating func plainOperand(
        _ expression: GraphExpression
    ) throws(StoreError) -> SQLOperand {
        switch expression {
        case .constant(let value):
            return SQLOperand(constant: value, schema)
        case .keyPath(let path):
            return try value(of: path, in: 0)
        case .evaluatedObject:
            return try value(of: [], in: 0)
        case .variable(let name, let path):
            let binding = try binding(of: name)
            return try value(of: binding.tail + path, in: binding.scope)
        case .negation(let inner):
            return try arithmetic(.subtract, .constant(.integer(0)), inner, as: expression)
        case .arithmetic(let op, let left, let right):
            return try arithmetic(op, left, right, as: expression)
        case .function(let name, let arguments):
            return try function(name, arguments, as: expression)
        case .conditional(let predicate, let yes, let no):
            let condition = try condition(predicate)
            let yes = try operand(yes)
            let no = try operand(no)
            let type = yes.type.common(with: no.type)
            return SQLOperand(
                "CASE WHEN " + condition + " THEN " + Self.part(yes, of: type) + " ELSE "
                    + Self.part(no, of: type) + " END",
                type)
        case .collection(let base, let op, let path):
            if base.isMadeCollection { return try program(for: expression, .anyInteger) }
            return try aggregate(base, op, path)
        case .index(let base, let index):
            return try element(of: base, at: index, as: expression)
        case .member(let base, let path):
            return try member(of: base, path)
        case .aggregate, .subquery:
            throw StoreError(
                .invalidRequest, "'\(expression)' is a collection, where one value is needed")
        }
    }

    /// Returns the objects or values that a subquery's variable stands for in the store.
    func binding(of variable: String) throws(StoreError) -> Binding {
        guard let binding = variables[variable] else {
            throw StoreError(
                .invalidRequest,
                "$\(variable) of a list cannot be compared with a collection of the store")
        }
        return binding
    }

    /// Returns the value at the end of a path in a scope.
    mutating func value(
        of path: [String], in scope: Int
    ) throws(StoreError) -> SQLOperand {
        let type = try scopes[scope].type(of: path)
        var value = SQLOperand(SQLFragment(try column(path, in: scope)), type)
        if type == .text, let (table, column) = scopes[scope].foldedTexts(at: path) {
            value.folded = FoldedTexts(
                table: table, column: column,
                key: try self.column(Array(path.dropLast()), in: scope), isLink: path.count > 1)
        }
        return value
    }

    /// Returns an alternative of a value that may have several types.
    static func part(_ operand: SQLOperand, of type: SQLType) -> SQLFragment {
        if type == .decimal { return DecimalSQL.operand(operand).sql }
        // A column may store an integral double as an integer, which would count as an integer
        // here.
        return type == .number && operand.type == .double
            ? "CAST(" + operand.sql + " AS REAL)" : operand.sql
    }

    // MARK: Arithmetic

    /// Uses SQL arithmetic if the bounds exclude an overflow; SQLite would continue with a rounded
    /// double.
    private mutating func arithmetic(
        _ op: ArithmeticOperator, _ left: GraphExpression, _ right: GraphExpression,
        as whole: GraphExpression
    ) throws(StoreError) -> SQLOperand {
        // At worst, compiling a side adds unused joins and aliases.
        let one = try operand(left)
        let other = try operand(right)
        if let bounds = Self.bounds(op, one.type, other.type) {
            return SQLOperand(
                "(" + one.sql + " \(op.rawValue) " + other.sql + ")", .integer(bounds))
        }
        let type: SQLType =
            one.type == .null || other.type == .null
            ? .null
            : one.type.bounds != nil && other.type.bounds != nil
                ? .anyInteger
                : one.type == .decimal || other.type == .decimal
                    ? .decimal
                    : one.type == .double || other.type == .double ? .double : .number
        return try program(for: whole, type)
    }

    /// Returns the bounds of the result; `nil` if it may overflow or is not an integer.
    static func bounds(
        _ op: ArithmeticOperator, _ left: SQLType, _ right: SQLType
    ) -> ClosedRange<Int64>? {
        guard let left = left.bounds, let right = right.bounds else { return nil }
        switch op {
        case .bitAnd, .bitOr, .shiftLeft, .shiftRight: return .min ... .max
        // SQLite has neither operator.
        case .bitXor, .power: return nil
        case .add: return corners(left, right) { $0.addingReportingOverflow($1) }
        case .subtract: return corners(left, right) { $0.subtractingReportingOverflow($1) }
        case .multiply: return corners(left, right) { $0.multipliedReportingOverflow(by: $1) }
        // The magnitude of a quotient never exceeds that of the dividend.
        case .divide: return corners(left, -1...1) { $0.multipliedReportingOverflow(by: $1) }
        }
    }

    /// Returns the bounds of an operation that is largest and smallest for bounds of its operands;
    /// `nil` if it may overflow.
    private static func corners(
        _ left: ClosedRange<Int64>, _ right: ClosedRange<Int64>,
        _ operation: (Int64, Int64) -> (partialValue: Int64, overflow: Bool)
    ) -> ClosedRange<Int64>? {
        var low = Int64.max
        var high = Int64.min
        for one in [left.lowerBound, left.upperBound] {
            for other in [right.lowerBound, right.upperBound] {
                let result = operation(one, other)
                if result.overflow { return nil }
                low = min(low, result.partialValue)
                high = max(high, result.partialValue)
            }
        }
        return low...high
    }

    // MARK: Evaluator

    /// Compiles a call of the evaluator, with all values from the store as its arguments.
    mutating func program(
        for expression: GraphExpression, _ type: SQLType
    ) throws(StoreError) -> SQLOperand {
        var program = SQLProgram(now: now)
        let tree = try slotted(expression, &program)
        if let constant = try program.constant(tree) {
            return SQLOperand(constant: constant, schema)
        }
        return SQLOperand(try program.value(tree, isDecimal: type == .decimal), type)
    }

    /// Compiles a comparison with a collection that a function creates.
    mutating func madeCollection(_ comparison: GraphComparison) throws(StoreError) -> SQLFragment {
        var program = SQLProgram(now: now)
        var comparison = comparison
        comparison.left = try slotted(comparison.left, &program)
        comparison.right = try slotted(comparison.right, &program)
        return try program.test(.comparison(comparison))
    }

    /// Replaces each part that the store must compute with a slot.
    mutating func slotted(
        _ expression: GraphExpression, _ program: inout SQLProgram
    ) throws(StoreError) -> GraphExpression {
        switch expression {
        case .constant: return expression
        case .variable(let name, _) where valueVariables.contains(name): return expression
        case .subquery(let base, let variable, let predicate) where expression.isMadeCollection:
            guard valueVariables.isEmpty else {
                throw StoreError(
                    .invalidRequest,
                    "A SUBQUERY over a list within another one works on records only")
            }
            let base = try slotted(base, &program)
            let outer = valueVariables
            valueVariables.insert(variable)
            defer { valueVariables = outer }
            return .subquery(
                base, variable: variable, try slotted(predicate, &program))
        case .function(let name, let arguments):
            if PredicateFunction.named[name]?.takesList == true, let collection = arguments.first,
                try isStoredCollection(collection)
            {
                return program.slot(for: try plainOperand(expression))
            }
            return try slottingParts(of: expression, &program)
        case .negation, .arithmetic, .aggregate:
            return try slottingParts(of: expression, &program)
        case .conditional where expression.isDeep:
            return try slottingParts(of: expression, &program)
        case .collection(let base, _, _) where base.isMadeCollection:
            return try slottingParts(of: expression, &program)
        case .index(let base, _) where base.isMadeCollection || base.isList:
            return try slottingParts(of: expression, &program)
        default:
            return program.slot(for: try operand(expression))
        }
    }

    private mutating func slottingParts(
        of expression: GraphExpression, _ program: inout SQLProgram
    ) throws(StoreError) -> GraphExpression {
        try expression.rebuilt(
            { part throws(StoreError) in try slotted(part, &program) },
            condition: { part throws(StoreError) in try slotted(part, &program) })
    }

    // MARK: Positions

    /// Returns the element at a position of an ordered collection or of a list.
    private mutating func element(
        of base: GraphExpression, at index: GraphIndex, as whole: GraphExpression
    ) throws(StoreError) -> SQLOperand {
        if case .aggregate(let elements) = base {
            var type = SQLType.null
            for element in elements { type = type.common(with: try operand(element).type) }
            return try program(for: whole, type)
        }
        if base.isMadeCollection {
            if case .size = index { return try program(for: whole, .anyInteger) }
            return try program(for: whole, .text)
        }
        let elements = try elements(base)
        let value = try value(of: elements)
        let key = try column([], in: elements.scope)
        let terms: (String) -> String = { direction in
            ([elements.order, key].compactMap(\.self).map { $0 + direction })
                .joined(separator: ", ")
        }
        let select = "(SELECT " + value.sql + " " + rows(elements)
        switch index {
        case .last:
            return SQLOperand(select + " ORDER BY \(terms(" DESC")) LIMIT 1)", value.type)
        // The resolver replaces the size of a stored collection with its count.
        case .first, .size:
            return SQLOperand(select + " ORDER BY \(terms("")) LIMIT 1)", value.type)
        case .position(let position):
            let place = try operand(position)
            switch place.constant {
            case .integer(let number)? where number >= 0:
                let offset = SQLFragment(" LIMIT 1 OFFSET ?)", [.integer(number)])
                return SQLOperand(select + " ORDER BY \(terms(""))" + offset, value.type)
            case .some:
                return SQLOperand(constant: .null, schema)
            case nil:
                // An OFFSET cannot refer to columns.
                let numbered =
                    "SELECT " + value.sql
                    + " AS value, row_number() OVER (ORDER BY \(terms(""))) - 1 AS place "
                    + rows(elements)
                return SQLOperand(
                    "(SELECT value FROM (" + numbered + ") WHERE place = " + place.sql + ")",
                    value.type)
            }
        }
    }
}

extension GraphExpression {
    /// Whether the expression is a list in braces.
    var isList: Bool {
        if case .aggregate = self { true } else { false }
    }
}
