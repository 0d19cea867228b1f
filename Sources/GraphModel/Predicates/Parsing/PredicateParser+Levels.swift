extension PredicateParser {
    // MARK: Predicates

    mutating func disjunction() throws(GraphPredicateError) -> Node {
        try compound("OR", GraphPredicate.or) { (parser) throws(GraphPredicateError) in
            try parser.conjunction()
        }
    }

    private mutating func conjunction() throws(GraphPredicateError) -> Node {
        try compound("AND", GraphPredicate.and) { (parser) throws(GraphPredicateError) in
            try parser.negation()
        }
    }

    private mutating func compound(
        _ word: String, _ join: ([GraphPredicate]) -> GraphPredicate,
        operand: (inout PredicateParser) throws(GraphPredicateError) -> Node
    ) throws(GraphPredicateError) -> Node {
        let first = try operand(&self)
        guard isAt(word) else { return first }
        let place = offset
        var parts = [try predicate(first)]
        var depth = first.depth
        while isAt(word) {
            try advance()
            let next = try operand(&self)
            parts.append(try predicate(next))
            depth = max(depth, next.depth)
        }
        return try finish(.predicate(join(parts)), at: place, depth: depth)
    }

    private mutating func negation() throws(GraphPredicateError) -> Node {
        guard isAt("NOT") else { return try comparison() }
        let place = offset
        let word = keyword
        try advance()
        try checkKey(word, at: place)
        try enter(at: place)
        let operand = try negation()
        leave()
        return try finish(
            .predicate(.not(try predicate(operand))), at: place, depth: operand.depth)
    }

    private mutating func comparison() throws(GraphPredicateError) -> Node {
        var modifier = ComparisonModifier.direct
        let start = offset
        if let found = PredicateKeywords.modifier(keyword) {
            modifier = found
            let word = keyword
            try advance()
            try checkKey(word, at: start)
        }
        let left = try value()
        let place = offset
        let isNegated = isAt("NOT")
        if isNegated { try advance() }
        guard let op = comparisonOperator(afterNot: isNegated) else {
            if modifier != .direct || isNegated {
                throw error("A comparison is missing", at: isNegated ? offset : start)
            }
            return left
        }
        let leftSide = try expression(left)
        try advance()
        let options = try self.options()
        let right = try value()
        let comparison = GraphComparison(
            leftSide, op, try expression(right), modifier: modifier, options: options)
        let depth = max(left.depth, right.depth)
        let node = try finish(.predicate(.comparison(comparison)), at: place, depth: depth)
        if !isNegated { return node }
        return try finish(
            .predicate(.not(.comparison(comparison))), at: place, depth: node.depth)
    }

    /// Throws if a keyword before a condition is meant as a key, since an operator follows it.
    ///
    /// If the operator is a word and another operator follows it, the word is the key, as in
    /// `NOT in == 5`. The next level of the parser reports that error.
    private func checkKey(_ word: String?, at place: Int) throws(GraphPredicateError) {
        guard word != nil, comparisonOperator(afterNot: false) != nil,
            keyword == nil || !isBeforeOperator,
            let key = PredicateLexer.word(in: format, at: place)
        else { return }
        throw error(PredicateKeywords.isNoKey(key), at: place)
    }

    /// Whether the next token is an operator, or the NOT before one.
    private var isBeforeOperator: Bool {
        switch tokenAfter {
        case .symbol(let symbol)?: ComparisonOperator(rawValue: symbol) != nil
        case .word(let word)?:
            PredicateKeywords.upper(word).map {
                PredicateKeywords.comparison($0) != nil || $0 == "NOT"
            } ?? false
        default: false
        }
    }

    private func comparisonOperator(afterNot: Bool) -> ComparisonOperator? {
        switch token {
        case .symbol(let symbol) where !afterNot && symbol != "NOT":
            ComparisonOperator(rawValue: symbol)
        case .word: PredicateKeywords.comparison(keyword)
        default: nil
        }
    }

    private mutating func options() throws(GraphPredicateError) -> ComparisonOptions {
        guard token == .symbol("[") else { return [] }
        let place = offset
        try advance()
        var options: ComparisonOptions = []
        guard case .word(let letters) = token else {
            throw error("Options are c, d, and n", at: offset)
        }
        for letter in letters.lowercased() {
            switch letter {
            case "c": options.insert(.caseInsensitive)
            case "d": options.insert(.diacriticInsensitive)
            case "n": options.insert(.normalized)
            case "l":
                throw error(
                    "[l] compares by locale, which differs between machines; there are c, d, and n",
                    at: offset)
            default:
                throw error("'\(letter)' is not an option; the options are c, d, and n", at: offset)
            }
        }
        try advance()
        try expect("]", opening: place)
        return options
    }

    // MARK: Expressions

    /// Parses operands and the operators between them that have at least that precedence.
    private mutating func value(_ least: Int = 1) throws(GraphPredicateError) -> Node {
        var node = try sign()
        while case .symbol(let symbol) = token, let op = ArithmeticOperator(rawValue: symbol),
            op.precedence >= least
        {
            let place = offset
            let left = try expression(node)
            try advance()
            if op.isRightAssociative { try enter(at: place) }
            let right = try value(op.isRightAssociative ? op.precedence : op.precedence + 1)
            if op.isRightAssociative { leave() }
            node = try finish(
                .expression(.arithmetic(op, left, try expression(right))), at: place,
                depth: max(node.depth, right.depth))
        }
        return node
    }

    private mutating func sign() throws(GraphPredicateError) -> Node {
        let place = offset
        if token == .symbol("~") {
            try advance()
            try enter(at: place)
            let operand = try sign()
            leave()
            return try finish(
                .expression(
                    .function(PredicateFunction.complement.name, [try expression(operand)])),
                at: place,
                depth: operand.depth)
        }
        guard token == .symbol("-") else { return try primary() }
        try advance()
        let folded: GraphValue?
        switch token {
        case .integer(let value): folded = .integer(-value)
        case .integerMinimum: folded = .integer(.min)
        case .double(let value): folded = .double(-value)
        case .decimal(let text): folded = .decimal("-" + text)
        default: folded = nil
        }
        if let folded {
            try advance()
            return try finish(.expression(.constant(folded)), at: place)
        }
        try enter(at: place)
        let operand = try sign()
        leave()
        return try finish(
            .expression(.negation(try expression(operand))), at: place, depth: operand.depth)
    }

    /// Parses an expression, and returns it with the depth of its tree.
    mutating func operand() throws(GraphPredicateError) -> (GraphExpression, depth: Int) {
        let node = try value()
        return (try expression(node), node.depth)
    }

    /// Parses a predicate, and returns it with the depth of its tree.
    mutating func condition() throws(GraphPredicateError) -> (GraphPredicate, depth: Int) {
        let node = try disjunction()
        return (try predicate(node), node.depth)
    }

    /// Parses a predicate or an expression in parentheses.
    mutating func bracketed() throws(GraphPredicateError) -> Node {
        let place = offset
        try advance()
        try enter(at: place)
        var node = try disjunction()
        if token == .symbol(",") {
            throw error("A list is written in braces: {1, 2}", at: place)
        }
        try expect(")", opening: place)
        leave()
        node.offset = place
        return node
    }
}
