/// How a store's file is opened and written.
///
/// Start from a preset and change what must differ:
/// ```swift
/// var options = StoreOptions.durable
/// options.busyTimeoutMilliseconds = 500
/// options.filePermissions = 0o600
/// ```
public struct StoreOptions: Sendable, Hashable {
    /// Where SQLite keeps what a transaction changes (https://www.sqlite.org/pragma.html).
    public enum JournalMode: String, Sendable, Hashable, CaseIterable {
        /// A log beside the file: readers and the writer do not wait for each other.
        case writeAheadLog = "WAL"
        /// The old pages in a file that is removed with each commit.
        case delete = "DELETE"
        /// The same, but the file is cut instead of removed.
        case truncate = "TRUNCATE"
    }

    /// When SQLite waits for the disk.
    public enum Synchronous: String, Sendable, Hashable, CaseIterable {
        /// With each commit: what is saved survives a loss of power.
        case full = "FULL"
        /// At checkpoints: after a loss of power the store is whole, but late saves may be gone.
        case normal = "NORMAL"
        /// Never: for stores that can be made again.
        case off = "OFF"
    }

    /// What happens to the bytes of what is deleted.
    public enum SecureDelete: String, Sendable, Hashable, CaseIterable {
        /// They stay until they are written over.
        case off = "OFF"
        /// Zeros, where that costs no additional writing.
        case fast = "FAST"
        /// Zeros always.
        case on = "ON"
    }

    /// Nothing may be saved, and the store's bytes stay as they are.
    ///
    /// Nothing is left beside it, either, unless another process makes a log while it is read.
    public var isReadOnly = false
    /// Nobody changes the file while it is open, so that it is read without any lock.
    ///
    /// For stores on read-only media. Implies `isReadOnly`.
    public var isImmutable = false
    /// How long a save waits for another process's lock.
    public var busyTimeoutMilliseconds = 5_000
    /// Says how long in place of `busyTimeoutMilliseconds`.
    package var lockPatience: LockPatience?
    /// Opens for reading what an initial load that did not finish has left: rows, of which links and
    /// indexes may be missing.
    package var readsUnfinishedLoad = false
    /// Where SQLite keeps what a transaction changes; nil leaves a store as it is, and gives a
    /// new one the write-ahead log.
    public var journalMode: JournalMode?
    /// When SQLite waits for the disk.
    public var synchronous = Synchronous.normal
    /// What happens to the bytes of what is deleted.
    public var secureDelete = SecureDelete.off
    /// The page cache of the connection that writes, in KiB.
    public var cacheKibibytes = 64_000
    /// The page cache of each connection that reads, in KiB.
    public var readerCacheKibibytes = 16_000
    /// The log is folded into the file when it has so many pages; 0 leaves that to `checkpoint()`.
    public var checkpointPages = 1_000
    /// The mode of a new file, such as `0o600`; nil leaves it to the process's mask.
    public var filePermissions: UInt16?
    /// Other pragmas of SQLite, by name, for the connection that writes; a store's texts are in
    /// UTF-8, so that no other `encoding` is taken.
    public var pragmas: [String: String] = [:]
    /// A new store keeps all digits of its decimals, as canonical texts of at most 38 digits, in
    /// place of the nearest double that Core Data's format has; nil keeps what the store does.
    ///
    /// Predicates and orders compare all digits and arithmetic keeps 38, halves away from zero; sums
    /// and means of collections are those of doubles.
    /// Core Data itself does not read such columns as decimals.
    public var keepsExactDecimals: Bool?
    /// Keeps a history of changes, and for how long, or none; nil keeps what the store does already.
    public var history: HistoryOptions?
    /// What may be done to a store that an app made on Apple's systems.
    public var appStores = AppStoreAccess.reading
    /// What opening does with a store that was made with another version of the model.
    public var migration = Migration.off

    /// The `balanced` preset.
    public init() {}

    /// Saves survive a loss of power.
    public static var durable: StoreOptions {
        var options = StoreOptions()
        options.synchronous = .full
        return options
    }

    /// Saves survive the end of the process; the store is whole after a loss of power.
    public static var balanced: StoreOptions { StoreOptions() }

    /// Few checkpoints and a large cache, for loads.
    public static var bulk: StoreOptions {
        var options = StoreOptions()
        options.secureDelete = .fast
        options.checkpointPages = 4_000
        return options
    }

    /// The pragmas of the connection that writes.
    func writerPragmas() throws(StoreError) -> String {
        var lines = [
            "synchronous = \(synchronous.rawValue)", "secure_delete = \(secureDelete.rawValue)",
            "cache_size = -\(max(0, cacheKibibytes))", "temp_store = FILE", "threads = 1",
            "wal_autocheckpoint = \(max(0, checkpointPages))",
        ]
        for (name, value) in pragmas.sorted(by: { $0.key < $1.key }) {
            guard Self.isWord(name), Self.isWord(value) else {
                throw StoreError(
                    .invalidRequest, "'\(name) = \(value)' is no pragma: use letters, digits, _ -")
            }
            if name.lowercased() == "encoding" {
                guard ["UTF8", "UTF-8"].contains(value.uppercased()) else {
                    throw StoreError(
                        .invalidRequest,
                        "'encoding = \(value)' cannot be: a store's texts are in UTF-8; leave it"
                            + " out")
                }
                // So they are without it.
                continue
            }
            lines.append("\(name) = \(value)")
        }
        return lines.map { "PRAGMA \($0);" }.joined(separator: " ")
    }

    /// The pragmas of a connection that reads.
    var readerPragmas: String {
        "PRAGMA cache_size = -\(max(0, readerCacheKibibytes)); PRAGMA temp_store = FILE;"
    }

    var mayWrite: Bool { !isReadOnly && !isImmutable }

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
