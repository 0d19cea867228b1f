extension GraphPredicateError {
    /// Returns the error with a fix that quotes the text, if the expression is only an unknown key.
    ///
    /// - Parameter text: The expression.
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
