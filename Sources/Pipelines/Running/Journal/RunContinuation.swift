/// The decision whether a run completes an unfinished run, from values that the caller has read.
///
/// A run completes another only if both have the same request and date, and the completed stages
/// have not changed. Then these stages are not repeated. Their inputs are compared later, because
/// that requires reading them.
struct RunContinuation {
    /// The part of a run that must be equal if it is to complete another one.
    struct Request: Hashable {
        /// The fingerprint of its parameters, `--only`, `--from`, and `--limit`.
        var fingerprint: String
        /// `run.date`.
        var date: String
    }

    /// The reason why a run starts over.
    enum Obstacle: Hashable {
        /// The earlier run has succeeded; only the position of an import that it left out is
        /// stored.
        case ended
        case parameters
        case date(String)
        /// A completed stage has changed.
        case stage(String)
        /// An input of a completed import is new or has changed.
        case input(String)
        /// An input of a completed import is a stream.
        case stream(String)

        /// The reason, in a form that ends a sentence.
        var reason: String {
            switch self {
            case .ended: "it has ended"
            case .parameters: "it had other parameters or other stages"
            case .date(let date): "it is of \(date)"
            case .stage(let name): "the stage '\(name)' has changed"
            case .input(let name): "\(name) is new or has changed"
            case .stream(let name): "\(name) cannot be compared with the earlier run"
            }
        }
    }

    /// Returns why a run must start over instead of completing an earlier one.
    ///
    /// - Parameters:
    ///   - earlier: the request of the earlier run, with its values of the current parameters.
    ///   - done: the stages that it completed, with their fingerprints.
    ///   - today: the stages of this run, with their fingerprints.
    /// - Returns: `nil` if this run completes the earlier one.
    static func obstacle(
        _ earlier: Request, isEnded: Bool, done: [(name: String, fingerprint: String)],
        _ request: Request, today: [String: String]
    ) -> Obstacle? {
        if isEnded { return .ended }
        if earlier.fingerprint != request.fingerprint { return .parameters }
        if earlier.date != request.date { return .date(earlier.date) }
        return done.first { today[$0.name] != $0.fingerprint }.map { .stage($0.name) }
    }
}
