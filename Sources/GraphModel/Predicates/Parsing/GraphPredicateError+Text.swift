extension GraphPredicateError {
    /// The same with how a text is written, where the whole of an expression is a key that there
    /// is not.
    ///
    /// - Parameter text: the expression.
    package func offeringText(_ text: String) -> GraphPredicateError {
        guard code == .unknownKey, PredicateParser.keyPath(text) != nil,
            text.utf8.allSatisfy({ PredicateLexer.startsWord($0) || PredicateLexer.isDigit($0) })
        else { return self }
        return GraphPredicateError(
            code, message, at: byteOffset, in: format,
            fix: "put text in its own quotation marks: \"'\(text)'\"",
            isOfAnyKeys: isOfAnyKeys)
    }
}
