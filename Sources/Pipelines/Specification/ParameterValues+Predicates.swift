import GraphModel

extension ParameterValues {
    /// The values for predicates and expressions, by name without the dollar sign.
    var graphValues: [String: GraphValue] {
        values.compactMapValues { value in
            switch value {
            case .string(let text), .path(let text), .secret(let text): .string(text)
            case .int(let number): .integer(number)
            case .bool(let flag): .boolean(flag)
            case .date(let seconds, _): .date(secondsSinceReference: seconds)
            case .duration(let seconds, _): .integer(seconds)
            case .list: nil
            }
        }
    }

    /// The lists as texts, for predicates over records, whose fields determine the type.
    var listTexts: [String: [String]] {
        values.compactMapValues { value in
            guard case .list(let texts) = value else { return nil }
            return texts
        }
    }

    /// Returns the lists as constants that replace their variables.
    ///
    /// - Parameter asNumbers: Whether a list becomes numbers if all of its texts are numbers.
    func lists(asNumbers: Bool = false) -> [String: any GraphPredicateArgument] {
        values.compactMapValues { value -> (any GraphPredicateArgument)? in
            guard case .list(let texts) = value else { return nil }
            let numbers = texts.compactMap { text -> GraphValue? in
                Int64(text).map { .integer($0) } ?? Double(text).map { .double($0) }
            }
            let elements =
                asNumbers && numbers.count == texts.count
                ? numbers : texts.map { .string($0) }
            return GraphExpression.aggregate(elements.map { .constant($0) })
        }
    }

    /// Returns the predicate with its list variables replaced; numbers are used if texts do not
    /// type-check.
    func puttingLists(
        into predicate: GraphPredicate, of entity: String, _ model: ManagedObjectModel
    ) throws(GraphPredicateError) -> GraphPredicate {
        let lists = lists()
        guard !lists.isEmpty else { return predicate }
        let asTexts = try predicate.substituting(variables: lists)
        do throws(GraphPredicateError) {
            _ = try asTexts.resolved(for: entity, in: model, variables: graphValues)
            return asTexts
        } catch {
            guard error.code == .type else { throw error }
            return try predicate.substituting(variables: self.lists(asNumbers: true))
        }
    }
}
