/// Tells evaluations that are long to end early.
package protocol EvaluationStop: AnyObject {
    /// Whether they are to end.
    var isRaised: Bool { get }
}
