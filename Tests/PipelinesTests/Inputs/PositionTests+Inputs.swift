import Diagnostics
import Foundation
import Testing

@testable import Pipelines

/// Positions in several inputs and imports, and the rejects of resumed runs.
extension PositionTests {
    @Test("a run continues if an earlier run's unfinished input is not among its inputs")
    func missingUnfinishedInput() throws {
        let folder = try Self.cut()
        #expect(try folder.run(Self.spec("append", file: "${run.date}.gz")).status == .noInput)
        try folder.write("2026-03-04.gz", bytes: folder.bytes("in.ndjson.gz"))
        let spec = Self.spec("append", file: "${run.date}.gz")
        #expect(try folder.run(spec).status == .dataError)
        let saved = try #require(Int(folder.rows("SELECT count(*) FROM ZNOTE")[0]))
        try folder.writeGzip("2026-03-05.gz", Self.lines(6001...6100))
        let run = try folder.run(spec, now: Workspace.now.addingTimeInterval(86_400))
        #expect(run.status == .ok, "\(run.text)")
        #expect(run.warnings.map(\.code) == ["run.new-input"])
        // The import reports both inputs.
        #expect(
            run.lines == [
                "import notes: \(grouped(saved + 100)) read, \(grouped(saved + 100)) inserted"
            ])
        #expect(try folder.rows("SELECT count(*) FROM ZNOTE") == ["\(saved + 100)"])
        // The position in the first input is still known.
        try folder.write("2026-03-04.gz", bytes: folder.bytes("whole.gz"))
        let first = try folder.run(spec)
        #expect(first.status == .ok, "\(first.text)")
        #expect(
            first.lines == [
                "import notes: \(grouped(5000 - saved)) read, \(grouped(5000 - saved)) inserted"
            ])
        #expect(try folder.rows(Self.notes) == ["5100|5100"])
        #expect(try folder.rows(Self.tables) == ["0"])
    }

    @Test("keeps the positions of several imports while other imports run")
    func severalImports() throws {
        let folder = try Self.cut()
        try folder.write("first.ndjson", Self.lines(10_001...10_100))
        try folder.write("last.ndjson", Self.lines(30_001...30_100))
        let spec =
            Self.spec("append").replacing(
                "  - import: notes",
                with: """
                      - { import: first, read: { files: first.* }, into: Note, key: id }
                      - import: notes
                    """
            ) + "\n  - { import: last, read: { files: last.* }, into: Note, key: id }\n"
        #expect(try folder.run(spec).status == .dataError)
        // On another day, the first import runs again, and also stops in the middle.
        let whole = try folder.writeGzip("first.gz", Self.lines(10_001...13_000))
        try FileManager.default.removeItem(atPath: folder.path("first.ndjson"))
        try folder.write("first.gz", bytes: Array(whole.prefix(whole.count / 2)))
        let later = Workspace.now.addingTimeInterval(86_400)
        #expect(try folder.run(spec, now: later).status == .dataError)
        let kinds = try folder.rows(
            "SELECT KIND FROM ETL_PROGRESS WHERE KIND LIKE '%stage' ORDER BY 1")
        #expect(kinds == ["notes:stage", "stage"])
        try Self.repair(folder)
        try folder.write("first.gz", bytes: whole)
        // Another run, which is not completed either, starts with the third import.
        var options = RunOptions(workingFolder: "/", now: later)
        options.only = "last"
        #expect(PipelineRunner(options: options).run(folder.path("spec.yaml")).status == .ok)
        let run = try folder.run(spec, now: later)
        #expect(run.status == .ok, "\(run.text)")
        #expect(
            run.lines == [
                "import first: 3,000 read, 2,900 inserted, 100 unchanged",
                "import notes: 5,000 read, 5,000 inserted", "import last: 100 read, 100 unchanged",
            ])
        #expect(try folder.rows(Self.notes) == ["8100|8100"])
        #expect(try folder.rows(Self.tables) == ["0"])
    }

    @Test("an input that is moved away and back is not imported twice")
    func movedAway() throws {
        let folder = try Self.cut()
        try folder.write("in/b.ndjson", Self.lines(6001...6010))
        try folder.move("in.ndjson.gz", to: "in/a.ndjson.gz")
        let spec = Self.spec("append", file: "in/*")
        #expect(try folder.run(spec).status == .dataError)
        try folder.move("in/a.ndjson.gz", to: "a.gz")
        let without = try folder.run(spec)
        #expect(without.status == .ok, "\(without.text)")
        let status = try PipelineStatus.of(
            spec: folder.path("spec.yaml"),
            ParameterValues.Context(now: Workspace.now, workingFolder: "/"))
        let place = try #require(status.pending?.place)
        #expect(place.hasPrefix("import notes at record "), "\(place)")
        #expect(place.hasSuffix(" of \(folder.path("in/a.ndjson.gz"))"), "\(place)")
        try folder.write("in/a.ndjson.gz", bytes: folder.bytes("whole.gz"))
        try FileManager.default.removeItem(atPath: folder.path("in/b.ndjson"))
        let last = try folder.run(spec)
        #expect(last.status == .ok, "\(last.text)")
        #expect(try folder.rows(Self.notes) == ["5010|5010"])
        #expect(try folder.rows(Self.tables) == ["0"])
    }

    @Test("keeps the positions in several inputs while they are added and removed")
    func comeAndGo() throws {
        let folder = try Workspace()
        try folder.write("model.yaml", Self.model)
        let spec = Self.spec("append", file: "in/*")
        let whole = try [
            folder.writeGzip("a.gz", Self.lines(1...3000)),
            folder.writeGzip("b.gz", Self.lines(10_001...13_000)),
        ]
        func put(_ place: Int, _ share: Int) throws {
            try folder.write(
                "in/\(["a", "b"][place]).gz",
                bytes: Array(whole[place].prefix(whole[place].count * share / 4)))
        }
        func take(_ place: Int) throws {
            try FileManager.default.removeItem(atPath: folder.path("in/\(["a", "b"][place]).gz"))
        }
        try put(0, 2)
        #expect(try folder.run(spec).status == .dataError)
        try take(0)
        try put(1, 2)
        #expect(try folder.run(spec).status == .dataError)
        try put(0, 3)
        #expect(try folder.run(spec).status == .dataError)
        try take(0)
        try put(1, 4)
        #expect(try folder.run(spec).status == .ok)
        try put(0, 4)
        try take(1)
        #expect(try folder.run(spec).status == .ok)
        #expect(try folder.rows(Self.notes) == ["6000|6000"])
        #expect(try folder.rows(Self.tables) == ["0"])
    }

    @Test(
        "a repeatable import starts over if its input is removed, and mirrors all inputs",
        arguments: [true, false])
    func mirrored(mirror: Bool) throws {
        let folder = try Self.cut()
        try folder.write("in/b.ndjson", Self.lines(6001...6010))
        try folder.move("in.ndjson.gz", to: "in/a.gz")
        let spec = Self.spec(
            "update", file: "in/*", more: mirror ? "    mirror: { where: ALL, at-most: 100% }" : "")
        #expect(try folder.run(spec).status == .dataError)
        try FileManager.default.removeItem(atPath: folder.path("in/a.gz"))
        #expect(try folder.run(spec).status == .ok)
        try folder.write("in/a.gz", bytes: folder.bytes("whole.gz"))
        let last = try folder.run(spec)
        #expect(last.status == .ok, "\(last.text)")
        #expect(try folder.rows(Self.notes) == ["5010|5010"])
    }

    @Test(
        "a resumed run keeps its earlier rejects, however `rejects.dir` names the folder",
        arguments: ["rejects", "ABSOLUTE", "rejects//x"])
    func rejectsFolder(_ name: String) throws {
        let folder = try Workspace()
        try folder.write("model.yaml", Self.model)
        let dir = name == "ABSOLUTE" ? folder.path("rejects") : name
        let bad = (0..<3).map { _ in "{\"id\":\"x\"}\n" }.joined()
        try folder.write("a.ndjson", Self.lines(1...3000) + bad + Self.lines(3001...6000) + bad)
        let spec = Self.spec(
            "append", file: "a.ndjson", top: "rejects: { allow: 100%, abort: 2, dir: \"\(dir)\" }")
        for _ in 0..<2 { #expect(try folder.run(spec).status == .dataError) }
        #expect(try folder.run(spec).status == .ok)
        let path = name == "rejects//x" ? "rejects/x" : "rejects"
        let run = try #require(folder.names(path).first)
        #expect(try folder.text("\(path)/\(run)/notes.a.ndjson") == bad + bad)
        #expect(try folder.rows(Self.notes) == ["6000|6000"])
    }

    @Test("a corrected reject file is kept, and a later run does not append to it")
    func correctedRejects() throws {
        let folder = try Workspace()
        try folder.write("model.yaml", Self.model)
        try folder.write("a.ndjson", Self.lines(1...3) + "{\"id\":\"x\"}\n")
        let spec = Self.spec("append", file: "a.ndjson")
        #expect(try folder.run(spec).status == .dataError)
        let name = try #require(folder.names("rejects").first)
        let mended = "{\"id\":40000}\n"
        try folder.write("rejects/\(name)/notes.a.ndjson", mended)
        for _ in 0..<3 {
            #expect(try folder.run(spec).status == .dataError)
            #expect(try folder.text("rejects/\(name)/notes.a.ndjson") == mended)
        }
        #expect(
            ReplayTests.replay(folder, "rejects/\(name)").lines == [
                "import notes: 1 read, 1 inserted"
            ])
        let last = try folder.run(spec)
        #expect(last.status == .ok, "\(last.text)")
        #expect(last.lines == ["import notes: 4 read, 3 inserted, 1 replayed"])
        #expect(try folder.rows(Self.notes) == ["4|4"])
    }
}

/// Returns a number as the command prints it.
private func grouped(_ number: Int) -> String { number.grouped }
