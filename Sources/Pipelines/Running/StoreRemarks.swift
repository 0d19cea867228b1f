import Diagnostics
import GraphStore

extension Diagnostic {
    /// What is to be known of a store that an app made.
    static func remarks(on origin: StoreOrigin, at place: Place) -> [Diagnostic] {
        origin.remarks.map { Diagnostic(.warning, code: "store.of-app", $0, at: place) }
    }
}
