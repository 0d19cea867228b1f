import FoundationEssentials
import Testing

@testable import Pipelines

/// Several inputs are decoded in parallel, which changes only the duration.
@Suite("Inputs read concurrently") struct ImportLanesTests {
    private static let model = """
        model: 1
        entities:
          Line:
            attributes: { file: Integer 32, number: Integer 32, note: String }
        """
    private static let stage = """
        - import: "?.*"
          into: Line
          when-found: append
          set: { file: file, number: number, note: nothing }
        """
    private static let counts = [3000, 1, 0, 20_000, 700, 5, 9000]

    /// Returns a folder with inputs of very different sizes in two formats, one of them without
    /// records.
    private static func workspace() throws -> Workspace {
        let folder = try Workspace()
        for (file, count) in counts.enumerated() {
            let rows = (0..<count).map { #"{"file":\#(file),"number":\#($0)}"# }
            if file == 2 || file == 5 {
                try folder.write("\(file).json", "[" + rows.joined(separator: ",") + "]")
            } else {
                try folder.write("\(file).ndjson", rows.map { $0 + "\n" }.joined())
            }
        }
        return folder
    }

    /// A query for the rows of each file, in order of insertion.
    private static let order = """
        SELECT ZFILE || ':' || count(*) || ':' || min(ZNUMBER) || '-' || max(ZNUMBER) || ' from '
          || min(Z_PK), sum(Z_PK - ZNUMBER - 1) FROM ZLINE GROUP BY ZFILE
        """
    /// Returns the result of `order` for the first files.
    private static func expected(_ files: Int) -> [String] {
        var before = 0
        return counts[..<files].enumerated().compactMap { file, count in
            defer { before += count }
            return count == 0
                ? nil
                : "\(file):\(count):0-\(count - 1) from \(before + 1)|\(before * count)"
        }
    }

    @Test(arguments: ["32MiB", "256MiB", "2GiB"])
    func importsRecordsInInputOrder(memory: String) throws {
        let folder = try Self.workspace()
        let run = try folder.run(
            model: Self.model, Self.stage, top: "budget: { memory: \(memory), save-every: 1000 }")
        #expect(run.text == "")
        #expect(
            run.warningText == """
                spec.yaml:8:44: warning: No record has 'nothing' [import.unmet-path]
                  in: stages[0].set.note
                """)
        #expect(try folder.rows(Self.order) == Self.expected(7))
    }

    @Test func importsAllEarlierInputsBeforeADamagedOne() throws {
        let folder = try Self.workspace()
        // It is read while the third is read, long before the records of the fourth are written.
        try folder.write("4.ndjson", bytes: [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 1, 2, 3])
        let run = try folder.run(model: Self.model, Self.stage, top: "budget: { save-every: 1000 }")
        #expect(run.status == .dataError)
        #expect(run.text.hasPrefix("4.ndjson:"), "\(run.text)")
        #expect(try folder.rows(Self.order) == Self.expected(4))
    }

    /// Expressions, preparations, and patterns have buffers, of which each lane has its own.
    @Test func parallelLanesComputeCorrectValues() throws {
        let folder = try Workspace()
        for file in 0..<6 {
            try folder.write(
                "\(file).ndjson",
                (0..<8000).map {
                    #"{"file":\#(file),"number":\#($0),"name":" N\#($0)X\#(file) "}"# + "\n"
                }
                .joined())
        }
        let run = try folder.run(
            model: """
                model: 1
                entities:
                  Line:
                    attributes:
                      file: Integer 32
                      number: Integer 32
                      name: { type: String, pattern: "n[0-9]+x[0-9]" }
                      sum: Integer 32
                      text: String
                """,
            """
            - import: "?.ndjson"
              into: Line
              when-found: append
              keep-if: "name MATCHES ' N[0-9]+X[0-9] ' AND number + 0 >= 100"
              set:
                file: file
                number: number
                name: { from: name, clean: [trim, lower] }
                sum: { expr: "number + file * 10000" }
                text: { expr: "lowercase(name)" }
            """)
        #expect(run.text == "")
        #expect(
            run.lines == [
                "import import: 48,000 read, 47,400 inserted, 600 filtered"
            ])
        let wrong = """
            SELECT count(*) FROM ZLINE WHERE ZNUMBER < 100 OR ZSUM <> ZNUMBER + ZFILE * 10000
              OR ZNAME <> 'n' || ZNUMBER || 'x' || ZFILE OR ZTEXT <> ' ' || ZNAME || ' '
            """
        #expect(try folder.rows(wrong) == ["0"])
        #expect(try folder.rows("SELECT count(*) FROM ZLINE") == ["47400"])
    }

    @Test func recordLimitAppliesToAllInputsTogether() throws {
        let folder = try Self.workspace()
        try folder.write("model.yaml", Self.model)
        try folder.write(
            "spec.yaml",
            "etl: 1\nstore: { at: store.sqlite, model: model.yaml, open: create }\nstages:\n"
                + Self.stage)
        var options = RunOptions(workingFolder: "/", now: Workspace.now)
        options.recordsMax = 3002
        let outcome = PipelineRunner(options: options).run(folder.path("spec.yaml"))
        #expect(outcome.diagnostics == [])
        #expect(
            try folder.rows("SELECT ZFILE, count(*) FROM ZLINE GROUP BY 1")
                == ["0|3000", "1|1", "3|1"])
    }

    @Test func laneCountIsLimitedByInputsBatchesAndProcessors() {
        #expect(ImportLanes.count(inputs: 9, batches: 6, processors: 16) == 2)
        #expect(ImportLanes.count(inputs: 9, batches: 48, processors: 4) == 4)
        #expect(ImportLanes.count(inputs: 3, batches: 48, processors: 16) == 3)
        #expect(ImportLanes.count(inputs: 9, batches: 48, processors: 1) == 1)
        #expect(ImportLanes.count(inputs: 9, batches: 3, processors: 16) == 1)
        #expect(ImportLanes.count(inputs: 0, batches: 6, processors: 2) == 1)
    }
}
