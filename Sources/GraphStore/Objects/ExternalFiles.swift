import Diagnostics
import Files
import FoundationEssentials
import GraphModel
import SQLite

/// The files beside a store that hold large values: `.<store>_SUPPORT/_EXTERNAL_DATA/<UUID>`.
///
/// A column says where its value is: 1 and the value, or 2 and the name of a file, ended by a NUL.
/// A file is written and made durable before the row that names it; a file that no row names is
/// swept away.
struct ExternalFiles: Sendable {
    /// Values of more bytes go to a file.
    static let thresholdDefault = 128 << 10
    /// The value is in a file, whose name follows.
    static let fileMark: UInt8 = 2

    /// Where the files are; nil of a store that is no file.
    let folder: String?
    /// Where those of hierarchies are that lie in other stores of the container, by the root's
    /// number.
    private let partFolders: [Int64: String?]

    /// - Parameter parts: the files of other stores, by the numbers of their root entities.
    init(storePath: String, parts: [Int64: ExternalFiles] = [:]) {
        partFolders = parts.mapValues(\.folder)
        guard !storePath.isEmpty, !storePath.hasPrefix(":"), !storePath.hasPrefix("file:") else {
            folder = nil
            return
        }
        folder = StoreFiles.supportFolder(of: storePath) + "/_EXTERNAL_DATA"
    }

    // MARK: Reading

    /// The value that a column stands for; nil where its file is gone.
    func value(of stored: StoredValue) -> StoredValue {
        guard case .blob(let bytes) = stored, let mark = bytes.first else { return stored }
        if mark == ExternalData.inlineMark { return .blob(Array(bytes.dropFirst())) }
        // A value that says neither stands for itself, in a store whose app began it so.
        guard mark == Self.fileMark else { return stored }
        guard let name = Self.fileName(stored) else { return .null }
        for folder in folders {
            if let bytes = try? FileSystem.contents("\(folder)/\(name)") { return .blob(bytes) }
        }
        return .null
    }

    /// Where the file that a column names should be.
    func path(of stored: StoredValue) -> String {
        let name = Self.fileName(stored) ?? "(no file name)"
        return (folder ?? folders.first).map { "\($0)/\(name)" } ?? name
    }

    /// All folders; a file's name is in one of them at most, since it is a UUID.
    private var folders: [String] {
        let parts = Set(partFolders.values.compactMap { $0 }).sorted()
        return [folder].compactMap { $0 } + parts
    }

    /// The file that a column names, if it names one.
    static func fileName(_ stored: StoredValue) -> String? {
        guard case .blob(let bytes) = stored, bytes.first == fileMark else { return nil }
        let name = String(decoding: bytes.dropFirst().prefix { $0 != 0 }, as: UTF8.self)
        // Nothing but a UUID is a name, so that no column leads elsewhere.
        return UUID(uuidString: name) == nil ? nil : name
    }

    /// Finds the files that a store's rows name.
    static func named(
        in schema: StoreLayout, on connection: Connection, _ found: (String) -> Void
    ) throws(StoreError) {
        var places: Set<[String]> = []
        for entity in schema.heldEntities {
            for place in entity.attributes.values
            where place.attribute.allowsExternalBinaryDataStorage {
                places.insert([entity.table, place.column])
            }
        }
        for place in places {
            try names(in: place[1], of: place[0], on: connection).forEach(found)
        }
    }

    /// The names of the files that a column of a table names, in the rows that meet the conditions.
    static func names(
        in column: String, of table: String, where conditions: [String] = [],
        on connection: Connection
    ) throws(StoreError) -> [String] {
        let rows = try SelectSQL(column, from: table, where: [isFile(column)] + conditions)
            .prepare(on: connection)
        var names: [String] = []
        while try rows.step() {
            if let name = fileName(rows.value(0)) { names.append(name) }
        }
        return names
    }

    /// `Z_PK` and the name of the file, for rows whose column names one, whatever the name is.
    static func namings(in column: String, of table: String) -> SelectSQL {
        SelectSQL(
            "Z_PK, CAST(substr(\(column), 2, 36) AS TEXT)", from: table, where: [isFile(column)])
    }

    private static func isFile(_ column: String) -> String { "substr(\(column), 1, 1) = x'02'" }

    // MARK: Writing

    /// What the column holds for a value; writes a file where the value is large.
    ///
    /// - Parameters:
    ///   - root: the number of the root entity.
    ///   - written: gets the names of the files made, to be removed if the save fails.
    func stored(
        _ value: StoredValue, of attribute: AttributeDescription, root: Int64,
        written: inout [String]
    ) throws(StoreError) -> StoredValue {
        guard case .blob(let bytes) = value else { return value }
        let threshold = attribute.externalStorageThreshold ?? Self.thresholdDefault
        guard let folder = partFolders[root] ?? folder, bytes.count > threshold else {
            return .blob([ExternalData.inlineMark] + bytes)
        }
        let name = UUID().uuidString
        try Self.makeFolder(folder)
        try Self.write(bytes, to: "\(folder)/\(name)")
        written.append(name)
        return .blob([Self.fileMark] + Array(name.utf8) + [0])
    }

    private static func makeFolder(_ folder: String) throws(StoreError) {
        for path in [PathText.folder(of: folder), folder] {
            do throws(SystemFault) {
                try FileSystem.makeFolder(path, mode: 0o755)
            } catch {
                guard error.isExisting else {
                    throw StoreFiles.failure(path, "cannot be made", error)
                }
            }
        }
    }

    private static func write(_ bytes: [UInt8], to path: String) throws(StoreError) {
        try StoreFiles.calling(path, "cannot be written") { () throws(SystemFault) in
            let descriptor = try FileSystem.open(path, [.writing, .new], mode: 0o644)
            defer { FileSystem.close(descriptor) }
            try FileSystem.write(bytes, to: descriptor)
            try FileSystem.synchronize(descriptor)
        }
        try StoreFiles.synchronizeFolder(of: path)
    }

    /// Removes files; those that are not there are no matter.
    func remove(_ names: [String]) throws(StoreError) {
        for folder in folders {
            for name in names { try StoreFiles.remove("\(folder)/\(name)") }
        }
    }

    /// The names of all files.
    func names() throws(StoreError) -> [String] {
        var names: [String] = []
        for folder in folders where FileSystem.exists(folder) {
            do {
                names += try FileSystem.textNames(in: folder)
                    .filter { UUID(uuidString: $0) != nil }
            } catch {
                throw StoreError(.inputOutput, "\(folder) cannot be read: \(error)")
            }
        }
        return names
    }
}
