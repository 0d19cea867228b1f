/// A condition that an object meets or does not meet.
///
/// Equality compares the content, not the position in a text. The description is canonical: parsing
/// it returns the same predicate.
public indirect enum GraphPredicate: Sendable, Hashable {
    /// Matches every object (`TRUEPREDICATE`) or no object (`FALSEPREDICATE`).
    case constant(Bool)
    /// A comparison of two expressions.
    case comparison(GraphComparison)
    /// Matches if the other predicate does not.
    case not(GraphPredicate)
    /// Matches if all parts match; with no parts, matches every object.
    case and([GraphPredicate])
    /// Matches if at least one part matches; with no parts, matches no object.
    case or([GraphPredicate])
}
