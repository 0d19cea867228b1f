import Foundation
import GraphModel
import SQLite
import Testing

@testable import GraphStore
@testable import RowStore

@Suite("Stores with UTF-16 text") struct StoreEncodingTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("wide.sqlite")
    }

    private func make(_ encoding: String, ofApp: Bool = false) throws {
        let connection = try Connection(path: path, mode: .create)
        try connection.execute("PRAGMA encoding = '\(encoding)'")
        try connection.execute(SchemaSQL.bookkeeping)
        if ofApp { try connection.execute("DROP TABLE ETL_MODEL") }
    }

    private func refusal(_ encoding: String, of body: () throws -> Void) {
        let error = storeError(body)
        #expect(error?.code == .encoding)
        #expect(
            error?.message == "\(path) keeps its texts in \(encoding), and a store's are in UTF-8")
    }

    @Test(
        "a UTF-16 store cannot be opened, inspected, or migrated, and stays unchanged",
        arguments: ["UTF-16le", "UTF-16be"], [false, true])
    func areRefused(_ encoding: String, ofApp: Bool) throws {
        try make(encoding, ofApp: ofApp)
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let model = try model("A: { attributes: { x: String } }")
        var reading = StoreOptions()
        reading.isReadOnly = true
        var writing = StoreOptions()
        writing.appStores = .writing
        for options in [reading, writing] {
            for opening in [StoreOpening.existing, .create] {
                refusal(encoding) {
                    _ = try PersistentContainer(
                        model: model, .sqlite(at: path, opening: opening, options: options))
                }
            }
        }
        refusal(encoding) { _ = try PersistentContainer.model(ofStoreAt: path) }
        refusal(encoding) { _ = try PersistentContainer.metadata(at: path) }
        refusal(encoding) { _ = try PersistentContainer.verify(at: path) }
        refusal(encoding) { try PersistentContainer.checkTemplate(at: path) }
        refusal(encoding) { _ = try MigrationManager(storeAt: path, to: model).plan() }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["wide.sqlite"])
    }

    @Test("a UTF-16 file is also rejected as a binary store, or if it has no tables")
    func others() throws {
        try make("UTF-16le")
        let model = try model("A: { attributes: { x: String } }")
        refusal("UTF-16le") {
            _ = try PersistentContainer(model: model, StoreDescription(.binary, at: path))
        }
        try FileManager.default.removeItem(atPath: path)
        try Connection(path: path, mode: .create).execute(
            "PRAGMA encoding = 'UTF-16le'; CREATE TABLE A (X); DROP TABLE A")
        refusal("UTF-16le") {
            _ = try PersistentContainer(model: model, at: path, opening: .create)
        }
    }

    @Test(
        "a store cannot be created in UTF-16, and any spelling of UTF-8 is accepted",
        arguments: ["encoding", "ENCODING"])
    func areNotMade(_ name: String) throws {
        let model = try model("A: { attributes: { x: String } }")
        var options = StoreOptions()
        options.pragmas = [name: "UTF16le"]
        let error = storeError {
            _ = try PersistentContainer(
                model: model, .sqlite(at: path, opening: .create, options: options))
        }
        #expect(error?.code == .invalidRequest)
        #expect(
            error?.message
                == "'encoding = UTF16le' cannot be: a store's texts are in UTF-8; leave it out")
        #expect(!FileManager.default.fileExists(atPath: path))
        for value in ["utf8", "UTF8", "utf-8", "UTF-8"] {
            options.pragmas = [name: value]
            let error = storeError {
                _ = try PersistentContainer(
                    model: model, .sqlite(at: path, opening: .create, options: options))
            }
            #expect(error == nil, "\(value)")
            try FileManager.default.removeItem(atPath: path)
        }
    }
}
