/// A file that etl keeps next to a store; its name is the store's name and the raw value.
package enum CompanionFile: String, CaseIterable, Sendable {
    /// The lock file of the run that uses the store; it is never removed.
    case lock = ".etl-lock"
    /// The copy of the store that a run changes, and that then replaces the store.
    case work = ".etl-work"
    /// A new, initially empty store that a run fills, and that then replaces the old one.
    case new = ".etl-new"
    /// A store that `--repair` writes.
    case part = ".etl-part"
    /// A store that a migration writes.
    case migrating = ".migrating"
    /// A copy of the store that is still being written.
    case copy = ".etl-copy"
    /// The replaced store, kept until the new one has opened.
    case replaced = ".etl-old"
    /// The imported inputs of a working copy that has not replaced the store yet.
    case inputs = ".etl-next"
    /// The notes of a run that has not changed the store.
    case progress = ".etl-progress"
    /// The list of files to rename after a new store has replaced the old one.
    case files = ".etl-files"
    /// The notes of a run whose store has replaced the old one.
    case completion = ".etl-done"

    /// The endings of the names of SQLite's logs, which are next to a store.
    package static let logEndings = ["-wal", "-shm", "-journal"]

    /// Returns the path of the file.
    ///
    /// - Parameter store: The path of the store, with symbolic links resolved.
    package func path(of store: String) -> String { store + rawValue }

    /// Whether the file is a store, with its own WAL and its own folder of external files.
    var isStore: Bool {
        switch self {
        case .work, .new, .part, .migrating: true
        case .lock, .copy, .replaced, .inputs, .progress, .files, .completion: false
        }
    }
}
