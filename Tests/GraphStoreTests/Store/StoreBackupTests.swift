import Foundation
import Testing

@testable import GraphStore

@Suite("Backups of a store") struct StoreBackupTests {
    @Test("only files named .bak-v and a positive number are backups, and are removed")
    func names() throws {
        let folder = FileManager.default.temporaryDirectory.path + "/backups-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let foreign = ["", "0", "00", "007", "-1", "+1", "1a", "99999999999999999999"]
        for number in foreign + ["1", "2", "10"] {
            try Data("x".utf8).write(to: URL(filePath: "\(folder)/s.sqlite.bak-v\(number)"))
        }
        let backups = try StoreBackups(of: folder + "/s.sqlite")
        #expect(backups.all.map(\.number) == [1, 2, 10])
        #expect(backups.nextPath.hasSuffix("/s.sqlite.bak-v11"))
        try backups.remove(allBut: 1)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        #expect(left == (foreign + ["10"]).map { "s.sqlite.bak-v\($0)" }.sorted())
    }

    /// Whether the file system of temporary files distinguishes the Unicode forms of a name.
    private static let distinguishesForms: Bool = {
        guard let folder = try? TemporaryFolder() else { return false }
        try? Data().write(to: URL(filePath: folder.file("\u{E9}")))
        return !FileManager.default.fileExists(atPath: folder.file("e\u{301}"))
    }()

    @Test(
        "a store's backups exclude backups of its name in another Unicode form",
        .enabled(if: distinguishesForms, "the file system treats both forms as one name"))
    func spellings() throws {
        let folder = FileManager.default.temporaryDirectory.path + "/backups-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let stores = ["\u{E9}.sqlite", "e\u{301}.sqlite"]
        for (place, store) in stores.enumerated() {
            try Data("x".utf8).write(to: URL(filePath: "\(folder)/\(store).bak-v\(place + 1)"))
        }
        #expect(
            try stores.map { try StoreBackups(of: "\(folder)/\($0)").all.map(\.number) } == [
                [1], [2],
            ])
    }
}
