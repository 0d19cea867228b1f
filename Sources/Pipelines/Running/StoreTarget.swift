import GraphModel
import GraphStore

/// The store that a run works on, which `open: replace` builds beside the one to be replaced.
struct StoreTarget {
    let path: String
    let mode: StoreSpec.OpenMode

    private var workPath: String { mode == .replace ? path + ".etl-new" : path }

    func open(model: ManagedObjectModel?) throws -> PersistentContainer {
        if mode == .replace { try PersistentContainer.destroy(at: workPath) }
        return try PersistentContainer(
            model: model, at: workPath, opening: mode == .existing ? .existing : .create)
    }

    /// Puts a store that was built beside, and that nobody has open any more, into its place.
    func complete() throws {
        guard mode == .replace else { return }
        try PersistentContainer.replace(at: path, with: workPath)
    }

    /// Takes away what was built beside, after a failure.
    func abandon() {
        // The failure is told already, and the next run would take the rest away too.
        if mode == .replace { try? PersistentContainer.destroy(at: workPath) }
    }
}
