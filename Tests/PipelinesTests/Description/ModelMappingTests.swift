import Diagnostics
import Foundation
import GraphModel
import Testing
import YAML

@testable import Pipelines

@Suite("Description of models") struct ModelMappingTests {
    private let validator = SchemaValidator(root: ModelSchema.tree)

    private func expectNone(_ errors: [Diagnostic], _ model: DescribedModel) {
        #expect(errors.map(DiagnosticRenderer.text) == [], "\(model.text)")
    }

    @Test(arguments: ModelMapping.all)
    func readerAcceptsTheExampleOfEveryKey(_ mapping: DescribedMapping) {
        #expect(Set(mapping.keyNames).count == mapping.keys.count)
        for key in mapping.keys {
            let model = DescribedModel(mapping).with(key.name, key.example)
            // Derived attributes need another property.
            guard !(mapping.definition == "attribute" && key.name == "derived") else { continue }
            expectNone(model.read().errors, model)
        }
    }

    /// A key that no code reads would accept any value.
    @Test(arguments: ModelMapping.all)
    func readerRejectsANestedListForEveryKey(_ mapping: DescribedMapping) {
        for key in mapping.keys {
            let model = DescribedModel(mapping).with(key.name, "[[]]")
            #expect(model.errors(at: key.name) != [], "\(model.text)")
        }
    }

    @Test(arguments: ModelMapping.all)
    func readerRejectsKeysThatAreNotDescribed(_ mapping: DescribedMapping) {
        var others = Set(ModelMapping.all.flatMap(\.keyNames) + ["zzz"])
        others.subtract(mapping.keyNames)
        var model = DescribedModel(mapping)
        for key in others.sorted() { model.entries.append((key, "1")) }
        for key in others {
            #expect(model.errors(at: key) != [], "\(key) in \(mapping.definition)")
        }
    }

    @Test(arguments: ModelMapping.all)
    func readerReportsEveryMissingRequiredKey(_ mapping: DescribedMapping) {
        for key in mapping.keys where key.absence == .error {
            var model = DescribedModel(mapping)
            model.entries.removeAll { $0.key == key.name }
            let codes = model.read().errors.map(\.code)
            #expect(codes.contains("model.missing-key"), "\(codes) \(model.text)")
        }
    }

    @Test(arguments: ModelMapping.all)
    func describedDefaultsMatchTheReader(_ mapping: DescribedMapping) throws {
        for key in mapping.keys {
            guard case .same(let text) = key.absence else { continue }
            let plain = DescribedModel(mapping)
            let found = plain.with(key.name, text)
            // The other keys that the key requires are present without the key, too.
            var without = found
            without.entries.removeAll { $0.key == key.name }
            let expected = try #require(without.read().model, "\(without.text)")
            #expect(try #require(found.read().model, "\(found.text)") == expected)
        }
    }

    @Test(arguments: ModelMapping.all)
    func describedIntegerBoundsMatchTheReader(_ mapping: DescribedMapping) {
        func isRefused(_ key: KeyDescription, _ number: Int64) -> Bool {
            !DescribedModel(mapping).with(key.name, "\(number)").errors(at: key.name).isEmpty
        }
        for key in mapping.keys {
            guard case .integer(let bounds) = key.form else { continue }
            #expect(!isRefused(key, bounds.lowerBound) && !isRefused(key, bounds.upperBound))
            #expect(isRefused(key, bounds.lowerBound - 1) && isRefused(key, bounds.upperBound + 1))
        }
    }

    @Test(arguments: ModelMapping.all)
    func readerAcceptsOnlyTheDescribedChoices(_ mapping: DescribedMapping) {
        for key in mapping.keys {
            for word in key.form.words {
                let model = DescribedModel(mapping).with(key.name, word.text)
                expectNone(model.read().errors, model)
                #expect(word.meaning.hasSuffix("."))
            }
            if case .words = key.form {
                let model = DescribedModel(mapping).with(key.name, "zzz")
                #expect(model.errors(at: key.name) != [], "\(model.text)")
            }
        }
    }

    @Test(arguments: ModelMapping.all)
    func meaningsAreSentences(_ mapping: DescribedMapping) {
        for key in mapping.keys {
            #expect(key.meaning.hasSuffix("."), "\(key.name)")
            #expect(key.meaning.first?.isLowercase == false, "\(key.name)")
        }
    }

    // MARK: The schema

    @Test func schemaDeclaresItsDraftAndRequiredKeys() throws {
        let data = Data(ModelSchema.text.utf8)
        let schema = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(schema["$schema"] as? String == "https://json-schema.org/draft/2020-12/schema")
        #expect(schema["required"] as? [String] == ["model", "entities"])
        #expect((schema["$defs"] as? [String: Any])?.count == ModelMapping.all.count - 1)
    }

    @Test func schemaAcceptsEveryModelInThePipelinesFolder() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../pipelines").standardizedFileURL.path
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            .filter { $0.hasSuffix("-model.yaml") }
        #expect(names.count >= 2)
        for name in names {
            let text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
            #expect(validator.accepts(text), "\(name)")
        }
    }

    @Test(arguments: ModelMapping.all)
    func schemaAcceptsEveryExampleDefaultAndChoice(_ mapping: DescribedMapping) {
        for key in mapping.keys {
            var values = [key.example]
            if case .same(let text) = key.absence { values.append(text) }
            values += key.form.words.map(\.text)
            for value in values {
                let text = DescribedModel(mapping).with(key.name, value).text
                #expect(validator.accepts(text), "\(text)")
            }
        }
    }

    /// The examples on the page, each with its own names.
    @Test(arguments: ModelMapping.all)
    func schemaAcceptsEveryExampleOfTheReferencePage(_ mapping: DescribedMapping) throws {
        let example = try #require(mapping.example)
        if mapping.definition == "model" {
            #expect(validator.accepts(example))
            #expect(ModelFile.read(text: example).model != nil)
            return
        }
        let schema = try #require(ModelSchema.tree["$defs"]?[mapping.definition])
        let root = try #require(YAMLParser.parse(example, file: "a.yaml").root)
        for member in JSONTree(root).members {
            let values = member.value.items.isEmpty ? [member.value] : member.value.items
            for value in values { #expect(validator.accepts(value, schema), "\(member.name)") }
        }
    }

    @Test(arguments: [
        "{ model: 2, entities: {} }", "{ entities: {} }", "{ model: 1, entities: [] }",
        "{ model: 1, entities: { A: { attribute: { a: String } } } }",
        "{ model: 1, entities: { A: { attributes: { a: Text } } } }",
        "{ model: 1, entities: { A: { attributes: { a: { optional: true } } } } }",
        "{ model: 1, entities: { A: { attributes: { a: { type: String, length: 5 } } } } }",
        "{ model: 1, entities: { A: { relationships: { a: { many: true } } } } }",
        "{ model: 1, entities: { A: { relationships: { a: { to: A, delete: never } } } } }",
        "{ model: 1, entities: { A: { unique: [a] } } }",
        "{ model: 1, entities: { A: { validate: [a == 1] } } }",
        "{ model: 1, entities: { A: {} }, requests: { a: { where: a == 1 } } }",
    ])
    func schemaAndReaderRejectInvalidModels(_ model: String) {
        #expect(!validator.accepts(model))
        #expect(ModelFile.read(text: model).model == nil)
    }
}
