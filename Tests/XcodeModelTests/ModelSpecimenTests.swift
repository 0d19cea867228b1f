import AppStoreFixtures
import Diagnostics
import Foundation
import GraphModel
import Testing

@testable import XcodeModel

@Suite(
    "Models that apps wrote",
    .enabled(if: CoreDataSpecimens.arePresent, "../shared/specimens is absent"))
struct ModelSpecimenTests {
    @Test("finds all versions of all models")
    func findsSpecimens() {
        #expect(CoreDataSpecimens.models.count == 36)
    }

    @Test("computes the version hashes that the app's stores have")
    func hashes() throws {
        let bundle = CoreDataSpecimens.root + "/xcdatamodel/wireapp-wire-ios-data-model"
        let data = try Data(contentsOf: URL(filePath: bundle + "/version-hashes.json"))
        let expected = try JSONDecoder().decode([String: [String: String]].self, from: data)
        #expect(expected.count == 3)
        for (version, hashes) in expected {
            let path = try #require(
                CoreDataSpecimens.models.first { $0.hasSuffix("/\(version).xcdatamodel") })
            let model = try ManagedObjectModel(xcodeModel: path)
            let found = model.versionHashes.mapValues { bytes in
                bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            }
            #expect(found == hashes, "\(version)")
        }
    }

    @Test("a model survives the conversion to YAML and back", arguments: CoreDataSpecimens.models)
    func yaml(_ path: String) throws {
        let model = try ManagedObjectModel(xcodeModel: path)
        let (text, warnings) = ModelYAMLWriter.text(of: model)
        #expect(warnings.isEmpty)
        let (back, diagnostics) = ModelFile.read(text: text)
        #expect(diagnostics.filter { $0.severity == .error }.isEmpty)
        #expect(back == model)
        #expect(back?.versionHashes == model.versionHashes)
    }

    @Test(
        "a model is written with only the elements and attributes of its source",
        arguments: CoreDataSpecimens.models)
    func contents(_ path: String) throws {
        let source = try Data(contentsOf: URL(filePath: path + "/contents"))
        let model = try #require(ContentsReader.read([UInt8](source), file: path).model)
        let (text, warnings) = ContentsWriter.text(of: model)
        #expect(warnings.isEmpty)
        #expect(ContentsReader.read([UInt8](text.utf8), file: path).model == model)
        let before = try lines(of: XMLReader.read([UInt8](source)))
        let after = try lines(of: XMLReader.read([UInt8](text.utf8)))
        #expect(after.subtracting(before).sorted() == [])
    }

    /// Returns every attribute of every element, with the names of the enclosing elements.
    private func lines(of element: XMLElement, below path: String = "") -> Set<String> {
        let own = path + "/" + element.name + "[" + (element["name"] ?? "") + "]"
        return element.children.reduce(
            Set(element.attributes.map { "\(own) \($0.name)=\($0.value)" } + [own])
        ) { $0.union(lines(of: $1, below: own)) }
    }
}
