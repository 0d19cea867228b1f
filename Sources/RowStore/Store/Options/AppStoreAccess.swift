/// The permitted access to a store that an app created on Apple's systems.
///
/// ```swift
/// var options = StoreOptions()
/// options.appStores = .writing
/// let container = try PersistentContainer(model: nil, .sqlite(at: path, options: options))
/// ```
/// Close the app before you write to its store. Writing is experimental: the written data was
/// compared with stores of apps, but Apple's framework has not yet opened it.
public struct AppStoreAccess: Sendable, Hashable {
    /// Whether saves are allowed.
    let mayWrite: Bool
    /// Whether the first save backs up the store.
    let keepsBackup: Bool
    /// Whether saves are also allowed in a store that its app mirrors to CloudKit.
    ///
    /// CloudKit does not receive these changes unless the store keeps a history.
    public var allowsCloudKit = false
    /// The number of backups to keep, at least 1.
    ///
    /// The first save adds a backup and removes the oldest.
    public var backupsKept = StoreBackups.keepDefault

    /// Read-only access.
    public static let reading = AppStoreAccess(mayWrite: false, keepsBackup: false)
    /// Read and write access; the first save copies the store to `<store>.bak-v1`, or the next free
    /// number.
    public static let writing = AppStoreAccess(mayWrite: true, keepsBackup: true)
    /// Write access to a temporary copy of the store, which may also hold notes of etl.
    package static let writingCopy = AppStoreAccess(mayWrite: true, keepsBackup: false)

    /// Whether the file is a private copy that will later replace an app's store.
    package var isCopy: Bool { mayWrite && !keepsBackup }
}
