import Files
import SQLite

/// The process and connection that have deferred the indexes and links of a store.
///
/// Another process that opens the store can thus distinguish an active load, which it must not
/// touch, from a load that was killed, which it completes.
///
/// It is stored with the deferred indexes as an SQL comment, so that it is deleted with them:
/// ```
/// ETL_LOADER | -- 4711 882736 6f9a…-b1 12 2049:1311
/// ```
/// The fields are the process ID, the start of the process, the boot ID of the system, the
/// connection in the process, and the file. They also identify a load if its process has ended and
/// another process has the same ID, or if the file is a copy.
struct LoadOwner: Equatable {
    /// The name of the note in `ETL_PENDING`.
    static let noteName = "ETL_LOADER"

    private let process: Int32
    private let processStart: String
    private let systemStart: String
    private let connection: UInt64
    private let file: String

    /// Creates the owner for a connection; `nil` if its store is not a file, which no other process
    /// can open.
    init?(_ connection: Connection) {
        guard let file = Self.file(of: connection), let start = Self.start(of: SystemProcess.number)
        else {
            return nil
        }
        self.init(
            process: SystemProcess.number, processStart: start, systemStart: Self.systemStart,
            connection: connection.number, file: file)
    }

    private init(
        process: Int32, processStart: String, systemStart: String, connection: UInt64, file: String
    ) {
        self.process = process
        self.processStart = processStart
        self.systemStart = systemStart
        self.connection = connection
        self.file = file
    }

    /// Parses a note.
    init?(note: String) {
        let parts = note.split(separator: " ").map(String.init)
        guard parts.count == 6, parts[0] == "--", let process = Int32(parts[1]),
            let connection = UInt64(parts[4])
        else { return nil }
        self.init(
            process: process, processStart: parts[2], systemStart: parts[3],
            connection: connection, file: parts[5])
    }

    /// The note, as an SQL comment.
    var note: String { "-- \(process) \(processStart) \(systemStart) \(connection) \(file)" }

    /// Returns the active load of another connection to this store; `nil` if there is none.
    static func other(than connection: Connection) throws(StoreError) -> LoadOwner? {
        other(than: connection, note: try note(on: connection))
    }

    /// Returns the active load of another connection according to the note in the store; `nil` if
    /// there is none.
    ///
    /// - Parameter note: The text of the store's note about its last load.
    static func other(than connection: Connection, note: String) -> LoadOwner? {
        guard let owner = active(in: connection, note: note), !owner.isSelf(connection) else {
            return nil
        }
        return owner
    }

    /// Returns the active load of this store, also of this connection; `nil` if there is none.
    static func active(in connection: Connection) throws(StoreError) -> LoadOwner? {
        active(in: connection, note: try note(on: connection))
    }

    private static func active(in connection: Connection, note: String) -> LoadOwner? {
        guard let owner = LoadOwner(note: note), owner.file == file(of: connection),
            owner.isAtWork
        else { return nil }
        return owner
    }

    /// Returns the store's note about its last load; empty if there is none.
    static func note(on connection: Connection) throws(StoreError) -> String {
        try connection.text("SELECT SQL FROM ETL_PENDING WHERE NAME = '\(noteName)'") ?? ""
    }

    private func isSelf(_ other: Connection) -> Bool {
        process == SystemProcess.number && connection == other.number
    }

    private var isAtWork: Bool {
        guard systemStart == Self.systemStart, Self.start(of: process) == processStart else {
            return false
        }
        return process != SystemProcess.number || Connection.isOpen(connection)
    }

    /// Returns the error for a write during the load.
    func refusal(_ path: String) -> StoreError {
        StoreError(
            .busy,
            "\(path) lacks indexes and links until process \(process) finishes its first load or"
                + " large deletion; wait for it, or if it was killed, run etl again, which completes"
                + " the work")
    }

    // MARK: Identifying processes and files

    /// Returns the start of a process; `nil` if it does not exist or is a zombie.
    private static func start(of process: Int32) -> String? {
        #if os(Linux)
            // The 22nd field. The second field is a name in parentheses, which may contain any
            // character (https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html).
            guard let status = text(ofFile: "/proc/\(process)/stat"),
                let end = status.lastIndex(of: ")")
            else { return nil }
            let fields = status[end...].split(separator: " ")
            guard fields.count > 20, !["Z", "X"].contains(fields[1]) else { return nil }
            return String(fields[20])
        #else
            return SystemProcess.isRunning(process) ? "-" : nil
        #endif
    }

    private static let systemStart: String = {
        let text = Self.text(ofFile: "/proc/sys/kernel/random/boot_id") ?? ""
        let word = text.split(whereSeparator: \.isWhitespace).first
        return word.map(String.init) ?? "-"
    }()

    private static func text(ofFile path: String) -> String? {
        // The file of a terminated process does not exist.
        guard let bytes = try? StoreFiles.read(path, first: 4_096) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the device and inode of the file, which do not depend on its path.
    private static func file(of connection: Connection) -> String? {
        // Not the given path, which is a URI if several stores are opened as one.
        guard let name = connection.fileName else { return nil }
        // Another process cannot open a file that was removed, so the load needs no owner.
        guard let status = try? FileStatus(of: name) else { return nil }
        return "\(status.device):\(status.inode)"
    }
}
