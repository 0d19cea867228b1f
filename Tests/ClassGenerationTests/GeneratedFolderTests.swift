import Diagnostics
import Foundation
import Testing

@testable import ClassGeneration

@Suite("A folder of generated files") struct GeneratedFolderTests {
    private let header = "// from a.yaml"
    private let scratch: Scratch
    private let folder: GeneratedFolder

    init() throws {
        scratch = try Scratch()
        folder = GeneratedFolder(scratch.path + "/Generated", header: header)
    }

    private func file(_ name: String, _ text: String = "") -> GeneratedFile {
        GeneratedFile(name: name, text: "\(header)\n\(text)")
    }

    @Test("reports missing, changed, and stale files, and writing corrects them")
    func drift() throws {
        #expect(
            try folder.drift(from: [file("B.swift"), file("A.swift")]).map(\.text)
                == ["+ A.swift: is missing", "+ B.swift: is missing"])
        _ = try folder.write([file("A.swift"), file("B.swift")])
        #expect(try folder.drift(from: [file("A.swift"), file("B.swift")]) == [])
        let next = [file("A.swift", "new"), file("C.swift")]
        let expected = [
            "~ A.swift: differs from the model", "- B.swift: is no longer in the model",
            "+ C.swift: is missing",
        ]
        #expect(try folder.drift(from: next).map(\.text) == expected)
        #expect(try folder.write(next).map(\.text) == expected)
        #expect(try scratch.files("Generated") == ["A.swift", "C.swift"])
        #expect(try folder.write(next) == [])
    }

    @Test("keeps files that it did not generate, unless overwriting is forced")
    func others() throws {
        let place = scratch.path + "/Generated"
        try FileManager.default.createDirectory(
            atPath: place, withIntermediateDirectories: true)
        try "mine".write(toFile: place + "/A.swift", atomically: true, encoding: .utf8)
        try "// from b.yaml\n".write(toFile: place + "/B.swift", atomically: true, encoding: .utf8)
        #expect(try folder.drift(from: []) == [])
        do {
            _ = try folder.write([file("C.swift"), file("A.swift")])
            Issue.record("overwritten")
        } catch {
            #expect(error.code == "file.exists" && error.place == .file(place + "/A.swift"))
        }
        #expect(try scratch.files("Generated") == ["A.swift", "B.swift"])
        _ = try folder.write([file("A.swift")], overwrites: true)
        #expect(try folder.drift(from: [file("A.swift")]) == [])
    }

    @Test func doesNotRewriteUnchangedFiles() throws {
        _ = try folder.write([file("A.swift"), file("B.swift")])
        let place = scratch.path + "/Generated/A.swift"
        let past = Date(timeIntervalSince1970: 1_000_000_000)
        try FileManager.default.setAttributes([.modificationDate: past], ofItemAtPath: place)
        _ = try folder.write([file("A.swift"), file("B.swift", "new")])
        let date = try FileManager.default.attributesOfItem(atPath: place)[.modificationDate]
        #expect(date as? Date == past)
    }
}

/// A folder that is deleted with its owner.
final class Scratch {
    let path: String

    init() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("classes-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.resolvingSymlinksInPath().path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func files(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(path)/\(folder)").sorted()
    }
}
