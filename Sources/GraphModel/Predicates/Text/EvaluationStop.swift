/// A flag that stops long evaluations early.
package protocol EvaluationStop: AnyObject {
    /// Whether evaluations must stop.
    var isRaised: Bool { get }
}
