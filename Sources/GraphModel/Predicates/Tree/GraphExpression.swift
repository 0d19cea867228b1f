/// An operator on the values at the end of a to-many key path.
public enum CollectionOperator: String, Sendable, Hashable, Codable, CaseIterable {
    /// The number of objects; 0 if there are no objects.
    case count = "@count"
    /// The sum; 0 if there are no values.
    case sum = "@sum"
    /// The mean; nil if there are no values.
    case average = "@avg"
    /// The minimum; nil if there are no values.
    case minimum = "@min"
    /// The maximum; nil if there are no values.
    case maximum = "@max"
    /// All values, as a collection.
    case unionOfObjects = "@unionOfObjects"
    /// Each distinct value once, as a collection.
    case distinctUnionOfObjects = "@distinctUnionOfObjects"
}

/// An index into an ordered collection or a list.
public indirect enum GraphIndex: Sendable, Hashable {
    /// `[FIRST]`.
    case first
    /// `[LAST]`.
    case last
    /// `[SIZE]`: the number of elements.
    case size
    /// `[2]`: the element at that position, from 0; nil after the end.
    case position(GraphExpression)
}

/// A value that is computed for each object: an operand of a comparison, or a new value in an
/// update.
///
/// Equality compares the content, not the position in a text. The description is canonical: parsing
/// it returns the same expression.
public indirect enum GraphExpression: Sendable, Hashable {
    /// A constant value.
    case constant(GraphValue)
    /// A property of the object or of a related object: `["owner", "email"]`.
    case keyPath([String])
    /// `$name`, or a property of its object: `$x.title` is `("x", ["title"])`.
    case variable(String, [String])
    /// `SELF`, the object itself.
    case evaluatedObject
    /// A minus before an expression.
    case negation(GraphExpression)
    /// An operator with two operands.
    case arithmetic(ArithmeticOperator, GraphExpression, GraphExpression)
    /// A list in braces, for IN and BETWEEN.
    case aggregate([GraphExpression])
    /// A call of a function by name: `length(title)`.
    case function(String, [GraphExpression])
    /// `tasks.@sum.estimate`: the collection, the operator, and the key path in its elements.
    case collection(GraphExpression, CollectionOperator, [String])
    /// `tasks[FIRST]`: an element of an ordered to-many relationship or a list.
    case index(GraphExpression, GraphIndex)
    /// `tasks[FIRST].owner.name`: a property of the object at another expression.
    ///
    /// The expression is not a key path or a variable, which have their own cases.
    case member(GraphExpression, [String])
    /// `SUBQUERY(tasks, $x, $x.isCompleted == YES)`.
    case subquery(GraphExpression, variable: String, GraphPredicate)
    /// `TERNARY(predicate, a, b)`.
    case conditional(GraphPredicate, GraphExpression, GraphExpression)
}
