import Foundation
import GraphModel
import GraphStore
import Testing

@testable import Pipelines

/// Large values in files beside a store that is worked on in a copy.
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
        "a run on a copy keeps the files of large values, and leaves none behind",
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
}
