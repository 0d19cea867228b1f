import Diagnostics
import GraphModel
import GraphStore

/// Checks the derivation expressions of a YAML model.
///
/// Without the check, a run would fail when it opens the store.
enum DerivationCheck {
    /// Returns an error for each attribute that no store can compute, at its place in the model.
    ///
    /// A model with other errors is not checked: the expressions may use what is not known of it.
    static func check(_ reading: ModelReading) -> [Diagnostic] {
        guard let model = reading.model, !reading.derivedPlaces.isEmpty else { return [] }
        return DerivedAttributes.problems(in: StoreLayout(model)).compactMap { problem in
            let name = "\(problem.entity).\(problem.attribute)"
            guard let place = reading.derivedPlaces[name] else { return nil }
            return Diagnostic(
                code: problem.fault?.code.rawValue ?? GraphPredicateError.Code.unsupported.rawValue,
                problem.message, at: .source(place),
                fix: problem.fault?.fix ?? "correct `derived`, or remove it",
                excerpt: problem.fault?.excerpt)
        }
    }
}
