import Foundation
import GraphModel
import GraphStore
import Testing

@testable import Pipelines

/// Large values in external files of a store that a run changes in a working copy.
@Suite("Copies with large values")
struct LargeValueModeTests {
    private static let model = """
        model: 1
        entities:
          Doc:
            attributes:
              name: { type: String, optional: false }
              data: { type: Binary, external: true }
            unique: [[name]]
        """

    @Test(
        "a run on a copy keeps the files of large values, and leaves no unused file",
        arguments: ["store.sqlite", "store"])
    func keepsFiles(store: String) throws {
        let folder = try Workspace()
        try folder.write("model.yaml", Self.model)
        let large = [UInt8](repeating: 7, count: 300_000)
        let key = AttributeKey<Data>("data")
        do {
            let (model, _) = ModelFile.read(text: Self.model)
            let container = try PersistentContainer(
                model: model, .sqlite(at: folder.path(store), opening: .create))
            let context = container.newContext()
            for name in ["kept", "gone"] {
                let doc = try context.insert("Doc")
                try doc.setValue(.attribute(.text(name)), forKey: "name")
                doc[key] = Data(large)
            }
            try context.save()
        }
        let run = try folder.run(
            """
            etl: 1
            store: { at: \(store), model: model.yaml, commit: run }
            stages:
              - { delete: Doc, where: "name == 'gone'" }
            """)
        #expect(run.text == "")
        let container = try PersistentContainer(model: nil, at: folder.path(store))
        let context = container.newContext()
        let docs = try context.fetch(
            FetchRequest<ManagedObject>(entityName: "Doc"))
        #expect(docs.map { $0[key] } == [Data(large)])
        #expect(folder.names(".store_SUPPORT/_EXTERNAL_DATA").count == 1)
        #expect(folder.names().filter { $0.hasSuffix("_SUPPORT") } == [".store_SUPPORT"])
    }

    @Test("an import replaces large and small values, and keeps them in their rows")
    func replacesValues() throws {
        let folder = try Workspace()
        let large = Data(repeating: 7, count: 300_000)
        let values: [Data?] = [nil, Data([1, 2]), large, Data([3]), nil, large]
        for (number, value) in values.enumerated() {
            let text = value.map { "\"\($0.base64EncodedString())\"" } ?? "null"
            try folder.write("docs.ndjson", #"{"name":"a","data":\#(text)}"#)
            let run = try folder.run(model: Self.model, "- { import: docs.ndjson, into: Doc }")
            #expect(
                run.lines == [
                    "import import-docs: 1 read, 1 \(number == 0 ? "inserted" : "updated")"
                ])
            let container = try PersistentContainer(model: nil, at: folder.path("store.sqlite"))
            let docs = try container.newContext().fetch(
                FetchRequest<ManagedObject>(entityName: "Doc"))
            #expect(docs.map { $0[AttributeKey<Data>("data")] } == [value])
            #expect(folder.names(".store_SUPPORT/_EXTERNAL_DATA").isEmpty)
        }
    }

    @Test("an export fails if the file of a value is missing, unless it may write null")
    func missingFiles() throws {
        let folder = try Workspace()
        try folder.write("model.yaml", Self.model)
        let (model, _) = ModelFile.read(text: Self.model)
        do {
            let container = try PersistentContainer(
                model: model, .sqlite(at: folder.path("store.sqlite"), opening: .create))
            let context = container.newContext()
            let doc = try context.insert("Doc")
            try doc.setValue(.attribute(.text("a")), forKey: "name")
            doc[AttributeKey<Data>("data")] = Data(repeating: 7, count: 300_000)
            try context.save()
        }
        let values = folder.path(".store_SUPPORT/_EXTERNAL_DATA")
        let name = try #require(folder.names(".store_SUPPORT/_EXTERNAL_DATA").first)
        try FileManager.default.removeItem(atPath: "\(values)/\(name)")
        func spec(_ settings: String) -> String {
            """
            etl: 1
            store: { at: store.sqlite, model: model.yaml }
            stages:
              - { export: Doc, to: out.ndjson\(settings) }
            """
        }
        let failed = try folder.run(spec(""))
        #expect(failed.status == .dataError)
        #expect(
            failed.text.contains(
                "Doc 1: the file of 'data' is missing: .store_SUPPORT/_EXTERNAL_DATA/\(name)"),
            "\(failed.text)")
        #expect(failed.text.contains("`missing-files: null`"))
        #expect(!folder.names().contains("out.ndjson"))

        let done = try folder.run(spec(", missing-files: null"))
        #expect(done.status == .ok && done.text == "")
        #expect(done.outcome.stages.map(\.exported?.missingFiles) == [1])
        #expect(
            try String(contentsOfFile: folder.path("out.ndjson"), encoding: .utf8)
                == "{\"name\":\"a\",\"data\":null}\n")

        let store = folder.path("store.sqlite")
        let fetched = QueryRunner(format: .ndjson, to: folder.path("fetched.ndjson"))
            .run(Query(store: store, entity: "Doc", now: Date()))
        #expect(fetched.status == .dataError)
        #expect(fetched.errors.count == 1)
        #expect(fetched.errors[0].contains("Doc 1: the file of 'data' is missing"))
        #expect(
            try String(contentsOfFile: folder.path("fetched.ndjson"), encoding: .utf8)
                == "{\"name\":\"a\",\"data\":null}\n")

        // A file that exists is not missing. Reading a folder fails even for the superuser.
        try FileManager.default.createDirectory(
            atPath: "\(values)/\(name)", withIntermediateDirectories: false)
        let unreadable = try folder.run(spec(", missing-files: null"))
        #expect(unreadable.status == .ioError)
        #expect(
            unreadable.text.contains("/\(name) cannot be read: Is a directory"),
            "\(unreadable.text)")
    }
}
