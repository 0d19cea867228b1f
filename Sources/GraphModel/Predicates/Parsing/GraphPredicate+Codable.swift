// Trees are encoded as their canonical text, `"title == \"x\" AND priority > 3"`. It is readable
// and writable, and is stable across versions. Decoding uses the parser and its limits.

extension GraphPredicate: Codable {
    /// Decodes the text; if the parser rejects it, throws `dataCorrupted` with the parser's error.
    public init(from decoder: any Decoder) throws {
        self = try decoder.parsed { (parser) throws(GraphPredicateError) in
            try parser.wholePredicate()
        }
    }

    /// Encodes the canonical text.
    public func encode(to encoder: any Encoder) throws {
        try encoder.encode(self, size: TreeSize(self)) { (parser) throws(GraphPredicateError) in
            _ = try parser.wholePredicate()
        }
    }
}

extension GraphExpression: Codable {
    /// Decodes the text; if the parser rejects it, throws `dataCorrupted` with the parser's error.
    public init(from decoder: any Decoder) throws {
        self = try decoder.parsed { (parser) throws(GraphPredicateError) in
            try parser.wholeExpression()
        }
    }

    /// Encodes the canonical text.
    public func encode(to encoder: any Encoder) throws {
        try encoder.encode(self, size: TreeSize(self)) { (parser) throws(GraphPredicateError) in
            _ = try parser.wholeExpression()
        }
    }
}

extension GraphValue: Codable {
    /// Decodes the literal.
    public init(from decoder: any Decoder) throws {
        guard case .constant(let value) = try GraphExpression(from: decoder) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "This is not a constant"))
        }
        self = value
    }

    /// Encodes the literal, as in a predicate.
    public func encode(to encoder: any Encoder) throws {
        try GraphExpression.constant(self).encode(to: encoder)
    }
}

extension GraphComparison: Codable {
    /// Decodes the text of one comparison.
    public init(from decoder: any Decoder) throws {
        guard case .comparison(let comparison) = try GraphPredicate(from: decoder) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "This is not a comparison"))
        }
        self = comparison
    }

    /// Encodes the canonical text.
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
    /// Encodes the text, or throws if the parser cannot read it.
    ///
    /// A tree built in code can contain a function with any name.
    fileprivate func encode(
        _ tree: some CustomStringConvertible, size: TreeSize,
        check: (inout PredicateParser) throws(GraphPredicateError) -> Void
    ) throws {
        func reject(_ error: GraphPredicateError) -> EncodingError {
            .invalidValue(
                tree,
                .init(
                    codingPath: codingPath, debugDescription: "\(error)", underlyingError: error))
        }
        guard !size.isTooDeep else {
            throw reject(GraphPredicateError(.tooDeep, "The predicate is nested too deeply"))
        }
        let text = tree.description
        do {
            var parser = try PredicateParser(text, arguments: [], bytesMax: .max)
            try check(&parser)
        } catch {
            throw reject(error)
        }
        var container = singleValueContainer()
        try container.encode(text)
    }
}
