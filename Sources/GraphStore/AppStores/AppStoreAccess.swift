/// What may be done to a store that an app made on Apple's systems.
///
/// ```swift
/// var options = StoreOptions()
/// options.appStores = .writing
/// let container = try PersistentContainer(model: nil, .sqlite(at: path, options: options))
/// ```
/// Whoever writes to one needs the app to be closed. What we write was compared with stores that
/// apps have made, and not yet opened by Apple's framework: it is experimental.
public struct AppStoreAccess: Sendable, Hashable {
    /// Saves are written.
    let mayWrite: Bool
    /// What stands there is worth a copy first.
    let keepsBackup: Bool
    /// Also a store that its app mirrors to CloudKit, which does not learn of what is written here
    /// unless the store keeps a history.
    public var allowsCloudKit = false
    /// How many backups of the store are kept; at least one.
    ///
    /// The first save adds a backup and removes the oldest.
    public var backupsKept = StoreBackups.keepDefault

    /// It is read, and nothing else.
    public static let reading = AppStoreAccess(mayWrite: false, keepsBackup: false)
    /// Saves are written; the first of them copies the store to `<store>.bak-v1`, or the next
    /// number that is free.
    public static let writing = AppStoreAccess(mayWrite: true, keepsBackup: true)
    /// The file is a copy that was made for the purpose, in which there is also room for notes.
    package static let writingCopy = AppStoreAccess(mayWrite: true, keepsBackup: false)

    /// Whether the file is nobody's but ours, until it takes an app's store's place.
    var isCopy: Bool { mayWrite && !keepsBackup }
}
