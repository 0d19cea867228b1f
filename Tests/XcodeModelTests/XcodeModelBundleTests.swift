import AppStoreFixtures
import Diagnostics
import Foundation
import GraphModel
import Testing

@testable import XcodeModel

@Suite("Bundles of Xcode's models") final class XcodeModelBundleTests {
    private let folder = NSTemporaryDirectory() + "bundles-\(UUID().uuidString)"

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func write(_ path: String, _ bytes: some Sequence<UInt8>) throws {
        let file = URL(fileURLWithPath: "\(folder)/\(path)")
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: file)
    }

    private func version(_ name: String) throws {
        let id = "userDefinedModelVersionIdentifier=\"\(name)\""
        try write("M.xcdatamodeld/\(name).xcdatamodel/contents", "<model \(id)/>".utf8)
    }

    private func current(_ name: String, _ format: PropertyListSerialization.PropertyListFormat)
        throws
    {
        let plist = try PropertyListSerialization.data(
            fromPropertyList: ["_XCCurrentVersionName": name], format: format, options: 0)
        try write("M.xcdatamodeld/.xccurrentversion", plist)
    }

    private func read(_ path: String) -> String {
        let (model, diagnostics) = XcodeModelFile.read("\(folder)/\(path)")
        return model?.versionIdentifiers.first
            ?? diagnostics.map(DiagnosticRenderer.text).joined(separator: "\n")
            .replacingOccurrences(of: folder + "/", with: "")
    }

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func readsTheCurrentVersion(format: PropertyListSerialization.PropertyListFormat) throws {
        for name in ["M", "M 2", "M 10"] { try version(name) }
        try current("M 2.xcdatamodel", format)
        #expect(read("M.xcdatamodeld") == "M 2")
        #expect(read("M.xcdatamodeld/") == "M 2")
        #expect(read("M.xcdatamodeld/M 10.xcdatamodel") == "M 10")
        #expect(read("M.xcdatamodeld/M.xcdatamodel/contents") == "M")
        let versions = try ManagedObjectModel.versions(ofXcodeModel: folder + "/M.xcdatamodeld")
        #expect(versions.map(\.name) == ["M", "M 2", "M 10"])
    }

    @Test func requiresACurrentVersionOnlyIfThereAreSeveral() throws {
        try version("M")
        #expect(read("M.xcdatamodeld") == "M")
        try version("M 2")
        #expect(
            read("M.xcdatamodeld") == """
                M.xcdatamodeld: error: The bundle has several versions, and none is marked as \
                current: 'M', 'M 2' [model.current-version]
                  fix: name one, such as `M.xcdatamodeld/M.xcdatamodel`
                """)
    }

    @Test func reportsAMissingVersionOrBundle() throws {
        try version("Model 1")
        try current("Model 2.xcdatamodel", .xml)
        #expect(
            read("M.xcdatamodeld") == """
                M.xcdatamodeld/.xccurrentversion: error: The current version 'Model 2.xcdatamodel' \
                is not in the bundle. Did you mean 'Model 1'? [model.current-version]
                """)
        #expect(
            read("None.xcdatamodeld")
                == "None.xcdatamodeld: error: The model does not exist [file.missing]")
        try write("M.xcdatamodeld/.xccurrentversion", "garbage".utf8)
        #expect(read("M.xcdatamodeld").contains("[model.current-version]"))
    }

    @Test func rejectsTheBinaryFormatOfXcode3() throws {
        try write("Old.xcdatamodel/elements", "bplist00".utf8)
        try write("Old.xcdatamodel/layout", "bplist00".utf8)
        #expect(
            read("Old.xcdatamodel") == """
                Old.xcdatamodel: error: This model is in the binary format of Xcode 3, which is \
                not read [model.old-format]
                  fix: open it in a newer Xcode and save it, or run `xcrun momc` there
                """)
    }

    private func compiled(_ name: String) throws {
        let model = try ManagedObjectModel(
            entities: [EntityDescription(name: "A")], versionIdentifiers: [name])
        try write("M.momd/\(name).mom", CachedModelWriter.archive(of: model))
    }

    @Test func readsCompiledBundles() throws {
        try compiled("M")
        #expect(read("M.momd") == "M")
        try compiled("M 2")
        #expect(
            read("M.momd") == """
                M.momd: error: The bundle has several versions, and none is marked as current: \
                'M', 'M 2' [model.current-version]
                  fix: name one, such as `M.momd/M.mom`
                """)
        let info: [String: Any] = [
            "NSManagedObjectModel_CurrentVersionName": "M",
            "NSManagedObjectModel_VersionHashes": ["M": ["A": Data([1])]],
        ]
        try write(
            "M.momd/VersionInfo.plist",
            PropertyListSerialization.data(fromPropertyList: info, format: .binary, options: 0))
        #expect(read("M.momd/") == "M")
        #expect(read("M.momd/M 2.mom") == "M 2")
        #expect(
            read("M.momd/M 3.mom")
                == "M.momd/M 3.mom: error: The bundle has no version 'M 3'. Did you mean 'M 2'?"
                + " [file.missing]")
        let versions = try ManagedObjectModel.versions(ofXcodeModel: folder + "/M.momd")
        #expect(versions.map(\.name) == ["M", "M 2"])
    }

    @Test func reportsWhatACompiledModelOmits() throws {
        try write("M.mom", "bplist00".utf8)
        #expect(
            read("M.mom") == """
                M.mom: error: The compiled model cannot be read: it is not a binary property list \
                [model.archive]
                  fix: give the .xcdatamodeld that it was compiled from
                """)
        let writer = ArchiveWriter()
        let entity = writer.object(
            "NSEntityDescription",
            [
                ("NSEntityName", .uid(writer.text("A"))),
                (
                    "NSProperties",
                    .uid(
                        writer.dictionary([
                            (
                                writer.text("b"),
                                writer.object(
                                    "NSPropertyDescription",
                                    [("NSPropertyName", .uid(writer.text("b")))])
                            )
                        ]))
                ),
            ])
        let root = writer.object(
            "NSManagedObjectModel",
            [("NSEntities", .uid(writer.dictionary([(writer.text("A"), entity)])))])
        try write("N.mom", writer.archive(root: root))
        let (model, diagnostics) = XcodeModelFile.read(folder + "/N.mom")
        #expect(model?.entities.map(\.name) == ["A"])
        #expect(
            diagnostics.map { "\($0.severity) \($0.code) \($0.message)" } == [
                "warning model.left-out A.b is a NSPropertyDescription without a column"
            ])
    }

    @Test func writesABundleWithItsCurrentVersion() throws {
        let model = try ModelGenerator.model(seed: 5)
        let path = folder + "/New.xcdatamodeld"
        #expect(try model.writeXcodeModel(to: path) == [])
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: path).sorted() == [
                ".xccurrentversion", "New.xcdatamodel",
            ])
        #expect(try ManagedObjectModel(xcodeModel: path) == model)
    }

    @Test func warnsOfEveryOmittedProperty() throws {
        let entity = EntityDescription(
            name: "A",
            ownAttributes: [
                AttributeDescription(
                    name: "data", type: .binary, defaultValue: .blob([1]), extras: ["b c": "d"]),
                AttributeDescription(name: "text", type: .string, isSearchable: true),
            ],
            validationRules: [ValidationRule(predicate: "text != nil", message: "m")])
        let model = try ManagedObjectModel(entities: [entity], versionIdentifiers: ["1", "2"])
        let warnings = ContentsWriter.text(of: model).warnings.map(\.message)
        #expect(
            warnings.map { $0.replacingOccurrences(of: "an Xcode model cannot say ", with: "") }
                == [
                    "'version': more than one version identifier; it is left out",
                    "'A.data': its default value; it is left out",
                    "'A.text': that text is searchable; it is left out",
                    "'A': rules over whole objects; it is left out",
                    "'A.data': 'b c', which is not an XML name; it is left out",
                ])
    }
}
