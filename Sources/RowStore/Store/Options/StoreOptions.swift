/// The options for opening and writing a store's file.
///
/// Start from a preset and change individual options:
/// ```swift
/// var options = StoreOptions.durable
/// options.busyTimeoutMilliseconds = 500
/// options.filePermissions = 0o600
/// ```
public struct StoreOptions: Sendable, Hashable {
    /// The SQLite journal mode (https://www.sqlite.org/pragma.html).
    public enum JournalMode: String, Sendable, Hashable, CaseIterable {
        /// A write-ahead log next to the file; readers and the writer do not wait for each other.
        case writeAheadLog = "WAL"
        /// A rollback journal that each commit removes.
        case delete = "DELETE"
        /// A rollback journal that each commit truncates.
        case truncate = "TRUNCATE"
    }

    /// The times at which SQLite waits for the disk.
    public enum Synchronous: String, Sendable, Hashable, CaseIterable {
        /// At each commit; saves survive a power loss.
        case full = "FULL"
        /// At checkpoints; after a power loss the store is consistent, but recent saves may be
        /// lost.
        case normal = "NORMAL"
        /// Never; for stores that can be rebuilt.
        case off = "OFF"
    }

    /// The handling of deleted bytes.
    public enum SecureDelete: String, Sendable, Hashable, CaseIterable {
        /// Deleted bytes remain until they are overwritten.
        case off = "OFF"
        /// Deleted bytes are overwritten with zeros if this needs no additional writes.
        case fast = "FAST"
        /// Deleted bytes are always overwritten with zeros.
        case on = "ON"
    }

    /// Whether saves are not allowed and the store's bytes do not change.
    ///
    /// No files are left next to the store, unless another process creates a WAL while it is read.
    public var isReadOnly = false
    /// Whether no process changes the file while it is open, so that it is read without locks.
    ///
    /// Use it for stores on read-only media. It implies `isReadOnly`.
    public var isImmutable = false
    /// The time in milliseconds that a save waits for the lock of another process.
    public var busyTimeoutMilliseconds = 5_000
    /// The limit of lock waits that replaces `busyTimeoutMilliseconds`.
    package var lockPatience: LockPatience?
    /// Whether a store with an unfinished initial load may be read.
    ///
    /// Its links and indexes may be missing.
    package var readsUnfinishedLoad = false
    /// The journal mode.
    ///
    /// `nil` keeps the mode of an existing store, and gives a new one a write-ahead log.
    public var journalMode: JournalMode?
    /// The times at which SQLite waits for the disk.
    public var synchronous = Synchronous.normal
    /// The handling of deleted bytes.
    public var secureDelete = SecureDelete.off
    /// The page cache of the writing connection in KiB.
    public var cacheKibibytes = 64_000
    /// The page cache of each reading connection in KiB.
    public var readerCacheKibibytes = 16_000
    /// The number of WAL pages that triggers a checkpoint; 0 leaves checkpoints to `checkpoint()`.
    public var checkpointPages = 1_000
    /// The permissions of a new file, such as `0o600`; `nil` uses the process's mask.
    public var filePermissions: UInt16?
    /// Further SQLite pragmas of the writing connection, by name.
    ///
    /// A store's strings are always UTF-8, so any other `encoding` is not allowed.
    public var pragmas: [String: String] = [:]
    /// Whether a new store keeps all digits of its decimals, as canonical strings of up to 38
    /// digits.
    ///
    /// Core Data's format has the nearest double instead, and Core Data does not read these columns
    /// as decimals. Predicates and sort orders compare all digits. Arithmetic keeps 38 digits and
    /// rounds halves away from zero. Sums and averages of collections are computed as doubles.
    /// `nil` uses the model's setting for a new store, and keeps the setting of an existing one.
    public var keepsExactDecimals: Bool?
    /// Whether to keep a history of changes, and for how long; `nil` keeps the store's setting.
    public var history: HistoryOptions?
    /// The allowed access to a store that an app created on an Apple platform.
    public var appStores = AppStoreAccess.reading
    /// The migration of a store that was created with another version of the model.
    public var migration = Migration.off

    /// Creates the `balanced` preset.
    public init() {}

    /// A preset in which saves survive a power loss.
    public static var durable: StoreOptions {
        var options = StoreOptions()
        options.synchronous = .full
        return options
    }

    /// A preset in which saves survive the end of the process, and power losses leave a consistent
    /// store.
    public static var balanced: StoreOptions { StoreOptions() }

    /// A preset for loads, with few checkpoints.
    public static var bulk: StoreOptions {
        var options = StoreOptions()
        options.secureDelete = .fast
        options.checkpointPages = 4_000
        return options
    }

    /// Returns the pragmas of the writing connection.
    func writerPragmas() throws(StoreError) -> String {
        var lines =
            filePragmas + [
                "temp_store = FILE", "threads = 1",
                "wal_autocheckpoint = \(max(0, checkpointPages))",
            ]
        for (name, value) in pragmas.sorted(by: { $0.key < $1.key }) {
            guard Self.isWord(name), Self.isWord(value) else {
                throw StoreError(
                    .invalidRequest,
                    "'\(name) = \(value)' is not a valid pragma: use letters, digits, _ -")
            }
            if name.lowercased() == "encoding" {
                guard ["UTF8", "UTF-8"].contains(value.uppercased()) else {
                    throw StoreError(
                        .invalidRequest,
                        "'encoding = \(value)' cannot be: a store's texts are in UTF-8; leave it"
                            + " out")
                }
                // UTF-8 is the default anyway.
                continue
            }
            lines.append("\(name) = \(value)")
        }
        return lines.map { "PRAGMA \($0);" }.joined(separator: " ")
    }

    /// The pragmas of one file, without the keyword.
    private var filePragmas: [String] {
        [
            "synchronous = \(synchronous.rawValue)", "secure_delete = \(secureDelete.rawValue)",
            "cache_size = -\(max(0, cacheKibibytes))",
        ]
    }

    /// Returns the pragmas of the writing connection for a file that is attached to it.
    func pragmas(of database: String) -> String {
        filePragmas.map { "PRAGMA \(database).\($0);" }.joined(separator: " ")
    }

    /// The pragmas of a reading connection.
    var readerPragmas: String {
        "PRAGMA cache_size = -\(max(0, readerCacheKibibytes)); PRAGMA temp_store = FILE;"
    }

    /// Whether the options allow changes of the store.
    package var mayWrite: Bool { !isReadOnly && !isImmutable }

    private static func isWord(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}
