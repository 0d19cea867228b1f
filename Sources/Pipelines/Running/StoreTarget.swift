import GraphModel
import GraphStore

/// The store that stages work on: the one the spec names, or one beside it that takes its place
/// when everything went well.
///
/// - `open: replace` fills an empty store beside the old one.
/// - `commit: run` and `commit: stage` work on a clone.
struct StoreTarget {
    let path: String
    let mode: StoreSpec.OpenMode
    let commit: StoreSpec.CommitMode

    /// Whether the work is done on another file first.
    var worksBeside: Bool { mode == .replace || commit != .batch }

    private var workPath: String { path + (mode == .replace ? ".etl-new" : ".etl-work") }

    /// The store's own container, which stands there already or is to be made.
    func openStore(model: ManagedObjectModel?) throws -> PersistentContainer {
        try PersistentContainer(
            model: model, at: path,
            opening: mode == .existing || worksBeside ? .existing : .create)
    }

    /// What an earlier attempt left beside the store, as long as the store is what it was then.
    func openUnfinished(
        model: ManagedObjectModel?
    ) throws -> (container: PersistentContainer, saved: RunJournal.Saved)? {
        guard worksBeside, FileDescriptor.size(workPath) ?? 0 > 0 else { return nil }
        let base = baseIdentity
        // Whatever is wrong with it, it can be made again.
        guard let container = try? PersistentContainer(model: model, at: workPath),
            let saved = try? RunJournal.saved(in: container), saved.run.base == base
        else { return nil }
        return (container, saved)
    }

    /// A new store to work on beside the one that is to be replaced, or a clone of it.
    func openBeside(model: ManagedObjectModel?) throws -> PersistentContainer {
        try PersistentContainer.destroy(at: workPath)
        guard mode != .replace else {
            // At the end this would be told too late.
            try PersistentContainer.checkReplaceable(at: path)
            return try PersistentContainer(model: model, at: workPath, opening: .create)
        }
        guard (FileDescriptor.size(path) ?? 0) > 0 else {
            return try PersistentContainer(model: model, at: workPath, opening: .create)
        }
        try PersistentContainer(model: model, at: path).copyStore(to: workPath)
        return try PersistentContainer(model: model, at: workPath)
    }

    /// What tells whether anybody has written to the store since.
    var baseIdentity: String {
        guard mode != .replace else { return "" }
        return FileDescriptor.state(path) + " " + FileDescriptor.state(path + "-wal")
    }

    /// Puts a store that was built beside, and that nobody has open any more, into its place.
    func complete() throws {
        guard worksBeside else { return }
        try PersistentContainer.replace(at: path, with: workPath)
    }

    /// Takes away what was built beside, after a failure that nothing can be made of.
    func abandon() {
        // The failure is told already, and the next run would take the rest away too.
        if worksBeside { try? PersistentContainer.destroy(at: workPath) }
    }
}
