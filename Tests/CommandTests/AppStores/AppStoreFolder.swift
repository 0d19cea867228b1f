import AppStoreFixtures
import Foundation
import GraphModel
import Testing

/// A folder for an app's store, and a folder for the inputs and outputs of runs.
struct AppStoreFolder {
    let folder: TemporaryFolder
    let outside: TemporaryFolder
    let store: String
    let model: ManagedObjectModel

    init() throws {
        folder = try TemporaryFolder()
        outside = try TemporaryFolder()
        store = folder.path + "/Shelf.sqlite"
        let (read, diagnostics) = ModelFile.read(text: AppStoreFixture.modelText)
        model = try #require(read, "\(diagnostics)")
    }

    func write(_ name: String, _ lines: [String]) throws {
        try (lines.joined(separator: "\n") + "\n").write(
            toFile: outside.path + "/" + name, atomically: true, encoding: .utf8)
    }

    /// Returns the content of a store other than objects.
    func frame(of path: String, withUUID: Bool = true) throws -> [String] {
        try [
            "SELECT Z_VERSION, \(withUUID ? "Z_UUID, " : "")hex(Z_PLIST) FROM Z_METADATA",
            "SELECT hex(Z_CONTENT) FROM Z_MODELCACHE",
            "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name",
            "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY ORDER BY 1",
        ].flatMap { try Tool.sqlite(path, $0) }
    }

    /// Returns the names in the store's folder, except the empty WAL that `sqlite3` leaves.
    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().filter {
            !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm")
        }
    }

    /// Checks the rows that a query of a store returns.
    func expect(
        _ store: String, _ query: String, _ expected: [String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let found = try Tool.sqlite(store, query)
        #expect(found == expected, sourceLocation: sourceLocation)
    }
}
