import Diagnostics
import Foundation
import Synchronization
import TestSeeds
import Testing

@testable import Pipelines

/// Sections of stages that fail or are stopped, and plans without sections.
extension SectionTests {
    /// Runs a spec and interrupts it when it starts to write a section.
    ///
    /// The run may have finished by then.
    static func runStoppedInSection(_ folder: Workspace) -> RunOutcome {
        let (progress, interruption) = (RunProgress(), Interruption())
        let isOver = Mutex(false)
        Thread.detachNewThread {
            while !isOver.withLock(\.self) {
                guard progress.snapshot.phase.hasPrefix("sorted") else { continue }
                return interruption.request(signal: 15)
            }
        }
        defer { isOver.withLock { $0 = true } }
        return run(folder, interruption, progress: progress)
    }

    @Test("records before a reject that ends the stage are kept, and the next run ends there again")
    func failedAndStopped() throws {
        for seed in 0..<5 {
            let seed = TestSeed.ofThisRun &+ UInt64(seed)
            // No record before the one that ends the stage is bad.
            let folder = try Self.folder(seed: seed, "duplicates: last", count: 10)
            var random = SeededGenerator(seed: seed)
            var records = (0..<3000).map { _ in #"{"id":\#(random.pick(900)),"size":90}"# }
            records[1300] = #"{"id":1,"size":"x"}"#
            try folder.write("in1.ndjson", records.joined(separator: "\n"))
            try Self.writeSpec(in: folder, "on: { cast: stop }")
            let stopped = Self.runStoppedInSection(folder)
            #expect(stopped.status == .dataError, "\(stopped.diagnostics)")
            let sized = { try folder.rows("SELECT count(*) FROM ZTASK WHERE ZSIZE = 90") }
            let first = try #require(try sized().first.flatMap(Int.init))
            let again = Self.run(folder)
            #expect(again.status == .dataError, "\(again.diagnostics)")
            #expect(again.attempts == 2)
            #expect(again.diagnostics.map(\.code) == stopped.diagnostics.map(\.code))
            let second = try #require(try sized().first.flatMap(Int.init))
            #expect(first == second)
        }
    }

    @Test("too many rejects end the stage in whichever attempt exceeds the limit")
    func tooManyRejects() throws {
        for seed in 0..<3 {
            let seed = TestSeed.ofThisRun &+ UInt64(seed)
            let folder = try Self.folder(seed: seed, Self.links, count: 3000)
            try Self.writeSpec(in: folder, Self.links, rejects: "{ allow: 100%, abort: 200 }")
            var random = SeededGenerator(seed: seed)
            let warnings = Mutex<[String]>([])
            var run: RunOutcome
            repeat {
                let interruption = Interruption()
                interruption.limit(to: .milliseconds(random.pick(300)))
                run = Self.run(folder, interruption) { told in
                    warnings.withLock { $0.append(told.code) }
                }
            } while run.status == .temporaryFailure
            #expect(run.status == .dataError)
            #expect(run.diagnostics.last?.code == "rejects.too-many")
            #expect(
                warnings.withLock { $0.contains("run.starts-again") } == false,
                "ETL_TEST_SEED=\(seed)")
        }
    }

    @Test("a section does not resume if the input at its end has changed")
    func changedEnd() throws {
        var stopped = 0
        for seed in 0..<5 where stopped == 0 {
            let seed = TestSeed.ofThisRun &+ UInt64(seed)
            let folder = try Self.folder(seed: seed, "duplicates: last", count: 10)
            var random = SeededGenerator(seed: seed)
            var ids: [Int] = []
            func lines(_ count: Int, _ rest: String) -> String {
                ids = (0..<count).map { _ in random.pick(900) }
                return ids.map { "{\"id\":\($0),\(rest)}\n" }.joined()
            }
            // The first part of the spooled records starts in one file and ends in the next.
            try folder.write("in1.ndjson", lines(1200, #""size":1"#))
            try folder.write("in3.ndjson", lines(900, #""size":3"#))
            try folder.write("in2.ndjson", lines(500, #""size":2,"title":"a longer one""#))
            try FileManager.default.removeItem(atPath: folder.path("in3.ndjson.gz"))
            guard Self.runStoppedInSection(folder).status == .terminated else { continue }
            let places = try folder.rows(
                "SELECT json_extract(CAST(VALUE AS TEXT), '$.position.path'),"
                    + " json_extract(CAST(VALUE AS TEXT), '$.section.end.path')"
                    + " FROM ETL_PROGRESS WHERE KIND = 'stage'")
            #expect(places == ["in1.ndjson|in2.ndjson"])
            stopped += 1
            try folder.write(
                "in2.ndjson", ids.map { "{\"id\":\($0),\"size\":4}\n" }.joined())
            let warnings = Mutex<[String]>([])
            let again = Self.run(folder) { told in warnings.withLock { $0.append(told.code) } }
            #expect(again.status == .ok, "\(again.diagnostics)")
            #expect(
                warnings.withLock(\.self) == ["run.resumed", "run.starts-again"],
                "ETL_TEST_SEED=\(seed)")
        }
        #expect(stopped > 0, "ETL_TEST_SEED=\(TestSeed.ofThisRun)")
    }

    @Test("an import gives the same result if two links may create the same object")
    func twoEntities() throws {
        let employee = """
              Employee:
                parent: Person
                relationships: { edits: { to: Task, many: true, inverse: editor } }
              Tag:
            """
        let editor = "      editor: { to: Employee, inverse: edits }\n"
        let model = Self.model.replacing("  Tag:", with: employee)
            .replacing("      tags: { to: Tag", with: editor + "      tags: { to: Tag")
        let links = """
            link:
                  owner: { by: { name: owner }, missing: create }
                  editor: { by: { name: editor }, missing: create }
            """
        var outcomes: [[[String]]] = []
        for sorts in [false, true] {
            let folder = try Workspace()
            var random = SeededGenerator(seed: TestSeed.ofThisRun)
            let tasks = (0..<900).map { "{\"id\":\($0),\"size\":1}" }
            try folder.write("first.ndjson", tasks.joined(separator: "\n"))
            let records = (0..<3000).map { place in
                let link = random.pick(2) == 0 ? "owner" : "editor"
                let task = "\"id\":\(random.pick(900)),\"size\":2"
                return "{\(task),\"\(link)\":\"x\(place / 6)\"}"
            }
            try folder.write("in1.ndjson", records.joined(separator: "\n"))
            let first = try folder.run(model: model, Self.first)
            #expect(first.status == .ok, "\(first.text)")
            try Self.writeSpec(in: folder, links)
            let run = Self.run(folder, sorts: sorts)
            outcomes.append([
                Run(outcome: run, folder: folder.folder, warnings: []).lines,
                try folder.rows("SELECT Z_ENT, ZNAME FROM ZPERSON ORDER BY Z_PK"),
            ])
        }
        #expect(outcomes[0] == outcomes[1], "ETL_TEST_SEED=\(TestSeed.ofThisRun)")
    }
}
