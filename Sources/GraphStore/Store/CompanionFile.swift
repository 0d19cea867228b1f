/// A file that etl keeps next to a store, named after it: the store's name and the raw value.
package enum CompanionFile: String, CaseIterable, Sendable {
    /// Holds the lock of the run that works on the store; it stays.
    case lock = ".etl-lock"
    /// A clone that a run works on.
    case work = ".etl-work"
    /// A new store that is to replace the old one.
    case new = ".etl-new"
    /// A store that `--repair` is writing.
    case part = ".etl-part"
    /// A store that a migration is writing.
    case migrating = ".migrating"
    /// A copy that is being written.
    case copy = ".etl-copy"
    /// The store that a swap replaces, until the new one has opened.
    case replaced = ".etl-old"
    /// What the next store remembers of the inputs that are read once.
    case inputs = ".etl-next"
    /// The notes of a run that has changed nothing in the store.
    case progress = ".etl-progress"
    /// Which files get their names when a new store has taken its place.
    case files = ".etl-files"
    /// The notes of a run whose store has taken its place.
    case completion = ".etl-done"

    /// The path of the file.
    ///
    /// - Parameter store: the path of the store, with symbolic links resolved.
    package func path(of store: String) -> String { store + rawValue }

    /// Whether the file is a store, so that it has a log and a folder of large values of its own.
    var isStore: Bool {
        switch self {
        case .work, .new, .part, .migrating: true
        case .lock, .copy, .replaced, .inputs, .progress, .files, .completion: false
        }
    }
}
