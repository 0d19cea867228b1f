/// What is made of the values that a to-many key path leads to.
public enum CollectionOperator: String, Sendable, Hashable, Codable, CaseIterable {
    /// How many objects there are; 0 where there is none.
    case count = "@count"
    /// The sum; 0 where there is none.
    case sum = "@sum"
    /// The mean; nil where there is none.
    case average = "@avg"
    /// The smallest; nil where there is none.
    case minimum = "@min"
    /// The largest; nil where there is none.
    case maximum = "@max"
    /// All of them, as a collection.
    case unionOfObjects = "@unionOfObjects"
    /// Each different one once, as a collection.
    case distinctUnionOfObjects = "@distinctUnionOfObjects"
}

/// Which element of an ordered collection or a list an index expression means.
public indirect enum GraphIndex: Sendable, Hashable {
    /// `[FIRST]`.
    case first
    /// `[LAST]`.
    case last
    /// `[SIZE]`: how many elements there are.
    case size
    /// `[2]`: the element at that place, from 0; nil beyond the end.
    case position(GraphExpression)
}

/// A value that is computed for each object: a side of a comparison, or a new value in an update.
///
/// Equality is that of the content; where in a text it stood does not matter. The description is
/// canonical: parsing it gives the same expression.
public indirect enum GraphExpression: Sendable, Hashable {
    /// A value.
    case constant(GraphValue)
    /// A property of the object, or of one that it leads to: `["owner", "email"]`.
    case keyPath([String])
    /// `$name`, or a property of what it stands for: `$x.title` is `("x", ["title"])`.
    case variable(String, [String])
    /// `SELF`, the object itself.
    case evaluatedObject
    /// A minus before an expression.
    case negation(GraphExpression)
    /// Two operands.
    case arithmetic(ArithmeticOperator, GraphExpression, GraphExpression)
    /// A list in braces, for IN and BETWEEN.
    case aggregate([GraphExpression])
    /// A function by name: `length(title)`.
    case function(String, [GraphExpression])
    /// `tasks.@sum.estimate`: the collection, the operator, the key path within its elements.
    case collection(GraphExpression, CollectionOperator, [String])
    /// `tasks[FIRST]`: an element of an ordered to-many or a list.
    case index(GraphExpression, GraphIndex)
    /// `tasks[FIRST].owner.name`: a property of the object that an expression other than a key
    /// path or a variable gives.
    case member(GraphExpression, [String])
    /// `SUBQUERY(tasks, $x, $x.isCompleted == YES)`.
    case subquery(GraphExpression, variable: String, GraphPredicate)
    /// `TERNARY(predicate, a, b)`.
    case conditional(GraphPredicate, GraphExpression, GraphExpression)
}
