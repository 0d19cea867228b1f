import Foundation
import Testing

@testable import Pipelines

/// The reject files of many inputs and of several attempts.
@Suite("Reject files")
struct RejectFileTests {
    private static func spec(_ folder: Workspace) throws {
        try folder.write("model.yaml", InputTests.model)
        try folder.write(
            "spec.yaml",
            """
            etl: 1
            store: { at: store.sqlite, model: model.yaml, open: create }
            budget: { save-every: 10 }
            rejects: { allow: 100%, abort: 100% }
            stages: [{ import: "in/*/t.*", into: Task }]
            """)
    }

    /// Runs until reject files exist, and then stops.
    private static func stop(_ folder: Workspace) throws -> RunOutcome {
        let interruption = Interruption()
        let stopper = Thread {
            while folder.names("rejects").isEmpty { Thread.sleep(forTimeInterval: 0.002) }
            interruption.request(signal: 15)
        }
        stopper.start()
        return try folder.run(interruption) { _ in }
    }

    @Test(
        "inputs of the same name keep separate reject files when a stopped run resumes",
        arguments: ["t.ndjson", "t.json"])
    func sameNames(_ name: String) throws {
        let (folder, other) = (try Workspace(), try Workspace())
        try Self.spec(folder)
        try Self.spec(other)
        for (place, kind) in ["a", "b", "c"].enumerated() {
            // No record of the first input is rejected, so its file does not exist.
            var lines = (0..<(kind == "b" ? 20_000 : 40)).map { number in
                kind != "a" && number % 3 == 0
                    ? "{\"id\":null,\"title\":\"\(kind)\(number)\"}"
                    : "{\"id\":\"\(place)-\(number)\"}"
            }
            if name.hasSuffix("json"), !name.hasSuffix("ndjson") {
                lines = ["[" + lines.joined(separator: ",\n") + "]"]
            }
            for one in [folder, other] {
                try one.write("in/\(kind)/\(name)", lines.joined(separator: "\n"))
            }
        }
        #expect(try Self.stop(folder).status == .terminated)
        let last = try folder.run { _ in }
        #expect(last.status == .ok, "\(last.diagnostics)")
        #expect(last.attempts == 2)
        var counts = RecordCounts()
        (counts.read, counts.inserted, counts.rejected) = (20_080, 13_399, 6_681)
        #expect(last.stages.first?.records == counts)
        #expect(try other.run { _ in }.status == .ok)
        let whole = try other.rejects()
        #expect(whole.count == 4)
        #expect(try folder.rejects() == whole)
    }

    @Test("an import resumes if its reject file was emptied")
    func emptied() throws {
        let folder = try Workspace()
        try Self.spec(folder)
        try folder.write("in/a/t.ndjson", String(repeating: "{\"id\":null}\n", count: 20_000))
        #expect(try Self.stop(folder).status == .terminated)
        let run = try #require(folder.names("rejects").first)
        let file = try #require(folder.names("rejects/\(run)").first { $0.hasSuffix(".ndjson") })
        try folder.write("rejects/\(run)/\(file)", "")
        let again = try folder.run { _ in }
        #expect(again.status == .ok, "\(again.diagnostics)")
        #expect(again.stages.first?.records?.rejected == 20_000)
    }
}
