import Foundation
import TestSeeds
import Testing

@testable import Pipelines

/// Parts of one input are decoded in parallel, which changes only the duration.
@Suite("Inputs decoded in pieces") struct ImportPiecesTests {
    private static let model = """
        model: 1
        entities:
          Line:
            attributes:
              number: { type: Integer 32, optional: false }
              text: { type: String, pattern: "[^z]*" }
              sum: Integer 32
            relationships:
              tag: { to: Tag, inverse: lines }
              parent: { to: Line, inverse: children }
              children: { to: Line, many: true, inverse: parent }
            unique: [[number]]
          Tag:
            attributes: { name: { type: String, optional: false } }
            relationships: { lines: { to: Line, many: true, inverse: tag } }
            unique: [[name]]
        """
    private static let stage = """
        - import: "in?.*"
          into: Line
          keep-if: number != 3 AND NOT (text MATCHES 'q[0-9]+')
          set:
            number: number
            text: { from: text, clean: [trim, lower] }
            sum: { expr: "number * 2 + 1" }
          link:
            tag: { by: { name: tag }, missing: create }
            parent: { by: { number: parent } }
        """

    /// All results of a run.
    private struct Outcome: Equatable {
        var status: Pipelines.ExitStatus
        var text: String
        var warnings: String
        var lines: [String]
        var records: [RecordCounts?]
        var extraFields: [FieldCount]
        var rejects: [String: String]
        var rows: [String]
    }

    private static func outcome(
        _ files: [(name: String, bytes: [UInt8])], _ stage: String = stage, top: String,
        _ decoding: DecodingOptions
    ) throws -> Outcome {
        let folder = try Workspace()
        for file in files { try folder.write(file.name, bytes: file.bytes) }
        let run = try folder.run(model: model, stage, top: top, decoding: decoding)
        return Outcome(
            status: run.status, text: run.text, warnings: run.warningText, lines: run.lines,
            records: run.outcome.stages.map(\.records),
            extraFields: run.outcome.stages.flatMap(\.extraFields),
            rejects: try folder.rejects(),
            rows: try folder.rows(
                """
                SELECT l.Z_PK, l.ZNUMBER, l.ZTEXT, l.ZSUM, l.ZTAG, t.ZNAME, p.ZNUMBER FROM ZLINE l
                  LEFT JOIN ZTAG t ON t.Z_PK = l.ZTAG LEFT JOIN ZLINE p ON p.Z_PK = l.ZPARENT
                  ORDER BY l.Z_PK
                """))
    }

    private static func pieces(_ processors: Int, chunkBytes: Int) -> DecodingOptions {
        DecodingOptions(
            processors: processors, chunkBytes: chunkBytes, largeInputBytes: 0, smallInputBytes: 0)
    }

    // MARK: Generated inputs

    /// Returns lines of a format, some of which are invalid in one of many ways.
    private static func lines(
        _ format: String, _ count: Int, _ random: inout SeededGenerator
    ) -> String {
        func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
        var text = below(4) == 0 ? "\u{FEFF}" : ""
        if format == "csv" { text += "number,text,tag,parent,more\n" }
        for line in 0..<count {
            let number = below(6) == 0 ? below(50) : line
            let word = ["a", " B ", "q7", "z", "é", ""][below(6)]
            let end = below(5) == 0 ? "\r\n" : "\n"
            switch (below(24), format) {
            case (0, "csv"): text += "\(number),\"not closed,t,,\(end)"
            case (1, "csv"): text += "\(number),5\" disk,t,,\(end)"
            case (2, "csv"): text += "\(number),two,few\(end)"
            case (3, "csv"): text += "\(number),\"two\(end)lines\",t1,,\(end)"
            case (4...6, "csv"):
                text += "\(number),\"\(word),\"\"\(word)\"\"\",t2,\(below(count)),x\(end)"
            case (0, _): text += "{\"number\":\(number),\"text\":\(end)"
            case (1, _): text += "[\(number)]\(end)"
            case (2, _): text += "{\"number\":\(number)} {}\(end)"
            case (3, _):
                text += "{\"number\":\(number),\"number\":\(line),\"other\":{\"a\":1}}\(end)"
            case (4, _): text += "{\"text\":\"\(word)\",\"more\":[1,2]}\(end)"
            case (7, _): text += end
            case (8, _): text += format == "csv" ? "x,y,z,1,\(end)" : "{\"number\":\"x\"}\(end)"
            case (9, _): text += String(repeating: "long", count: 200) + end
            case (_, "csv"): text += "\(number),\(word),t\(below(9)),\(below(count)),\(end)"
            default:
                text += "{\"number\":\(number),\"text\":\"\(word)\",\"tag\":\"t\(below(9))\","
                text += "\"parent\":\(below(count))}\(end)"
            }
        }
        return below(3) == 0 ? String(text.dropLast()) : text
    }

    private static func files(
        _ random: inout SeededGenerator
    ) throws -> [(name: String, bytes: [UInt8])] {
        let folder = try Workspace()
        return try (0..<Int.random(in: 1...3, using: &random)).map { file in
            let format = Int.random(in: 0..<5, using: &random)
            let count = Int.random(in: 1...600, using: &random)
            if format == 4 {
                let records = (0..<count).map { "{\"number\":\($0),\"tag\":\"t\($0 % 5)\"}" }
                return (
                    "in\(file).json", Array("{\"a\":[\(records.joined(separator: ", "))]}".utf8)
                )
            }
            let name = ["ndjson", "csv", "ndjson", "csv"][format]
            let text = lines(name, count, &random)
            guard format > 1 else { return ("in\(file).\(name)", Array(text.utf8)) }
            var bytes = try folder.writeGzip("x.gz", text)
            if Bool.random(using: &random) { bytes.removeLast(bytes.count / 3) }
            return ("in\(file).\(name).gz", bytes)
        }
    }

    @Test func parallelPiecesGiveTheSameResultAsOneLane() throws {
        let first = TestSeed.ofThisRun
        for seed in (0..<24).map({ first &+ $0 }) {
            var random = SeededGenerator(seed: seed)
            let files = try Self.files(&random)
            let chunkBytes = [300, 2000, 1 << 14].randomElement(using: &random) ?? 300
            let top = """
                budget: { memory: 2GiB, save-every: \(Int.random(in: 1...300, using: &random)) }
                rejects: { allow: 100%, abort: 100% }
                """
            var stage = Self.stage
            if Bool.random(using: &random) { stage += "\n  extra: reject" }
            if Bool.random(using: &random) { stage += "\n  on: { duplicate-key: reject }" }
            if files.allSatisfy({ $0.name.hasSuffix(".json") }) {
                stage = stage.replacing(
                    "- import: \"in?.*\"",
                    with: "- import: lines\n  read: { files: \"in?.*\", at: \"$.a[*]\" }")
            }
            let whole = try Self.outcome(
                files, stage, top: top,
                DecodingOptions(processors: 1, chunkBytes: chunkBytes, smallInputBytes: 0))
            for processors in 2...4 {
                let pieces = try Self.outcome(
                    files, stage, top: top, Self.pieces(processors, chunkBytes: chunkBytes))
                #expect(pieces == whole, "seed \(seed), \(processors) lanes")
            }
        }
    }

    @Test(arguments: ["10", "2%"])
    func tooManyRejectsEndTheStageAtTheSameBatch(abort: String) throws {
        let lines = (0..<5000).map { $0 % 20 == 9 ? "bad\n" : "{\"number\":\($0)}\n" }
        let files = [(name: "in.ndjson", bytes: Array(lines.joined().utf8))]
        let stage = Self.stage.replacing("in?.*", with: "in.*")
        let top = "budget: { save-every: 100 }\nrejects: { abort: \(abort) }"
        let whole = try Self.outcome(
            files, stage, top: top,
            DecodingOptions(processors: 1, chunkBytes: 3000, smallInputBytes: 0))
        #expect(whole.status == .dataError)
        let pieces = try Self.outcome(files, stage, top: top, Self.pieces(2, chunkBytes: 3000))
        #expect(pieces == whole)
    }

    @Test func countsUnmappedFieldsAcrossAllLanes() throws {
        let lines = (0..<3000).map { "{\"number\":\($0),\"f\($0 % 90)\":1}\n" }
        let folder = try Workspace()
        try folder.write("in.ndjson", lines.joined())
        let run = try folder.run(
            model: Self.model, Self.stage.replacing("in?.*", with: "in.*"),
            decoding: Self.pieces(2, chunkBytes: 2000))
        let fields = run.outcome.stages.first?.extraFields ?? []
        #expect(fields.count == 90)
        #expect(fields.reduce(0) { $0 + $1.records } == 3000)
        #expect(run.warningText.contains("No record has 'parent'"), "\(run.warningText)")
    }

    /// Runs that each save once and stop; all but the first read in one lane.
    @Test(arguments: ["ndjson", "csv"])
    func resumesAfterInterruptionsWithTheSameResult(format: String) throws {
        let seed = TestSeed.ofThisRun
        var random = SeededGenerator(seed: seed)
        let text = Self.lines(format, 2000, &random)
        let files = [(name: "in0.\(format)", bytes: Array(text.utf8))]
        let top = "budget: { save-every: 200 }\nrejects: { allow: 100%, abort: 100% }"
        let decoding = Self.pieces(2, chunkBytes: 5000)
        let whole = try Self.outcome(files, top: top, decoding)
        #expect(whole.status == .ok)

        let folder = try Workspace()
        try folder.write("in0.\(format)", text)
        try folder.write("model.yaml", Self.model)
        try folder.write(
            "spec.yaml",
            """
            etl: 1
            store: { at: store.sqlite, model: model.yaml, open: create }
            \(top)
            stages:
            \(Self.stage)
            """)
        var attempts = 0
        var last: RunOutcome
        repeat {
            attempts += 1
            let interruption = Interruption()
            if attempts < 8 { interruption.limit(to: .zero) }
            last = try folder.run(interruption) { $0.decoding = decoding }
        } while last.status == .temporaryFailure && attempts < 10
        #expect(last.status == .ok, "seed \(seed): \(last.diagnostics)")
        #expect(attempts == 8, "seed \(seed)")
        let rows = try folder.rows("SELECT Z_PK, ZNUMBER FROM ZLINE ORDER BY Z_PK")
        #expect(
            rows == whole.rows.map { $0.split(separator: "|").prefix(2).joined(separator: "|") },
            "seed \(seed)")
        #expect(last.stages.map(\.records) == whole.records, "seed \(seed)")
        #expect(try folder.rejects() == whole.rejects, "seed \(seed)")
    }
}
