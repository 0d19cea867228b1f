import Diagnostics
import GraphModel
import GraphStore

extension PredicateText {
    /// Returns the parsed predicate, or throws a diagnostic with its location in the spec.
    func parsed() throws(Diagnostic) -> ParsedPredicate {
        do {
            return try ParsedPredicate(format: text)
        } catch {
            throw Diagnostic(predicateError: error, at: location)
        }
    }
}

extension ExpressionText {
    /// Returns the parsed expression, or throws a diagnostic with its location in the spec.
    func parsed() throws(Diagnostic) -> ParsedExpression {
        do {
            return try ParsedExpression(format: text)
        } catch {
            throw Diagnostic(predicateError: error, at: location)
        }
    }
}

extension Selection {
    /// Returns the predicate with list parameters inserted; `nil` if the selection is all objects.
    func predicate(
        _ values: ParameterValues, of entity: String, in model: ManagedObjectModel
    ) throws(Diagnostic) -> GraphPredicate? {
        guard case .matching(let text) = self else { return nil }
        let predicate = try text.parsed().predicate
        do throws(GraphPredicateError) {
            return try values.puttingLists(into: predicate, of: entity, model)
        } catch {
            throw Diagnostic(predicateError: error, at: text.location)
        }
    }
}

extension ParameterValues {
    /// Returns the `limit` of an update or a delete, or `nil` if it is not set.
    func objectsMax(_ limit: TemplateText?) throws(RunFailure) -> Int? {
        guard let limit else { return nil }
        return try count(limit, in: ChangeKeys.bounds, of: "objects", key: "limit")
    }
}

extension CountLimit {
    var objectLimit: ObjectLimit {
        switch self {
        case .count(let count): .count(count)
        case .percent(let percent): .percent(percent)
        }
    }
}

extension Diagnostic {
    /// The code of a warning that every run prints, even without a terminal: a delete may match all
    /// objects.
    static let percentPatternCode = "predicate.like-percent"

    /// Creates the warning about an operand of LIKE that uses SQL's `%`.
    init(percentPattern text: String, at place: Diagnostic.Place) {
        self.init(
            .warning, code: Self.percentPatternCode,
            "LIKE takes % for itself in '\(text)'; * is any text, and ? one character",
            at: place,
            fix: "write '\(text.replacing("%", with: "*"))'")
    }
}

extension StoredValue {
    /// Returns the stored value as a constant of a predicate or an expression.
    func graphValue(as type: AttributeType) -> GraphValue {
        switch self {
        case .null: .null
        case .integer(let value): type == .boolean ? .boolean(value != 0) : .integer(value)
        case .real(let value):
            type == .date ? .date(secondsSinceReference: value) : .double(value)
        case .text(let value): .string(value)
        case .blob(let value): type == .uuid ? .uuid(value) : .binary(value)
        }
    }
}
