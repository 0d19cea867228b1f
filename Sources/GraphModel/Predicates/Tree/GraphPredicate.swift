/// A condition that an object meets or not.
///
/// Equality is that of the content; where in a text it stood does not matter. The description is
/// canonical: parsing it gives the same predicate.
public indirect enum GraphPredicate: Sendable, Hashable {
    /// Every object (`TRUEPREDICATE`), or none (`FALSEPREDICATE`).
    case constant(Bool)
    /// A comparison of two expressions.
    case comparison(GraphComparison)
    /// What does not meet the other.
    case not(GraphPredicate)
    /// What meets all of them; every object, where there is none.
    case and([GraphPredicate])
    /// What meets one of them at least; no object, where there is none.
    case or([GraphPredicate])
}
