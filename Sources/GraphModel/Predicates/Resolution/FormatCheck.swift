/// Looks at the text of a predicate or an expression as a whole, and tells every mistake in it.
///
/// ```
/// prority > 3 AND uper(titel) == 'X'
/// ^               ^    ^ no property  no function  no property
/// ```
/// A mistake of grammar ends the search, for what follows it cannot be read. Where the keys may be
/// anything, as those of records may, only functions, variables and what is wrong whatever the
/// keys are is looked at.
package struct FormatCheck {
    /// Nil where nothing is known of any entity.
    private let model: ManagedObjectModel?
    /// What the text is about; nil where its keys may be anything.
    private let entityName: String?
    private let variables: [String: any GraphPredicateArgument]
    private let allowsTransient: Bool

    /// - Parameters:
    ///   - entityName: nil, or an entity that the model lacks, where its keys may be anything.
    ///   - variables: the values of `$name`, without the dollar sign.
    ///   - allowsTransient: whether transient attributes are lawful.
    package init(
        entityName: String?, model: ManagedObjectModel?,
        variables: [String: any GraphPredicateArgument] = [:], allowsTransient: Bool = false
    ) {
        self.entityName = entityName
        self.model = model
        self.variables = variables
        self.allowsTransient = allowsTransient
    }

    /// The predicate, ready for a store where there are no mistakes, and the mistakes.
    package func predicate(
        _ format: String
    ) -> (resolved: GraphPredicate?, mistakes: [GraphPredicateError]) {
        var found: [GraphPredicateError] = []
        do throws(GraphPredicateError) {
            var parser = try PredicateParser(format, arguments: [], collects: true)
            let tree: GraphPredicate
            do throws(GraphPredicateError) {
                tree = try parser.wholePredicate()
            } catch {
                return (nil, parser.found + [error])
            }
            found = parser.found
            var resolver = resolver(parser.source)
            let resolved = try resolver.resolveWhole(tree)
            return (resolved, sorted(found, resolver.found))
        } catch {
            return (nil, found + [error])
        }
    }

    /// The expression, ready for a store where there are no mistakes, and the mistakes.
    ///
    /// - Parameter attribute: where the value is to be assigned; it must fit there.
    package func expression(
        _ format: String, assignedTo attribute: AttributeDescription? = nil
    ) -> (resolved: GraphExpression?, mistakes: [GraphPredicateError]) {
        var found: [GraphPredicateError] = []
        do throws(GraphPredicateError) {
            var parser = try PredicateParser(format, arguments: [], collects: true)
            let tree: GraphExpression
            do throws(GraphPredicateError) {
                tree = try parser.wholeExpression()
            } catch {
                return (nil, parser.found + [error])
            }
            found = parser.found
            var resolver = resolver(parser.source)
            let resolved = try resolver.resolve(tree, assignedTo: attribute)
            return (resolved, sorted(found, resolver.found))
        } catch {
            return (nil, found + [error])
        }
    }

    private func resolver(_ source: PredicateSource) -> PredicateResolver {
        PredicateResolver(
            collectingFor: entityName, model: model, variables: variables, source: source,
            allowsTransient: allowsTransient)
    }

    /// In the order of the text; a mistake that both the parser and the resolver see counts once.
    private func sorted(
        _ parsing: [GraphPredicateError], _ resolving: [GraphPredicateError]
    ) -> [GraphPredicateError] {
        let isKnown = entityName.map { model?.entity(named: $0) != nil } ?? false
        var kept: [GraphPredicateError] = []
        for mistake in parsing
            + resolving.filter({
                isKnown || $0.code == .variable || $0.isOfAnyKeys
            })
        where !kept.contains(where: {
            $0.code == mistake.code && $0.byteOffset == mistake.byteOffset
        }) {
            kept.append(mistake)
        }
        return kept.enumerated().sorted { left, right in
            (left.element.byteOffset ?? 0, left.offset)
                < (right.element.byteOffset ?? 0, right.offset)
        }.map(\.element)
    }
}
