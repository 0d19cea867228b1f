import Diagnostics
import Files
import FoundationEssentials
import SQLite

/// The target that SQLite opens for a store: a file, or memory of this process.
package struct StoreAddress: Sendable {
    private let target: String
    private let isURI: Bool
    /// Whether the store has no file of its own on the disk.
    package let isMemory: Bool
    /// The file of a store in memory, kept alive.
    private let temporary: TemporaryStore?

    /// Creates the address of a file, which may be declared immutable.
    init(file path: String, isImmutable: Bool) {
        isMemory = false
        temporary = nil
        isURI = isImmutable
        target = isImmutable ? "file:\(Self.escaped(path))?immutable=1" : path
    }

    /// Creates the address of memory that all connections of this process with that name share.
    ///
    /// A leading slash in the name makes the memory shared
    /// (https://www.sqlite.org/src/file/src/memdb.c).
    init(memory name: String) {
        isMemory = true
        temporary = nil
        isURI = true
        target = "file:/\(Self.escaped(name))?vfs=memdb"
    }

    /// Creates the address of the temporary file of a store in memory.
    private init(_ store: TemporaryStore) {
        isMemory = true
        isURI = false
        temporary = store
        target = store.path
    }

    /// Whether the store has a WAL, so that readers see the state before the writer's transaction.
    package var hasLog: Bool { !isMemory || isTemporary }

    /// Whether the store is in memory, backed by a temporary file.
    var isTemporary: Bool { temporary != nil }

    /// Creates the address of the store that a description names.
    init(_ description: StoreDescription) throws(StoreError) {
        switch description.kind {
        case .sqlite:
            self.init(
                file: description.path,
                isImmutable: Self.isImmutable(description.path, description.options))
        case .inMemory: self.init(try TemporaryStore.named(description.path))
        case .binary, .json: self.init(memory: Self.uniqueName())
        }
    }

    static func uniqueName() -> String { UUID().uuidString }

    /// Returns the argument of `ATTACH` for a connection that accepts URIs.
    func target(readingOnly: Bool) -> String {
        guard readingOnly else { return uri }
        return uri + (uri.contains("?") ? "&" : "?") + "mode=ro"
    }

    private var uri: String { isURI ? target : "file:\(Self.escaped(target))" }

    /// Opens a connection to the store.
    ///
    /// - Parameter attachesOthers: Whether `ATTACH` will add other stores to the connection by
    ///   their URIs.
    func connect(
        _ mode: Connection.Mode, attachesOthers: Bool = false
    ) throws(StoreError) -> Connection {
        let connection = try Connection(
            path: attachesOthers ? uri : target, mode: mode, isURI: isURI || attachesOthers)
        StatementLog.shared?.attach(to: connection)
        return connection
    }

    /// Returns whether the file alone is the store and cannot change while it is open.
    ///
    /// In a folder that is not writable, no `-shm` file can be created, which readers of a WAL
    /// need.
    private static func isImmutable(_ path: String, _ options: StoreOptions) -> Bool {
        if options.isImmutable { return true }
        let path = StoreFiles.resolved(path)
        guard options.isReadOnly, !FileSystem.allows(PathText.folder(of: path), .write) else {
            return false
        }
        return !FileSystem.exists(path + "-wal")
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."),
                UInt8(ascii: "-"), UInt8(ascii: "_"):
                escaped.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                escaped += "%" + (byte < 16 ? "0" : "") + digits
            }
        }
        return escaped
    }
}
