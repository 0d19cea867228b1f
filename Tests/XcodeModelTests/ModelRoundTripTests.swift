import Diagnostics
import Foundation
import GraphModel
import TestSeeds
import Testing

@testable import XcodeModel

@Suite("Models, written and read") struct ModelRoundTripTests {
    @Test(arguments: 0..<120 as Range<UInt64>)
    func xcodeFilesKeepTheCompleteModel(seed: UInt64) throws {
        let model = try ModelGenerator.model(seed: seed)
        let (text, warnings) = ContentsWriter.text(of: model)
        let (read, diagnostics) = ContentsReader.read(Array(text.utf8), file: "contents")
        let errors = diagnostics.filter { $0.severity == .error }
        #expect(errors == [], "seed \(seed)")
        #expect(warnings == [], "seed \(seed)")
        #expect(read == model, "seed \(seed)\n\(text)")
        #expect(read.map { ContentsWriter.text(of: $0).text } == text, "seed \(seed)")
        #expect(read?.versionHashes == model.versionHashes)
    }

    @Test(arguments: 0..<120 as Range<UInt64>)
    func yamlKeepsTheCompleteModel(seed: UInt64) throws {
        let model = try ModelGenerator.model(seed: seed)
        let (text, warnings) = ModelYAMLWriter.text(of: model)
        #expect(warnings == [], "seed \(seed)\n\(text)")
        #expect(ModelFile.read(text: text).model == model, "seed \(seed)\n\(text)")
    }

    @Test("names that objects or YAML reserve survive XML, YAML, and XML")
    func keepReservedNames() throws {
        let names = [
            "class", "copy", "description", "entity", "external", "attributes", "type", "unique",
            "null", "true", "zone",
        ]
        let attributes = names.map { #"<attribute name="\#($0)" attributeType="String"/>"# }
        let contents = """
            <model><entity name="Thing" representedClassName="Thing">
            \(attributes.joined(separator: "\n"))
            <relationship name="self" optional="YES" maxCount="1" deletionRule="Nullify" \
            destinationEntity="Thing" inverseName="hash" inverseEntity="Thing"/>
            <relationship name="hash" optional="YES" toMany="YES" deletionRule="Nullify" \
            destinationEntity="Thing" inverseName="self" inverseEntity="Thing"/>
            </entity></model>
            """
        let (found, warnings) = ContentsReader.read(Array(contents.utf8), file: "contents")
        let model = try #require(found)
        let hidden = ["class", "copy", "description", "entity", "zone", "self", "hash"]
        func isOfName(_ diagnostic: Diagnostic) -> Bool {
            diagnostic.severity == .warning && diagnostic.code == "model.reserved-name"
                && diagnostic.message.hasPrefix("Every object has a member '")
        }
        #expect(warnings.count(where: isOfName) == hidden.count)
        let yaml = ModelYAMLWriter.text(of: model).text
        let reading = ModelFile.read(text: yaml)
        #expect(reading.model == model, "\(yaml)")
        #expect(reading.model?.versionHashes == model.versionHashes)
        #expect(reading.diagnostics.count(where: isOfName) == hidden.count)
        #expect(!reading.diagnostics.contains { $0.severity == .error })
        let written = ContentsWriter.text(of: try #require(reading.model)).text
        #expect(ContentsReader.read(Array(written.utf8), file: "contents").model == model)
    }

    @Test(
        .enabled(
            if: FileManager.default.fileExists(atPath: Reference.script),
            "the reference implementation of the hashes is not here"))
    func matchesTheReferenceHashes() throws {
        for seed in 0..<60 as Range<UInt64> {
            let model = try ModelGenerator.model(seed: seed, isHashable: true)
            let text = ContentsWriter.text(of: model).text
            #expect(
                try Reference.listing(text) == Reference.listing(model), "seed \(seed)\n\(text)")
        }
    }

    @Test func rejectsTruncatedFiles() throws {
        let bytes = Array(ContentsWriter.text(of: try ModelGenerator.model(seed: 3)).text.utf8)
        for count in 0..<bytes.count - 9 {
            let (model, diagnostics) = ContentsReader.read(Array(bytes[..<count]), file: "contents")
            #expect(model == nil && diagnostics.count == 1, "\(count)")
        }
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func readsOrRejectsGarbledFiles(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var bytes = Array(ContentsWriter.text(of: try ModelGenerator.model(seed: seed)).text.utf8)
        for _ in 0..<10 {
            let index = bytes.indices.randomElement(using: &random) ?? 0
            bytes[index] = Array("<>/\"&= aYES\0\u{80}0".utf8).randomElement(using: &random) ?? 0
        }
        let (model, diagnostics) = ContentsReader.read(bytes, file: "contents")
        #expect(model != nil || diagnostics.contains { $0.severity == .error }, "seed \(seed)")
    }
}

/// The script `coredata_hash.py`, which was derived from stores and shares no code with ours.
enum Reference {
    static let script = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("shared/tools/coredata_hash.py").path

    /// Returns the script's output for a `contents` file.
    static func listing(_ contents: String) throws -> String {
        let file = NSTemporaryDirectory() + "contents-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: file) }
        try Data(contents.utf8).write(to: URL(fileURLWithPath: file))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", script, "model", file]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }

    /// Returns our own hashes in the same format.
    static func listing(_ model: ManagedObjectModel) -> String {
        let hashes = model.versionHashes.sorted { $0.key < $1.key }.map { name, hash in
            name + " " + hash.map { String(format: "%02x", $0) }.joined() + "\n"
        }
        return hashes.joined()
            + "digest \(model.versionHashesDigest)\nchecksum \(model.versionChecksum)\n"
    }
}
