import Foundation
import GraphModel
import Testing

@testable import GraphStore

/// Figures, printed; run with `GRAPHSTORE_FIGURES=1` and `-c release -Xswiftc -enable-testing`.
@Suite(
    "Fetch benchmarks",
    .enabled(
        if: ProcessInfo.processInfo.environment["GRAPHSTORE_FIGURES"] == "1",
        "GRAPHSTORE_FIGURES is not 1"), .serialized)
struct FetchFigures {
    private let entities = """
        Row:
          attributes:
            key: { type: String, optional: false }
            text: String
            number: Integer 64
          unique: [[key]]
        """

    /// Returns the resident memory of this process, in bytes.
    private func residentBytes() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
        let kilobytes = line.split(separator: " ").compactMap { Int($0) }.first
        return try #require(kilobytes) * 1024
    }

    private func filled(_ count: Int) throws -> TestStore {
        let store = try TestStore(entities)
        let context = store.context()
        let plan = BulkPlan(entity: "Row", key: ["key"], attributes: ["key", "text", "number"])
        let writer = try context.bulkWriter(for: plan)
        let batch = RowBatch(width: plan.width)
        for start in stride(from: 0, to: count, by: 1000) {
            batch.removeAll()
            for number in start..<start + 1000 {
                batch.add([
                    .text("key \(number)"), .text("some text of row \(number)"),
                    .integer(Int64(number)),
                ])
            }
            try writer.apply(batch, firstToken: 1)
        }
        try writer.finish()
        try context.save()
        return store
    }

    @Test("rows 66, 75: a cursor over a million rows uses constant memory")
    func cursorMemory() throws {
        let count = 1_000_000
        let store = try filled(count)
        for (name, isDirty) in [("clean", false), ("with pending changes", true)] {
            let context = store.context()
            if isDirty {
                for object in try context.fetch(
                    FetchRequest<ManagedObject>(entityName: "Row").limit(1000))
                {
                    object[.integer("number")] = 5
                }
            }
            let cursor = try context.cursor(
                FetchRequest<ManagedObject>(entityName: "Row"))
            var sum = 0
            var seen = 0
            var early = 0
            var largest = 0
            let start = ContinuousClock.now
            while let chunk = try cursor.nextChunk() {
                for object in chunk { sum += object[.integer("number")] ?? 0 }
                seen += chunk.count
                if seen == 500_000 { early = try residentBytes() }
                if seen >= 500_000, seen % 100_000 == 0 {
                    largest = max(largest, try residentBytes())
                }
            }
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            print(
                "cursor, \(name): \(seen) rows,",
                String(format: "%.2f us a row,", seconds * 1_000_000 / Double(seen)),
                "resident \(early >> 10) KiB at 500,000, at most \(largest >> 10) KiB", sum)
            #expect(seen == count)
            #expect(largest - early < 8 << 20)
        }
        let context = store.context()
        let before = try residentBytes()
        let page = try context.fetchPage(FetchRequest<ManagedObject>(entityName: "Row"))
        print("page of \(page.count): \((try residentBytes() - before) >> 10) KiB")
    }
}
