import Foundation
import GraphModel
import SQLite
import Testing
import XcodeModel

@testable import GraphStore
@testable import RowStore

@Suite("Store metadata") struct StoreMetadataTests {
    private static let script = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("shared/tools/coredata_hash.py").path

    @Test func containsTheMetadataKeysOfCoreData() throws {
        let model = try model(everythingModel)
        try withStore(model) { store in
            let connection = try Connection(path: store.path, mode: .readOnly)
            let metadata = try #require(try StoreMetadata(readingFrom: connection))
            #expect(UUID(uuidString: metadata.uuid)?.uuidString == store.container.storeUUID)
            #expect(
                metadata.propertyList == [
                    "NSStoreType": .string("SQLite"),
                    "NSPersistenceFrameworkVersion": .integer(1345),
                    "NSStoreModelVersionHashesVersion": .integer(3),
                    "NSStoreModelVersionIdentifiers": .array([]),
                    "NSStoreModelVersionHashes": .dictionary(
                        model.versionHashes.mapValues { .data(Data($0)) }),
                    "NSStoreModelVersionHashesDigest": .string(model.versionHashesDigest),
                    "NSStoreModelVersionChecksumKey": .string(model.versionChecksum),
                    "_NSAutoVacuumLevel": .string("2"),
                ])
            #expect(
                try store.lines(
                    "SELECT Z_VERSION, substr(Z_PLIST, 1, 8) = CAST('bplist00' AS BLOB)"
                        + " FROM Z_METADATA") == ["1|1"])
        }
    }

    @Test func keepsUnknownMetadataKeys() throws {
        let folder = try TemporaryFolder()
        let connection = try Connection(path: folder.file("a.sqlite"), mode: .create)
        try connection.execute(SchemaSQL.bookkeeping)
        var metadata = StoreMetadata(newStoreFor: try model("A: { attributes: { x: String } }"))
        let own: [String: PropertyListValue] = [
            "text": .string("1"), "whole": .integer(1), "fraction": .real(1.5),
            "flag": .boolean(true), "when": .date(Date(timeIntervalSinceReferenceDate: 12.5)),
            "bytes": .data(Data([0, 1])), "list": .array([.integer(0), .boolean(false)]),
            "nested": .dictionary(["inner": .string("x")]),
        ]
        metadata.propertyList.merge(own) { $1 }
        try metadata.write(to: connection)
        try metadata.write(to: connection)
        let read = try #require(try StoreMetadata(readingFrom: connection))
        #expect(read.propertyList == metadata.propertyList)
        #expect(try connection.integer("SELECT count(*) FROM Z_METADATA") == 1)
    }

    @Test(
        .enabled(
            if: FileManager.default.fileExists(atPath: script),
            "the reference implementation of the hashes is not here"))
    func agreesWithTheReferenceImplementation() throws {
        let store = try TestStore(everythingModel)
        try store.container.checkpoint()
        let contents = store.folder.file("contents")
        try everythingContents.write(toFile: contents, atomically: true, encoding: .utf8)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", Self.script, "pair", store.path, contents]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(text == "7/7 entities match []\ndigest True\nchecksum True\n")
    }

    private func reading(_ list: String) throws -> StoreMetadata? {
        try reading(Array(list.utf8))
    }

    private func reading(_ list: [UInt8]) throws -> StoreMetadata? {
        let folder = try TemporaryFolder()
        let connection = try Connection(path: folder.file("a.sqlite"), mode: .create)
        try connection.execute(SchemaSQL.bookkeeping)
        let insert = try connection.prepare(
            "INSERT INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) VALUES (1, 'U', ?)")
        insert.bind(list, at: 1)
        try insert.run()
        return try StoreMetadata(readingFrom: connection)
    }

    @Test("metadata may be an XML property list, as other tools write it")
    func readsXML() throws {
        let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        let list = """
            <plist version="1.0"><dict>
            <key>NSStoreType</key><string>SQLite &amp; 1</string>
            <key>whole</key><integer>12</integer><key>fraction</key><real>1.5</real>
            <key>flag</key><true/><key>when</key><date>2001-01-01T00:00:12Z</date>
            <key>NSStoreModelVersionHashes</key><dict><key>A</key><data>AAH/</data></dict>
            <key>list</key><array><integer>0</integer><false/></array>
            </dict></plist>
            """
        for text in [list, head + list, "\u{FEFF}" + head + list, "<!DOCTYPE plist>\n" + list] {
            let metadata = try #require(try reading(text))
            #expect(
                metadata.propertyList == [
                    "NSStoreType": .string("SQLite & 1"), "whole": .integer(12),
                    "fraction": .real(1.5), "flag": .boolean(true),
                    "when": .date(Date(timeIntervalSinceReferenceDate: 12)),
                    "NSStoreModelVersionHashes": .dictionary(["A": .data(Data([0, 1, 255]))]),
                    "list": .array([.integer(0), .boolean(false)]),
                ], "\(text)")
            #expect(metadata.versionHashes == ["A": [0, 1, 255]])
        }
        // Only data are hashes.
        let hash = list.replacing("<data>AAH/</data>", with: "<string>AAH/</string>")
        #expect(try #require(try reading(hash)).versionHashes == [:])
        let deep = String(repeating: "<array>", count: 100_000)
        for wrong in [
            head + "<plist><dict>", "<plist>\(deep)", "<plist><string>x</string></plist>",
        ] {
            let error = storeError { _ = try reading(wrong) }
            #expect(error?.code == .corrupt)
            #expect(error?.message.hasSuffix(": its metadata cannot be read") == true)
        }
    }

    @Test("metadata with references of an archive, which no framework writes, cannot be read")
    func refusesReferences() throws {
        for value in [
            BinaryPlist.uid(1), .array([.text("x"), .uid(1)]), .dictionary([("x", .uid(1))]),
        ] {
            let error = storeError {
                _ = try reading(BinaryPlist.dictionary([("key", value)]).bytes)
            }
            #expect(error?.code == .corrupt)
            #expect(error?.message.hasSuffix(": its metadata cannot be read") == true)
        }
    }
}
