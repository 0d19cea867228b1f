/// Whether a run completes the run whose notes are in the store: a decision over values alone.
///
/// A run completes another only if it was asked for the same on the same day, and if the stages
/// that are done say the same. Then they are not repeated. Their inputs are compared later, since
/// that takes reading them.
struct RunContinuation {
    /// What a run was asked for.
    struct Request: Hashable {
        /// Its parameters, `--only`, `--from`, and `--limit`, as a fingerprint.
        var fingerprint: String
        /// `run.date`.
        var date: String
    }

    /// Why a run begins anew.
    enum Obstacle: Hashable {
        /// The earlier run has ended; only the place of an import that it left out is still noted.
        case ended
        case parameters
        case date(String)
        /// A stage that is done says something else today.
        case stage(String)
        /// An input of an import that is done is new, or is not what it was.
        case input(String)
        /// An input of an import that is done is a stream.
        case stream(String)

        /// The reason, as the end of a sentence.
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

    /// - Parameters:
    ///   - earlier: what the earlier run was asked for; its values of today's parameters.
    ///   - done: the stages that it has done, with their fingerprints.
    ///   - today: the stages of this run, with theirs.
    /// - Returns: nil if this run completes it.
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
