import Foundation
import TestSeeds
import Testing

/// `etl replay`, killed at random moments and replayed again.
@Suite("Replay, killed", .tags(.slow))
struct ReplayKillTests {
    static let spec = """
        etl: 1
        store: { at: store.sqlite, model: model.yaml, open: create }
        budget: { save-every: 64 }
        rejects: { allow: 100%, abort: 100% }
        stages:
          - import: log
            read: { files: log.ndjson }
            into: Entry
            when-found: append
            link: { owner: { by: { name: owner } } }
          - import: sizes
            read: { files: sizes.csv }
            into: Size
            link: { owner: { by: { name: owner } } }
        """
    static let model = """
        model: 1
        entities:
          Entry:
            attributes: { number: { type: Integer 32, optional: false } }
            relationships: { owner: { to: Owner, inverse: entries } }
          Size:
            attributes: { id: { type: Integer 32, optional: false } }
            relationships: { owner: { to: Owner, inverse: sizes } }
            unique: [[id]]
          Owner:
            attributes: { name: { type: String, optional: false } }
            relationships:
              entries: { to: Entry, many: true, inverse: owner }
              sizes: { to: Size, many: true, inverse: owner }
            unique: [[name]]
        """

    /// Every third record has an invalid number, and remains rejected.
    static func folder() throws -> FailureFolder {
        let folder = try FailureFolder()
        try folder.write("model.yaml", model)
        try folder.write("spec.yaml", spec)
        var (log, sizes) = ("", "id,owner\n")
        for number in 0..<1500 {
            let value = number % 3 == 0 ? "\"x\(number)\"" : "\(number)"
            log += "{\"number\":\(value),\"owner\":\"ann\"}\n"
            sizes += "\(number % 3 == 0 ? "x" : "")\(number),ann\n"
        }
        try folder.write("log.ndjson", log)
        try folder.write("sizes.csv", sizes)
        try folder.write("owners.ndjson", "{\"name\":\"ann\"}\n")
        try folder.write(
            "owners.yaml",
            """
            etl: 1
            store: { at: store.sqlite }
            stages: [{ import: owners.ndjson, into: Owner }]
            """)
        return folder
    }

    @Test("a killed replay loses no record and imports none twice, even without a key")
    func killed() throws {
        let folder = try Self.folder()
        let seed = TestSeed.ofThisRun
        var random = SeededGenerator(seed: seed)
        var killed = 0
        for round in 0..<8 {
            try folder.shell("rm -rf store.sqlite* rejects")
            #expect(try folder.run().status == 0)
            #expect(try folder.run(spec: "owners.yaml").status == 0)
            let name = try #require(folder.names("rejects").first)
            var status: Int32 = 137
            for attempt in 0..<5 where status == 137 {
                let killer =
                    attempt == 4
                    ? ":" : "sleep 0.\(100 + random.pick(300)); kill -KILL $run 2> /dev/null"
                let result = try folder.shell(
                    """
                    "$E" replay rejects/\(name) & run=$!
                    ( \(killer) ) &
                    wait $run
                    """)
                status = result.status
                if status == 137 { killed += 1 }
            }
            let place = Comment("seed \(seed), round \(round)")
            // Records that cannot be corrected remain. If a replay was already complete when it was
            // killed, the next one is a new replay with the same result.
            #expect(status == 0, place)
            for (table, column) in [("ZENTRY", "ZNUMBER"), ("ZSIZE", "ZID")] {
                let counts = try folder.query(
                    "SELECT count(*) || ' ' || count(DISTINCT \(column)) FROM \(table)")
                #expect(
                    counts.trimmingCharacters(in: .whitespacesAndNewlines) == "1000 1000", place)
            }
            let files = folder.names("rejects/\(name)").filter { !$0.hasPrefix(".") }
            #expect(
                files.map { file in
                    "\(file) \(folder.text("rejects/\(name)/\(file)").split(separator: "\n").count)"
                } == [
                    "log.log.ndjson 500", "log.log.ndjson.why.ndjson 500", "sizes.sizes.csv 501",
                    "sizes.sizes.csv.why.ndjson 500",
                ], place)
            let left = try folder.shell("ls -A rejects/\(name) | grep -c '^.replay'")
            #expect(left.output.trimmingCharacters(in: .whitespacesAndNewlines) == "0", place)
        }
        #expect(killed > 0, "seed \(seed)")
    }
}
