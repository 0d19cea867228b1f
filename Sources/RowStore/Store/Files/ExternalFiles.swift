import Diagnostics
import Files
import FoundationEssentials
import GraphModel
package import SQLite

/// The files next to a store that hold large values.
///
/// Their paths are `.<store>_SUPPORT/_EXTERNAL_DATA/<UUID>`. A column contains either 1 followed by
/// the value, or 2 followed by the file's name and a NUL. A file is written and synchronized before
/// the row that refers to it. Files without a row are removed later.
package struct ExternalFiles: Sendable {
    /// The default threshold: values with more bytes are stored in files.
    package static let thresholdDefault = 128 << 10
    /// The mark of a value in a file; the file's name follows.
    static let fileMark: UInt8 = 2

    /// The folder of the files; `nil` if the store is not a file.
    let folder: String?
    /// The folders of the container's other stores, by the root entity's number.
    private let partFolders: [Int64: String?]

    /// Creates the files of a store.
    ///
    /// - Parameter parts: The files of other stores, by the numbers of their root entities.
    package init(storePath: String, parts: [Int64: ExternalFiles] = [:]) {
        partFolders = parts.mapValues(\.folder)
        guard !storePath.isEmpty, !storePath.hasPrefix(":"), !storePath.hasPrefix("file:") else {
            folder = nil
            return
        }
        folder = StoreFiles.supportFolder(of: storePath) + "/_EXTERNAL_DATA"
    }

    // MARK: Reading

    /// Returns the value that a column represents; null if its file is missing.
    ///
    /// - Throws: `StoreError` if the file exists and cannot be read. Null would be a wrong value,
    ///   which a migration or a save could write.
    package func value(of stored: StoredValue) throws(StoreError) -> StoredValue {
        guard case .blob(let bytes) = stored, let mark = bytes.first else { return stored }
        if mark == ExternalData.inlineMark { return .blob(Array(bytes.dropFirst())) }
        // A value without a mark represents itself; an app may have stored it before.
        guard mark == Self.fileMark else { return stored }
        guard let name = Self.fileName(stored) else { return .null }
        for folder in folders {
            let path = "\(folder)/\(name)"
            do throws(SystemFault) {
                return .blob(try FileSystem.contents(path))
            } catch {
                // The value is in one folder only; a container of several stores tries the folder
                // of each.
                guard error.isMissing else {
                    throw StoreFiles.failure(path, "cannot be read", error)
                }
            }
        }
        return .null
    }

    /// Returns the expected path of the file that a column refers to.
    func path(of stored: StoredValue) -> String {
        let name = Self.fileName(stored) ?? "(no file name)"
        return (folder ?? folders.first).map { "\($0)/\(name)" } ?? name
    }

    /// All folders; names are UUIDs, so a name occurs in at most one folder.
    private var folders: [String] {
        let parts = Set(partFolders.values.compactMap { $0 }).sorted()
        return [folder].compactMap { $0 } + parts
    }

    /// Returns the name of the file that a column refers to, if any.
    static func fileName(_ stored: StoredValue) -> String? {
        guard case .blob(let bytes) = stored, bytes.first == fileMark else { return nil }
        let name = String(decoding: bytes.dropFirst().prefix { $0 != 0 }, as: UTF8.self)
        // Only a UUID is a valid name, so that a column cannot refer to a file elsewhere.
        return UUID(uuidString: name) == nil ? nil : name
    }

    /// Finds the files that a store's rows refer to.
    package static func named(
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

    /// Returns the names of the files that a column refers to, in rows that match the conditions.
    package static func names(
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

    /// Returns a query for `Z_PK` and the file's name, without validating the name.
    static func namings(in column: String, of table: String) -> SelectSQL {
        SelectSQL(
            "Z_PK, CAST(substr(\(column), 2, 36) AS TEXT)", from: table, where: [isFile(column)])
    }

    private static func isFile(_ column: String) -> String { "substr(\(column), 1, 1) = x'02'" }

    // MARK: Writing

    /// Returns the column's value for an attribute value; writes a file if the value is large.
    ///
    /// - Parameters:
    ///   - root: The number of the root entity.
    ///   - written: Receives the names of new files, which must be removed if the save fails.
    package func stored(
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
                    throw StoreFiles.failure(path, "cannot be created", error)
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

    /// Removes files, ignoring files that do not exist.
    package func remove(_ names: [String]) throws(StoreError) {
        for folder in folders {
            for name in names { try StoreFiles.remove("\(folder)/\(name)") }
        }
    }

    /// Returns the names of all files.
    package func names() throws(StoreError) -> [String] {
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

    /// Removes the files that no row refers to.
    ///
    /// In an app's store, nothing is removed: files may belong to data outside its model.
    ///
    /// - Parameter connection: A connection that holds the write lock, so that a file whose row is
    ///   not written yet is not mistaken for an orphan.
    /// - Returns: The number of removed files.
    package func sweep(
        _ schema: StoreLayout, on connection: Connection
    ) throws(StoreError) -> Int {
        guard schema.isOurs else { return 0 }
        var orphans = Set(try names())
        guard !orphans.isEmpty else { return 0 }
        try Self.named(in: schema, on: connection) { orphans.remove($0) }
        try remove(orphans.sorted())
        return orphans.count
    }
}
