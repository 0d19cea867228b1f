/// Checks the text of a predicate or an expression and reports all errors in it.
///
/// ```
/// prority > 3 AND uper(titel) == 'X'
/// ^               ^    ^ no property  no function  no property
/// ```
/// A grammar error ends the check, since the text after it cannot be parsed. If the keys can be
/// anything, as in records, it checks only functions, variables, and errors that do not depend on
/// the keys.
package struct FormatCheck {
    /// The model; `nil` if no entity is known.
    private let model: ManagedObjectModel?
    /// The entity of the text; `nil` if its keys can be anything.
    private let entityName: String?
    private let variables: [String: any GraphPredicateArgument]
    private let allowsTransient: Bool

    /// Creates a check.
    ///
    /// - Parameters:
    ///   - entityName: The entity; `nil` or an entity that the model lacks if the keys can be
    ///     anything.
    ///   - variables: The values of `$name`, without the dollar sign.
    ///   - allowsTransient: Whether transient attributes are allowed.
    package init(
        entityName: String?, model: ManagedObjectModel?,
        variables: [String: any GraphPredicateArgument] = [:], allowsTransient: Bool = false
    ) {
        self.entityName = entityName
        self.model = model
        self.variables = variables
        self.allowsTransient = allowsTransient
    }

    /// Returns the errors and the predicate, which a store can use if there are no errors.
    package func predicate(
        _ format: String
    ) -> (resolved: GraphPredicate?, mistakes: [GraphPredicateError]) {
        checked(
            format, { parser throws(GraphPredicateError) in try parser.wholePredicate() },
            { resolver, tree throws(GraphPredicateError) in try resolver.resolveWhole(tree) })
    }

    /// Returns the errors and the expression, which a store can use if there are no errors.
    ///
    /// - Parameter attribute: The attribute to which the value is assigned; it must be able to hold
    ///   it.
    package func expression(
        _ format: String, assignedTo attribute: AttributeDescription? = nil
    ) -> (resolved: GraphExpression?, mistakes: [GraphPredicateError]) {
        checked(
            format, { parser throws(GraphPredicateError) in try parser.wholeExpression() },
            { resolver, tree throws(GraphPredicateError) in
                try resolver.resolve(tree, assignedTo: attribute)
            })
    }

    private func checked<Tree>(
        _ format: String,
        _ parse: (inout PredicateParser) throws(GraphPredicateError) -> Tree,
        _ resolve: (inout PredicateResolver, Tree) throws(GraphPredicateError) -> Tree
    ) -> (resolved: Tree?, mistakes: [GraphPredicateError]) {
        var found: [GraphPredicateError] = []
        do throws(GraphPredicateError) {
            var parser = try PredicateParser(format, arguments: [], collects: true)
            let tree: Tree
            do throws(GraphPredicateError) {
                tree = try parse(&parser)
            } catch {
                return (nil, parser.found + [error])
            }
            found = parser.found
            var resolver = PredicateResolver(
                collectingFor: entityName, model: model, variables: variables,
                source: parser.source, allowsTransient: allowsTransient)
            do throws(GraphPredicateError) {
                let resolved = try resolve(&resolver, tree)
                return (resolved, sorted(found, resolver.found))
            } catch {
                return (nil, sorted(found, resolver.found, last: error))
            }
        } catch {
            return (nil, found + [error])
        }
    }

    /// The maximum number of errors that are reported separately.
    static let errorsMax = 20

    /// Returns the errors in the order of the text, without duplicates from parser and resolver.
    ///
    /// The last one counts those beyond the maximum.
    ///
    /// - Parameter last: The error that ended the check.
    private func sorted(
        _ parsing: [GraphPredicateError], _ resolving: [GraphPredicateError],
        last: GraphPredicateError? = nil
    ) -> [GraphPredicateError] {
        struct Mistake: Hashable {
            let code: GraphPredicateError.Code
            let byteOffset: Int?
        }
        let isKnown = entityName.map { model?.entity(named: $0) != nil } ?? false
        var known: Set<Mistake> = []
        let all =
            parsing + resolving.filter { isKnown || $0.code == .variable || $0.isOfAnyKeys }
            + (last.map { [$0] } ?? [])
        let kept = all.filter {
            known.insert(Mistake(code: $0.code, byteOffset: $0.byteOffset)).inserted
        }
        let ordered = kept.enumerated().sorted { left, right in
            (left.element.byteOffset ?? 0, left.offset)
                < (right.element.byteOffset ?? 0, right.offset)
        }.map(\.element)
        guard ordered.count > Self.errorsMax else { return ordered }
        let first = ordered[Self.errorsMax]
        let others = ordered.count - Self.errorsMax
        let number = last == nil ? "\(others)" : "at least \(others)"
        let rest = GraphPredicateError(
            first.code,
            others == 1
                ? first.message : "There are \(number) more errors from here",
            at: first.byteOffset, in: first.format, fix: others == 1 ? first.fix : nil,
            isOfAnyKeys: first.isOfAnyKeys)
        return ordered.prefix(Self.errorsMax) + [rest]
    }
}
