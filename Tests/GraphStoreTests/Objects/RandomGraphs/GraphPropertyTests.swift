import Foundation
import GraphModel
import SQLite
import TestSeeds
import Testing

@testable import GraphStore

/// Random changes, saves, rollbacks, and undos, in two contexts and their children, checked against
/// `GraphOracle`.
///
/// Other contexts and batch requests change the store at the same time. `GRAPHSTORE_SEQUENCES` sets
/// the number of sequences. A failure names the seed; see `TestSeed`.
@Suite("Random object graphs") struct GraphPropertyTests {
    private static let streams = 8
    private static let sequences = setting("GRAPHSTORE_SEQUENCES") ?? 10_000
    private static let seed = TestSeed.ofThisRun

    private static func setting(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    @Test(
        "rows 38, 42, 54-62, 64, 103, 105, 107, 108: contexts and the file match the oracle",
        arguments: 0..<streams)
    func sequences(stream: Int) throws {
        let count = (Self.sequences + Self.streams - 1) / Self.streams
        var done = 0
        var round = 0
        while done < count {
            // Creates a new store now and then, so that most graphs are small.
            try withStore(objectModel) { store in
                let seed = Self.seed &* 100_000 &+ UInt64(stream) &* 10_000 &+ UInt64(round)
                var run = GraphRun(store, seed: seed)
                for _ in 0..<min(50, count - done) {
                    run.sequence()
                    done += 1
                    guard run.problem == nil else { break }
                }
                #expect(
                    run.problem == nil,
                    "ETL_TEST_SEED=\(Self.seed), stream \(stream), store \(round): \(run.log.suffix(30))"
                )
                try checkLinks(store)
                if run.problem != nil { done = count }
            }
            round += 1
        }
    }

    /// In a store with one column for the one-to-one relationship, both sides follow the oracle.
    @Test(
        "a one-to-one relationship behaves the same with one column as with two",
        arguments: ["ZTASK.ZPLAN", "ZPLAN.ZTASK"])
    func oneColumn(dropped: String) throws {
        for round in 0..<max(1, Self.sequences / 1000) {
            let store = try TestStore(model(objectModel), without: [dropped])
            let seed = Self.seed &* 100_000 &+ 90_000 &+ UInt64(round)
            var run = GraphRun(store, seed: seed)
            for _ in 0..<50 where run.problem == nil { run.sequence() }
            #expect(
                run.problem == nil,
                "ETL_TEST_SEED=\(Self.seed), \(dropped), store \(round): \(run.log.suffix(30))")
            let kept = dropped == "ZTASK.ZPLAN" ? ("ZPLAN", "ZTASK") : ("ZTASK", "ZPLAN")
            try store.expect(
                "SELECT \(kept.1) FROM \(kept.0) WHERE \(kept.1) NOT NULL AND (\(kept.1) NOT IN"
                    + " (SELECT Z_PK FROM \(kept.1)) OR \(kept.1) IN (SELECT x.\(kept.1)"
                    + " FROM \(kept.0) x WHERE x.Z_PK <> \(kept.0).Z_PK))", [])
            try store.checkIntegrity()
        }
    }

    /// Expects that both sides of every link agree in the file.
    private func checkLinks(_ store: TestStore) throws {
        try store.expect(
            "SELECT p.Z_PK FROM ZPLAN p WHERE p.ZTASK IS NOT (SELECT t.Z_PK FROM ZTASK t"
                + " WHERE t.ZPLAN = p.Z_PK)", [])
        for column in ["CATEGORY", "PROJECT", "PLAN", "PARENT"] {
            let table = column == "PARENT" ? "TASK" : column
            try store.expect(
                "SELECT Z_PK FROM ZTASK WHERE Z\(column) NOT NULL"
                    + " AND Z\(column) NOT IN (SELECT Z_PK FROM Z\(table))", [])
        }
        try store.expect(
            "SELECT Z_PK FROM ZTASK WHERE (ZPROJECT IS NULL) <> (Z_FOK_PROJECT IS NULL)", [])
        let join = try store.joinTable("tags", of: "Task")
        try store.expect(
            "SELECT 1 FROM \(join.table) WHERE \(join.ownerColumn) NOT IN (SELECT Z_PK FROM ZTASK)"
                + " OR \(join.destinationColumn) NOT IN (SELECT Z_PK FROM ZTAG)", [])
    }
}
