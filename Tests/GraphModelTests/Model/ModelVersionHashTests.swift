import Foundation
import GraphModel
import Testing

/// Returns the path of a file in the `Fixtures` folder, without resources.
func fixture(_ name: String) -> String {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Fixtures").appendingPathComponent(name).path
}

@Suite("Model version hashes") struct ModelVersionHashTests {
    private static let script = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("shared/tools/coredata_hash.py").path

    private func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(yamlFile: fixture("tasks-model.yaml"))
    }

    private func listing(_ model: ManagedObjectModel) -> String {
        let hashes = model.versionHashes.sorted { $0.key < $1.key }.map { name, hash in
            name + " " + hash.map { String(format: "%02x", $0) }.joined() + "\n"
        }
        return hashes.joined()
            + "digest \(model.versionHashesDigest)\nchecksum \(model.versionChecksum)\n"
    }

    @Test func hashesEqualThoseOfTheXcodeModel() throws {
        #expect(
            listing(try model()) == """
                Category 904c00275a344f3530836a793c725c3d001a2b392b7dd1ea0f3771b82cb32472
                Item 69793bc1de0f148f068c318f4ff2e00b271402abef5d02a6bff05a3c28b9925a
                Milestone 9f5a58b74e55b96d02d2c000c62233a80858a4279a5d665702029cd697b5f3cb
                Tag b145cf9932194a7063fbbf461e18059d8230cae7683088a59b9e22332344be3c
                Task 5b77152f1f50f57ad83854eace9426840b51e51839d37390d155c79f719dc27e
                digest +GUMmsRfogHF3AYW+L11uNe4fyVEtvdIlstzJTyXlrXV/qnffdNgGeNo3c70dOInpsVfkQVXWpqtD1qwQKrXug==
                checksum Hp3WNokM6PBKZCtt9zQX1zfL0kvFo9IxFOnvTGnsDys=

                """)
    }

    @Test(
        .enabled(
            if: FileManager.default.fileExists(atPath: script),
            "the reference implementation of the hashes is not here"))
    func hashesEqualThoseOfTheReferenceImplementation() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", Self.script, "model", fixture("tasks-model.xml")]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(String(decoding: data, as: UTF8.self) == listing(try model()))
    }

    @Test func hashesIgnoreDefaultsIndexesAndTransientAttributes() throws {
        let plain = try ManagedObjectModel(
            entities: [
                EntityDescription(name: "A", ownAttributes: [.init(name: "x", type: .string)])
            ])
        let dressed = try ManagedObjectModel(
            entities: [
                EntityDescription(
                    name: "A", managedObjectClassName: "AObject",
                    ownAttributes: [
                        .init(
                            name: "x", type: .string, defaultValue: .text("1"),
                            length: NumberRange(minimum: 1), userInfo: ["a": "b"]),
                        .init(name: "t", type: .undefined, isTransient: true),
                    ],
                    indexes: [.init(name: "byX", elements: [.init(propertyName: "x")])],
                    renamingIdentifier: "Old")
            ])
        #expect(plain.versionHashes == dressed.versionHashes)
        #expect(plain.versionHashes["A"]?.count == 32)
    }
}
