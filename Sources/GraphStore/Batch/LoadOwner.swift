import Files
import SQLite

/// Who has put off the indexes and links of a store, so that whoever opens it meanwhile can tell a
/// load that is at work, which is left alone, from one that was killed, which is completed.
///
/// It stands beside what is put off, as a comment, so that it goes with it:
/// ```
/// ETL_LOADER | -- 4711 882736 6f9a…-b1 12 2049:1311
/// ```
/// That is the process, its start, the system's start, the connection in the process, and the file:
/// the process may end and its number be another's, and the file may be a copy.
struct LoadOwner: Equatable {
    /// The name of the note in `ETL_PENDING`.
    static let noteName = "ETL_LOADER"

    private let process: Int32
    private let processStart: String
    private let systemStart: String
    private let connection: UInt64
    private let file: String

    /// The owner that a connection is; nil where its store is no file, which nobody else can open.
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

    /// Reads a note.
    init?(note: String) {
        let parts = note.split(separator: " ").map(String.init)
        guard parts.count == 6, parts[0] == "--", let process = Int32(parts[1]),
            let connection = UInt64(parts[4])
        else { return nil }
        self.init(
            process: process, processStart: parts[2], systemStart: parts[3],
            connection: connection, file: parts[5])
    }

    /// The note; SQL that does nothing.
    var note: String { "-- \(process) \(processStart) \(systemStart) \(connection) \(file)" }

    /// The load that another connection is at in this store; nil where there is none.
    static func other(than connection: Connection) throws(StoreError) -> LoadOwner? {
        other(than: connection, note: try note(on: connection))
    }

    /// - Parameter note: what the store says of the last load into it.
    static func other(than connection: Connection, note: String) -> LoadOwner? {
        guard let owner = LoadOwner(note: note),
            owner.file == file(of: connection), owner.isAtWork, !owner.isSelf(connection)
        else { return nil }
        return owner
    }

    /// What the store says of the last load into it; empty where it says nothing.
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

    /// What to tell of a write that comes in between.
    func refusal(_ path: String) -> StoreError {
        StoreError(
            .busy,
            "\(path) is in its first load, by process \(process), whose indexes and links"
                + " come at its end")
    }

    // MARK: What tells processes and files apart

    /// When a process began; nil where there is none, or where it is dead and not yet taken away.
    private static func start(of process: Int32) -> String? {
        #if os(Linux)
            // The 22nd field; the second is a name in parentheses, in which anything may stand
            // (https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html).
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
        // A process that is gone has no file.
        guard let bytes = try? StoreFiles.read(path, first: 4_096) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// By whatever name it is opened, a file is one.
    private static func file(of connection: Connection) -> String? {
        // Not the path that it was given, which is a URI where several stores are opened as one.
        guard let name = connection.fileName else { return nil }
        guard let status = try? FileStatus(of: name) else { return nil }
        return "\(status.device):\(status.inode)"
    }
}
