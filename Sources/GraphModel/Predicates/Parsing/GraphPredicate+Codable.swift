// Trees are encoded as their canonical text, `"title == \"x\" AND priority > 3"`: people can read
// and write it, it stays the same from version to version, and whatever is decoded has passed the
// parser and its limits.

extension GraphPredicate: Codable {
    /// Reads the text; what the parser refuses is corrupt data, with its error underneath.
    public init(from decoder: any Decoder) throws {
        self = try decoder.parsed { (parser) throws(GraphPredicateError) in
            try parser.wholePredicate()
        }
    }

    /// Writes the canonical text.
    public func encode(to encoder: any Encoder) throws {
        try encoder.encode(self, size: TreeSize(self)) { (parser) throws(GraphPredicateError) in
            _ = try parser.wholePredicate()
        }
    }
}

extension GraphExpression: Codable {
    /// Reads the text; what the parser refuses is corrupt data, with its error underneath.
    public init(from decoder: any Decoder) throws {
        self = try decoder.parsed { (parser) throws(GraphPredicateError) in
            try parser.wholeExpression()
        }
    }

    /// Writes the canonical text.
    public func encode(to encoder: any Encoder) throws {
        try encoder.encode(self, size: TreeSize(self)) { (parser) throws(GraphPredicateError) in
            _ = try parser.wholeExpression()
        }
    }
}

extension GraphValue: Codable {
    /// Reads the literal.
    public init(from decoder: any Decoder) throws {
        guard case .constant(let value) = try GraphExpression(from: decoder) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "This is no constant"))
        }
        self = value
    }

    /// Writes the literal, as it stands in a predicate.
    public func encode(to encoder: any Encoder) throws {
        try GraphExpression.constant(self).encode(to: encoder)
    }
}

extension GraphComparison: Codable {
    /// Reads the text of one comparison.
    public init(from decoder: any Decoder) throws {
        guard case .comparison(let comparison) = try GraphPredicate(from: decoder) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "This is no comparison"))
        }
        self = comparison
    }

    /// Writes the canonical text.
    public func encode(to encoder: any Encoder) throws {
        try GraphPredicate.comparison(self).encode(to: encoder)
    }
}

extension Decoder {
    fileprivate func parsed<Tree>(
        _ parse: (inout PredicateParser) throws(GraphPredicateError) -> Tree
    ) throws -> Tree {
        let text = try singleValueContainer().decode(String.self)
        do {
            var parser = try PredicateParser(text, arguments: [], bytesMax: .max)
            return try parse(&parser)
        } catch {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: codingPath, debugDescription: "\(error)", underlyingError: error))
        }
    }
}

extension Encoder {
    /// Writes the text, unless no one could read it: a function's name may be anything in a tree
    /// that code built.
    fileprivate func encode(
        _ tree: some CustomStringConvertible, size: TreeSize,
        check: (inout PredicateParser) throws(GraphPredicateError) -> Void
    ) throws {
        func refuse(_ error: GraphPredicateError) -> EncodingError {
            .invalidValue(
                tree,
                .init(
                    codingPath: codingPath, debugDescription: "\(error)", underlyingError: error))
        }
        guard !size.isTooDeep else {
            throw refuse(GraphPredicateError(.tooDeep, "The predicate is nested too deeply"))
        }
        let text = tree.description
        do {
            var parser = try PredicateParser(text, arguments: [], bytesMax: .max)
            try check(&parser)
        } catch {
            throw refuse(error)
        }
        var container = singleValueContainer()
        try container.encode(text)
    }
}
