import Foundation
import FuzzHarnesses
import Testing

/// Replays what the fuzzers have kept: inputs that reach code which no other input reaches.
@Suite("Fuzzing corpus", .serialized) struct FuzzCorpusTests {
    private static let corpus = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().appendingPathComponent("Corpus")

    @Test("no harness crashes, hangs, or contradicts itself", arguments: FuzzHarness.allCases)
    func replay(harness: FuzzHarness) throws {
        let folder = Self.corpus.appendingPathComponent(harness.rawValue)
        let inputs = try FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: nil)
        #expect(!inputs.isEmpty)
        for input in inputs { harness.run(Array(try Data(contentsOf: input))) }
    }

    @Test("the folders of ended processes are removed, and no others")
    func leftovers() throws {
        let base = FileManager.default.temporaryDirectory.path + "/leftovers-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: base) }
        let own = "etl-fuzz-\(ProcessInfo.processInfo.processIdentifier)"
        // No process can have this number.
        for name in [own, "etl-fuzz-\(Int32.max)", "etl-fuzz-x", "etl-fuzz--1", "other-1"] {
            try FileManager.default.createDirectory(
                atPath: base + "/" + name, withIntermediateDirectories: true)
        }
        FuzzHarness.removeFoldersOfEndedProcesses(in: base)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: base).sorted()
                == [own, "etl-fuzz-x", "etl-fuzz--1", "other-1"].sorted())
    }
}
