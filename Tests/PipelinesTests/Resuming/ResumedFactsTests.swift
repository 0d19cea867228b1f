import Diagnostics
import Foundation
import RecordStreams
import Testing

@testable import Pipelines

/// The report of an import does not depend on where its attempts stopped.
@Suite("Facts of resumed imports") struct ResumedFactsTests {
    private static let model = """
        model: 1
        entities:
          Note:
            attributes: { id: Integer 32, text: String, ghost: String }
            relationships: { owner: { to: Owner, inverse: notes } }
            unique: [[id]]
          Owner:
            attributes: { name: String }
            relationships: { notes: { to: Note, many: true, inverse: owner } }
            unique: [[name]]
        """

    /// All facts that a run reports about its records.
    private struct Facts: Equatable {
        var records: [RecordCounts?]
        var extraFields: [String]
        var missed: [String]
        var warnings: String

        init(_ run: Run) {
            records = run.outcome.stages.map(\.records)
            extraFields = run.outcome.stages.flatMap(\.extraFields).map {
                "\($0.name) \($0.records)"
            }
            missed = run.outcome.stages.flatMap { $0.missedLinks ?? [] }.map {
                $0.line.replacing(run.folder + "/", with: "")
            }
            warnings = run.warnings.filter { $0.code != "run.resumed" }
                .map(DiagnosticRenderer.text).joined(separator: "\n")
                .replacing(run.folder + "/", with: "")
        }
    }

    /// Returns records, each second of which is followed by a blank line.
    private static func text(_ format: String, _ range: ClosedRange<Int>) -> String {
        let header = format == "csv" ? "\nid,text,owner,more\n" : ""
        return range.reduce(into: header) { text, id in
            let word = "t\(id * 7919 % 1_000_003)"
            if format == "csv" {
                text += "\(id),\(word),o\(id),x\n"
            } else {
                text += "{\"id\":\(id),\"text\":\"\(word)\",\"owner\":\"o\(id)\""
                if id % 3 == 0 { text += ",\"more\":{\"x\":1}" }
                if id % 50 == 0 { text += ",\"text\":\"twice\"" }
                text += "}\n"
            }
            if id % 2 == 0 { text += "\n" }
        }
    }

    @Test(
        "an import that stops at many places reports what one that never stops reports",
        arguments: ["csv", "ndjson"], [1, 2])
    func stops(_ format: String, _ processors: Int) throws {
        let ghost = format == "csv" ? "" : ", ghost: ghost"
        let stage = """
            - import: notes
              read: { files: [a.\(format), b.\(format).gz] }
              into: Note
              keep-if: id != 7
              set: { id: id, text: text\(ghost) }
              link: { owner: { by: { name: owner }, missing: null } }
            """
        let decoding = DecodingOptions(
            processors: processors, chunkBytes: 500, largeInputBytes: 0, smallInputBytes: 0)
        let whole = try Workspace()
        try whole.write("a.\(format)", Self.text(format, 1...40))
        let bytes = try whole.writeGzip("b.\(format).gz", Self.text(format, 41...3000))
        let run = try whole.run(model: Self.model, stage, decoding: decoding)
        #expect(run.status == .ok, "\(run.text)")
        let facts = Facts(run)
        #expect(facts.records.first??.blankLines == (format == "csv" ? 1502 : 1500))
        #expect(facts.extraFields == (format == "csv" ? ["more 3000"] : ["more 1000"]))
        #expect(facts.missed.count == 1)
        #expect(facts.warnings.contains("60 records have a key twice") == (format == "ndjson"))
        #expect(facts.warnings.contains("No record has 'ghost'") == (format == "ndjson"))

        let folder = try Workspace()
        try folder.write("a.\(format)", Self.text(format, 1...40))
        for share in [20, 35, 50, 51, 66, 80, 95] {
            try folder.write(
                "b.\(format).gz", bytes: Array(bytes.prefix(bytes.count * share / 100)))
            let run = try folder.run(model: Self.model, stage, decoding: decoding)
            #expect(run.outcome.diagnostics.map(\.code) == ["gzip.truncated"], "\(run.text)")
        }
        try folder.write("b.\(format).gz", bytes: bytes)
        let last = try folder.run(model: Self.model, stage, decoding: decoding)
        #expect(last.status == .ok, "\(last.text)")
        #expect(last.outcome.attempts == 8)
        #expect(Facts(last) == facts)
    }

    @Test("a run that resumes after an import still reports the fields that nothing maps")
    func finishedStage() throws {
        let folder = try Workspace()
        try folder.write("a.ndjson", "{\"id\":1,\"more\":1}\n")
        try folder.write("out", "a file, no folder")
        let stages = """
            - { import: a.ndjson, into: Note }
            - { export: Note, to: out/notes.csv }
            """
        let first = try folder.run(model: Self.model, stages)
        #expect(first.status == .cannotCreate)
        #expect(Facts(first).extraFields == ["more 1"])
        try FileManager.default.removeItem(atPath: folder.path("out"))
        let run = try folder.run(model: Self.model, stages)
        #expect(run.status == .ok, "\(run.text)")
        #expect(Facts(run).extraFields == ["more 1"])
    }
}
