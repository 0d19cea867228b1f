import Diagnostics
import GraphStore

extension Diagnostic {
    /// Returns remarks about a store that an app created.
    static func remarks(on origin: StoreOrigin, at place: Place) -> [Diagnostic] {
        origin.remarks.map { Diagnostic(.warning, code: "store.of-app", $0, at: place) }
    }
}
