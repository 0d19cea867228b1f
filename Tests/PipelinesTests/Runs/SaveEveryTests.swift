import Testing

@testable import Pipelines

/// The number of saves of an import, according to the store's history.
@Suite("Saves")
struct SaveEveryTests {
    private let folder: Workspace
    /// Options without saves while the input pauses.
    private var decoding: DecodingOptions {
        var decoding = Workspace.separateThread
        decoding.savesAtPause = false
        return decoding
    }

    init() throws {
        folder = try Workspace()
    }

    private func run(
        _ lines: [String], model: String = InputTests.model, saveEvery: Int = 100,
        _ stage: String = "into: Task"
    ) throws -> Run {
        try folder.write("a.ndjson", lines.joined(separator: "\n"))
        try folder.write("model.yaml", model)
        return try folder.run(
            """
            etl: 1
            store: { at: store.sqlite, model: model.yaml, open: create, history: { keep: 7d } }
            budget: { save-every: \(saveEvery) }
            stages: [{ import: a.ndjson, \(stage) }]
            """, decoding: decoding)
    }

    /// Returns the number of changes in the history for each save of the last run.
    private func changes(after earlier: Int = 0) throws -> [String] {
        try folder.rows(
            "SELECT count(*) FROM ACHANGE GROUP BY ZTRANSACTIONID HAVING ZTRANSACTIONID > \(earlier)"
                + " ORDER BY ZTRANSACTIONID")
    }

    private func saves() throws -> Int {
        Int(try folder.rows("SELECT max(ZTRANSACTIONID) FROM ACHANGE")[0]) ?? 0
    }

    private func tasks(_ size: (Int) -> Int) -> [String] {
        (0..<2000).map { "{\"id\":\"\($0)\",\"size\":\(size($0))}" }
    }

    @Test(
        "saves after each N records, even for small N", arguments: [1, 7, 64, 100, 1000])
    func newRecords(_ count: Int) throws {
        let run = try run((1...200).map { "{\"id\":\"\($0)\"}" }, saveEvery: count)
        #expect(run.lines == ["import import-a: 200 read, 200 inserted"])
        let whole = Array(repeating: "\(count)", count: 200 / count)
        #expect(try changes() == whole + (200 % count > 0 ? ["\(200 % count)"] : []))
    }

    // Of 100 records, 5 change something and count for 5; the others count for 10. So 700 records
    // count for about 100 changes.
    @Test("a record that changes nothing counts as a tenth of a record until the next save")
    func unchanged() throws {
        _ = try run(tasks { _ in 1 })
        let earlier = try saves()
        #expect(
            try run(tasks { $0.isMultiple(of: 20) ? 2 : 1 }).lines == [
                "import import-a: 2,000 read, 100 updated, 1,900 unchanged"
            ])
        #expect(try changes(after: earlier) == ["35", "35", "30"])
    }

    @Test(
        "a record that is skipped or filtered counts as a tenth of a record",
        arguments: [
            ("into: Task, when-found: skip", "1,900 skipped"),
            ("into: Task, keep-if: \"size == 2\"", "1,900 filtered"),
        ])
    func leftAlone(_ stage: String, _ count: String) throws {
        _ = try run(tasks { _ in 1 }.enumerated().filter { $0.offset % 20 > 0 }.map(\.element))
        let earlier = try saves()
        let again = try run(tasks { $0.isMultiple(of: 20) ? 2 : 1 }, stage)
        #expect(again.lines == ["import import-a: 2,000 read, 100 inserted, \(count)"])
        #expect(try changes(after: earlier) == ["35", "35", "30"])
    }

    @Test("an unchanged record counts fully if its nested objects change")
    func objectsInside() throws {
        let model = """
            model: 1
            entities:
              Order:
                attributes: { id: { type: String, optional: false } }
                relationships: { lines: { to: Line, many: true, inverse: order } }
                unique: [[id]]
              Line:
                attributes: { id: { type: String, optional: false }, qty: Integer 32 }
                relationships: { order: { to: Order, inverse: lines } }
                unique: [[id]]
            """
        let stage = "into: Order, link: { lines: { each: \"lines[*]\", key: id } }"
        func orders(_ quantity: Int) -> [String] {
            (0..<300).map {
                "{\"id\":\"\($0)\",\"lines\":[{\"id\":\"\($0)\",\"qty\":\(quantity)}]}"
            }
        }
        _ = try run(orders(1), model: model, stage)
        let earlier = try saves()
        #expect(
            try run(orders(2), model: model, stage).lines == [
                "import import-a: 300 read, 300 unchanged; Line: 300 updated"
            ])
        #expect(try changes(after: earlier) == ["100", "100", "100"])
        let later = try saves()
        _ = try run(orders(2), model: model, stage)
        #expect(try changes(after: later) == [])
    }

    // A page holds about 10 of these tasks, and the cache holds 5,400 pages.
    @Test("saves smaller parts if scattered changes exceed the page cache")
    func scattered() throws {
        let notes = String(repeating: "n", count: 300)
        let spec = """
            etl: 1
            store: { at: store.sqlite, model: model.yaml, open: create, history: { keep: 7d } }
            budget: { save-every: 20000, bytes: 1GiB, memory: 32MiB }
            stages: [{ import: a.ndjson, into: Task, key: id }]
            """
        let model = """
            model: 1
            entities:
              Task:
                attributes: { id: { type: Integer 32, optional: false }, size: Integer 32, notes: String }
                unique: [[id]]
            """
        func lines(_ size: Int, _ keys: some Sequence<Int>) -> String {
            keys.map { "{\"id\":\($0),\"size\":\(size),\"notes\":\"\(notes)\"}" }
                .joined(separator: "\n")
        }
        let count = 60_000
        try folder.write("model.yaml", model)
        try folder.write("a.ndjson", lines(1, 0..<count))
        _ = try folder.run(spec, decoding: decoding)
        let earlier = try saves()
        // Here, tasks with adjacent rows are far apart in the input.
        try folder.write("a.ndjson", lines(2, (0..<count).lazy.map { $0 * 7919 % count }))
        #expect(
            try folder.run(spec, decoding: decoding).lines == [
                "import import-a: 60,000 read, 60,000 updated"
            ])
        let parts = try changes(after: earlier).compactMap { Int($0) }
        #expect(parts.reduce(0, +) == count)
        #expect(try #require(parts.first) >= 20_000)
        #expect(parts.count > 6, "\(parts)")
    }
}
