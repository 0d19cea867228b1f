import Foundation
import Testing
import YAML

@testable import Pipelines

@Suite("JSON Schema of specs") struct SpecificationSchemaTests {
    private let validator = SchemaValidator(root: SpecificationSchema.tree)

    @Test func schemaDeclaresItsDraftAndRequiredKeys() throws {
        let data = Data(SpecificationSchema.text.utf8)
        let schema = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(schema["$schema"] as? String == "https://json-schema.org/draft/2020-12/schema")
        #expect(schema["required"] as? [String] == ["etl", "store", "stages"])
        #expect(
            (schema["$defs"] as? [String: Any])?.count == DescribedMapping.ofSpecs.count - 1)
    }

    @Test func schemaOfAKeyHasDescriptionDefaultAndExample() throws {
        let text = SpecificationSchema.text
        #expect(
            text.contains(
                """
                        "when-same": {
                          "description": "What to do if the object already has the record's \
                values.\\n- skip: Counts the object as unchanged and writes nothing.\\n- touch: \
                Writes the object anyway.",
                          "default": "skip",
                          "examples": ["touch"],
                          "enum": ["skip", "touch"]
                        },
                """))
    }

    @Test func schemaAcceptsEverySpecInThePipelinesFolder() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../pipelines").standardizedFileURL.path
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        let texts = try names.map {
            try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8)
        }
        let specs = texts.filter { $0.hasPrefix("etl:") || $0.contains("\netl:") }
        #expect(specs.count >= 6)
        for spec in specs { #expect(validator.accepts(spec), "\(spec.prefix(80))") }
    }

    @Test(arguments: DescribedMapping.ofSpecs)
    func schemaAcceptsEveryExampleDefaultAndChoice(_ mapping: DescribedMapping) {
        for key in mapping.keys {
            var values = [key.example]
            if case .same(let text) = key.absence { values.append(text) }
            values += key.form.words.map(\.text)
            for value in values {
                let spec = DescribedSpec(mapping).with(key.name, value).text
                #expect(validator.accepts(spec), "\(spec)")
            }
        }
    }

    @Test(arguments: [
        "{ store: { at: a }, stages: [] }",
        "{ etl: 2, store: { at: a }, stages: [] }",
        "{ etl: 1, stages: [] }",
        "{ etl: 1, store: a.sqlite, stages: [] }",
        "{ etl: 1, store: { at: a }, stages: {} }",
        "{ etl: 1, store: { at: a }, stages: [], name: Nightly Tasks }",
        "{ etl: 1, store: { at: a, open: creat }, stages: [] }",
        "{ etl: 1, store: { at: a }, stages: [], budget: { save-every: 0 } }",
        "{ etl: 1, store: { at: a }, stages: [], budget: { bytes: 8MB } }",
        "{ etl: 1, store: { at: a }, stages: [], rejects: { allow: -1 } }",
        "{ etl: 1, store: { at: a }, stages: [], rejects: { keep: 30y } }",
        "{ etl: 1, store: { at: a }, stages: [], report: { keeps: 3 } }",
        "{ etl: 1, store: { at: a }, stages: [], params: { p: { type: number } } }",
        "{ etl: 1, store: { at: a }, stages: [{ imprt: a.csv, into: Task }] }",
        "{ etl: 1, store: { at: a }, stages: [{ import: a.csv }] }",
        "{ etl: 1, store: { at: a }, stages: [{ import: a.csv, into: Task, set: { a: 5 } }] }",
        "{ etl: 1, store: { at: a }, stages: [{ import: a, into: T, set: { a: { form: b } } }] }",
        "{ etl: 1, store: { at: a }, stages: [{ import: a, into: T, link: { r: name } }] }",
        "{ etl: 1, store: { at: a }, stages: [{ import: a, into: T, on: { parse: null } }] }",
        "{ etl: 1, store: { at: a }, stages: [{ delete: Task }] }",
        "{ etl: 1, store: { at: a }, stages: [{ delete: Task, where: ALL, set: {} }] }",
        "{ etl: 1, store: { at: a }, stages: [{ export: Task, to: a.csv, level: 10 }] }",
        "{ etl: 1, store: { at: a }, stages: [{ verify: a, expect: { Task: some } }] }",
        "{ etl: 1, store: { at: a }, stages: [], tests: [{ name: a }] }",
    ])
    func schemaAndReaderRejectInvalidSpecs(_ spec: String) {
        #expect(!validator.accepts(spec))
        #expect(SpecificationFile.read(text: spec, file: "a.yaml").spec == nil)
    }
}
