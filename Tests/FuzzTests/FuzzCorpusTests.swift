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
}
