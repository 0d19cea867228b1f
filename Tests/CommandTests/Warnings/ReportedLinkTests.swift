import Foundation
import TestSeeds
import Testing

/// `missing: report`: the records are imported, and their links without an object are written to a
/// file.
@Suite("Links that are reported") struct ReportedLinkTests {
    private static let model = """
        model: 1
        entities:
          Task:
            attributes: { id: Integer 64 }
            relationships: { owner: { to: Person, inverse: tasks } }
            unique: [[id]]
          Person:
            attributes: { name: String }
            relationships: { tasks: { to: Task, many: true, inverse: owner } }
            unique: [[name]]
        """

    private static func folder(_ rest: String = "", stage: String = "") throws -> FailureFolder {
        let folder = try FailureFolder()
        try folder.write("model.yaml", model)
        try folder.write(
            "spec.yaml",
            """
            etl: 1
            name: s
            store: { at: store.sqlite, model: model.yaml, open: create }
            budget: { save-every: 64 }
            \(rest)
            stages:
              - import: tasks
                read: { files: tasks.ndjson }
                into: Task
                link: { owner: { by: { name: owner }, missing: report } }
                \(stage)
            """)
        return folder
    }

    /// Returns the lines of all files of omitted links, without the run, sorted by record.
    private static func lines(_ folder: FailureFolder) throws -> [String] {
        let found = try folder.shell(
            "find rejects -name '*.links.ndjson' | sort | xargs -r cat | sed 's/,\"run\":.*/}/'")
        return found.output.split(separator: "\n").map(String.init)
    }

    private static func line(_ record: Int, _ key: String) -> String {
        "{\"file\":\"tasks.ndjson\",\"key\":\"\(key)\",\"line\":\(record),\"record\":\(record),"
            + "\"relationship\":\"owner\"}"
    }

    @Test("writes one line per missing link and rejects no record")
    func lines() throws {
        let folder = try Self.folder()
        try folder.write(
            "tasks.ndjson",
            "{\"id\":1,\"owner\":\"nobody\"}\n{\"id\":2}\n{\"id\":3,\"owner\":\"no one\"}\n")
        let result = try folder.run("-v")
        #expect(result.status == 0, "\(result)")
        #expect(
            result.errors.contains(
                "import tasks: 3 read, 3 inserted, 2 links without an object"), "\(result)")
        let run = try #require(folder.names("rejects").first)
        #expect(
            folder.names("rejects/\(run)").filter { !$0.hasPrefix(".") } == [
                "tasks.tasks.ndjson.links.ndjson"
            ])
        #expect(try Self.lines(folder) == [Self.line(1, "nobody"), Self.line(3, "no one")])
        let replay = try folder.shell("\"$E\" replay rejects/\(run)")
        #expect(replay.status == 0)
        #expect(
            replay.errors == """
                warning: rejects/\(run) has no rejected record, and a replay does not add its links \
                without an object [replay.links]
                  fix: import the missing objects, and then run spec.yaml again

                """)
        #expect(try Self.lines(folder).count == 2)
        try folder.shell("rm -rf store.sqlite* rejects")
        let json = try folder.run("-v --log-format json")
        #expect(json.errors.contains("\"links\":\"rejects/"), "\(json.errors)")
        let report = try folder.shell("\"$E\" report runs")
        #expect(
            report.output.contains(
                """

                Links without an object in tasks
                  owner: 2
                    tasks.ndjson:1 'nobody'
                    tasks.ndjson:3 'no one'
                  in rejects/
                """.trimmingCharacters(in: .newlines)), "\(report.output)")
    }

    @Test("writes nothing if all links find their objects")
    func none() throws {
        let folder = try Self.folder()
        try folder.write("tasks.ndjson", "{\"id\":1}\n")
        #expect(try folder.run().status == 0)
        #expect(folder.names("rejects").isEmpty)
    }

    @Test("a replay writes missing links with the original locations of their records")
    func replayed() throws {
        let folder = try Self.folder("rejects: { allow: 100% }")
        try folder.write(
            "tasks.ndjson",
            "{\"id\":1,\"owner\":\"a\"}\n{\"id\":\"x\",\"owner\":\"b\"}\n{\"id\":\"y\",\"owner\":\"c\"}\n"
        )
        #expect(try folder.run().status == 0)
        let run = try #require(folder.names("rejects").first)
        try folder.shell("sed -i 's/\"y\"/3/' rejects/\(run)/tasks.tasks.ndjson")
        let replay = try folder.shell("\"$E\" replay rejects/\(run)")
        #expect(replay.status == 0, "\(replay)")
        #expect(try folder.query("SELECT ZID FROM ZTASK ORDER BY 1") == "1\n3\n")
        #expect(
            try Self.lines(folder).sorted() == [Self.line(1, "a"), Self.line(3, "c")])
    }

    @Test("a run that is resumed from another folder keeps the lines of finished inputs")
    func resumedElsewhere() throws {
        let folder = try Self.folder("rejects: { dir: rejects }")
        let spec = folder.text("spec.yaml")
        try folder.write(
            "spec.yaml", spec.replacing("files: tasks.ndjson", with: "files: [a.ndjson, b.ndjson]"))
        try folder.write("a.ndjson", "{\"id\":1,\"owner\":\"x\"}\n{\"id\":2,\"owner\":\"y\"}\n")
        try folder.write("whole", "{\"id\":3,\"owner\":\"z\"}\n")
        try folder.shell("gzip whole; head -c 25 whole.gz > b.ndjson; mkdir sub")
        #expect(try folder.run().status == 65)
        try folder.shell("cp whole.gz b.ndjson")
        let resumed = try folder.shell("cd sub; \"$E\" run ../spec.yaml")
        #expect(resumed.status == 0, "\(resumed)")
        func line(_ file: String, _ record: Int, _ key: String) -> String {
            Self.line(record, key).replacing("tasks.ndjson", with: file)
        }
        #expect(
            try Self.lines(folder) == [
                line("a.ndjson", 1, "x"), line("a.ndjson", 2, "y"), line("../b.ndjson", 1, "z"),
            ])
    }

    @Test("check rejects `missing: report` for a required relationship")
    func refused() throws {
        let folder = try Self.folder()
        try folder.write(
            "model.yaml",
            Self.model.replacing("inverse: tasks }", with: "inverse: tasks, optional: false }"))
        let result = try folder.shell("\"$E\" check spec.yaml")
        #expect(
            result.errors.contains(
                "`missing: report` would leave 'owner' empty, which is not optional"), "\(result)")
    }

    @Test("a run that is killed and resumed writes each missing link once", .tags(.slow))
    func killed() throws {
        let folder = try Self.folder()
        let seed = TestSeed.ofThisRun
        var random = SeededGenerator(seed: seed)
        let count = 4000
        try folder.write(
            "tasks.ndjson",
            (1...count).map { "{\"id\":\($0),\"owner\":\"n\($0)\"}\n" }.joined())
        var killed = 0
        for round in 0..<6 {
            try folder.shell("rm -rf store.sqlite* rejects")
            var status: Int32 = 137
            for attempt in 0..<6 where status == 137 {
                let killer =
                    attempt == 5
                    ? ":" : "sleep 0.\(100 + random.pick(400)); kill -KILL $run 2> /dev/null"
                status = try folder.shell(
                    """
                    "$E" run spec.yaml & run=$!
                    ( \(killer) ) &
                    wait $run
                    """
                ).status
                if status == 137 { killed += 1 }
            }
            let place = Comment("seed \(seed), round \(round)")
            #expect(status == 0, place)
            #expect(try folder.query("SELECT count(*) FROM ZTASK") == "\(count)\n", place)
            // If a run was killed when it was complete, the next run is a new one and reports the
            // links again.
            let found = try folder.shell(
                "cd rejects && find . -name '*.links.ndjson' -exec grep -H . {} + | sort")
            let named = found.output.split(separator: "\n").map(String.init)
            #expect(Set(named).count == named.count, place)
            let lines = try Self.lines(folder)
            let times = lines.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            #expect(Set(times.keys) == Set((1...count).map { Self.line($0, "n\($0)") }), place)
            #expect(Set(times.values).count == 1, place)
        }
        #expect(killed > 0, "seed \(seed)")
    }
}
