import Diagnostics
import Files
import FoundationEssentials
import SQLite

/// What SQLite is told to open for a store: a file, or a piece of this process's memory.
struct StoreAddress: Sendable {
    private let target: String
    private let isURI: Bool
    /// What there is nothing on disk of.
    let isMemory: Bool
    /// The file of a store in memory, for as long as it is needed.
    private let temporary: TemporaryStore?

    /// A file, which may be declared to stay as it is.
    init(file path: String, isImmutable: Bool) {
        isMemory = false
        temporary = nil
        isURI = isImmutable
        target = isImmutable ? "file:\(Self.escaped(path))?immutable=1" : path
    }

    /// Memory that all connections of this process to that name share; a name that begins with a
    /// slash is what makes it shared (https://www.sqlite.org/src/file/src/memdb.c).
    init(memory name: String) {
        isMemory = true
        temporary = nil
        isURI = true
        target = "file:/\(Self.escaped(name))?vfs=memdb"
    }

    /// The file of a store in memory.
    private init(_ store: TemporaryStore) {
        isMemory = true
        isURI = false
        temporary = store
        target = store.path
    }

    /// Whether readers next to the writer read what was committed before.
    var hasLog: Bool { !isMemory || isTemporary }

    /// Whether a file stands for memory.
    var isTemporary: Bool { temporary != nil }

    /// The address of what the description means.
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

    /// What ATTACH is given, on a connection that reads URIs.
    func target(readingOnly: Bool) -> String {
        guard readingOnly else { return uri }
        return uri + (uri.contains("?") ? "&" : "?") + "mode=ro"
    }

    private var uri: String { isURI ? target : "file:\(Self.escaped(target))" }

    /// - Parameter attachesOthers: further stores will be attached, by URI.
    func connect(
        _ mode: Connection.Mode, attachesOthers: Bool = false
    ) throws(StoreError) -> Connection {
        let connection = try Connection(
            path: attachesOthers ? uri : target, mode: mode, isURI: isURI || attachesOthers)
        StatementLog.shared?.attach(to: connection)
        return connection
    }

    /// Whether the file alone is the store, and nobody who could change it is at work.
    ///
    /// A folder that may not be written takes no `-shm`, which readers of a log need.
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
