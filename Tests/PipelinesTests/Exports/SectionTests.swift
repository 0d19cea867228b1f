import Diagnostics
import Foundation
import SQLite
import Synchronization
import TestSeeds
import Testing

@testable import Pipelines

/// Unordered records are written in the order of their objects' rows, which changes only the time.
@Suite("Sections in the order of rows")
struct SectionTests {
    static let model = """
        model: 1
        entities:
          Task:
            attributes:
              id: { type: Integer 32, optional: false }
              title: { type: String, pattern: "[^z]*" }
              size: { type: Integer 32, optional: false, range: ..90 }
              done: { type: Boolean, default: false }
              data: Binary
            relationships:
              owner: { to: Person, inverse: tasks }
              tags: { to: Tag, many: true, inverse: tasks }
            unique: [[id]]
          Person:
            attributes: { name: { type: String, optional: false } }
            relationships: { tasks: { to: Task, many: true, inverse: owner } }
            unique: [[name]]
          Tag:
            attributes: { name: { type: String, optional: false } }
            relationships: { tasks: { to: Task, many: true, inverse: tags } }
            unique: [[name]]
        """
    static let first = """
        - import: first
          read: { files: "first.ndjson" }
          into: Task
          link:
            owner: { by: { name: owner }, missing: create }
            tags: { by: { name: "tags[*]" }, missing: create }
        """

    /// Random records of tasks, of which the first 900 already exist.
    struct Records {
        var random: SeededGenerator

        mutating func below(_ limit: Int) -> Int { random.pick(limit) }

        mutating func record(_ id: Int) -> String {
            let names = ["a", "b\\n", "\\u00e9é", "", "zz"]
            // One in fifty is rejected for its title, or for a person that does not exist.
            let title = names[below(50) == 0 ? 4 : below(4)]
            let owner = below(40) == 0 ? "\"nobody\"" : below(9) == 0 ? "null" : "\"p\(below(5))\""
            var fields = ["\"id\":\(below(60) == 0 ? "null" : "\(id)")", "\"title\":\"\(title)\""]
            if below(30) > 0 { fields.append("\"size\":\(below(95))") }
            if below(3) > 0 { fields.append("\"owner\":\(owner)") }
            if below(3) > 0 {
                let tags = (0..<below(4)).map { _ in "\"t\(below(4))\"" }
                fields.append("\"tags\":[\(tags.joined(separator: ","))]")
            }
            if below(4) == 0 { fields.append("\"done\":\(below(2) == 0),\"data\":\"AAEC\"") }
            let record = "{\(fields.joined(separator: ", "))}"
            return below(80) == 0 ? String(record.dropLast()) : record
        }

        /// - Parameter hot: The number of tasks to which the records are limited; `nil` for no
        /// limit.
        mutating func text(_ count: Int, ids: Int, hot: Int?) -> String {
            (0..<count).map { _ in
                // Not consecutive tasks, which are found without a lookup.
                record(hot.map { below($0) * ids / $0 } ?? below(ids)) + "\n"
            }.joined()
        }
    }

    /// Returns a folder with a store of 900 tasks and three unordered files.
    static func folder(
        seed: UInt64, _ settings: String, new: Int = 60, count: Int = 1500, hot: Int? = nil
    ) throws -> Workspace {
        let folder = try Workspace()
        var records = Records(random: SeededGenerator(seed: seed))
        let all = (0..<900).map {
            #"{"id":\#($0),"size":\#($0 % 7),"owner":"p\#($0 % 5)","tags":["t\#($0 % 4)"]}"#
        }
        try folder.write("first.ndjson", all.joined(separator: "\n"))
        try folder.write("in1.ndjson", records.text(count, ids: 900 + new, hot: hot))
        try folder.write("in2.ndjson", records.text(count / 5, ids: 900 + new, hot: hot))
        try folder.writeGzip(
            "in3.ndjson.gz", records.text(count / 2, ids: 900 + 2 * new, hot: hot))
        let run = try folder.run(model: model, first)
        #expect(run.status == .ok, "\(run.text)")
        try writeSpec(in: folder, settings)
        return folder
    }

    static func writeSpec(
        in folder: Workspace, _ settings: String, rejects: String = "{ allow: 100%, abort: 100% }"
    ) throws {
        try folder.write(
            "spec.yaml",
            """
            etl: 1
            store: { at: store.sqlite, model: model.yaml, history: { keep: 7d } }
            budget: { save-every: 40 }
            rejects: \(rejects)
            stages:
              - import: again
                read: { files: "in*.ndjson*" }
                into: Task
                \(settings)
            """)
    }

    static let links = """
        link:
              owner: { by: { name: owner }, missing: reject }
              tags: { by: { name: "tags[*]" }, missing: create }
        """

    /// All results of a run, regardless of the order in which it wrote them.
    struct Outcome: Equatable {
        var lines: [String]
        var tasks: [String]
        var tags: [String]
        var rejected: [String]
        var reasons: [String]

        /// Returns the elements in which two outcomes differ.
        func difference(from other: Outcome) -> [String] {
            zip(
                [lines, tasks, tags, rejected, reasons],
                [other.lines, other.tasks, other.tags, other.rejected, other.reasons]
            ).flatMap { ours, theirs in
                Set(ours).subtracting(theirs).sorted().prefix(3).map { "+ " + $0 }
                    + Set(theirs).subtracting(ours).sorted().prefix(3).map { "- " + $0 }
            }
        }
    }

    static func options(sorts: Bool) -> RunOptions {
        var options = RunOptions(workingFolder: "/", now: Workspace.now)
        options.decoding = Workspace.separateThread
        options.decoding.chunkBytes = 2048
        options.decoding.sortsByRow = sorts
        options.decoding.savesAtPause = false
        return options
    }

    static func outcome(_ run: RunOutcome, _ folder: Workspace) throws -> Outcome {
        #expect(run.status == .ok, "\(run.diagnostics)")
        let files = try folder.rejects()
        func lines(_ isReasons: Bool) -> [String] {
            files.filter { $0.key.hasSuffix(".why.ndjson") == isReasons }
                .flatMap { name, text in text.split(separator: "\n").map { "\(name) \($0)" } }
                // The position of a number in a spooled record is unknown.
                .map { line in
                    guard line.contains("\"duplicate\"") else { return line }
                    return line.replacing(/"(column|byte)":\d+,?/, with: "")
                }
                .sorted()
        }
        return Outcome(
            lines: Run(outcome: run, folder: folder.folder, warnings: []).lines,
            tasks: try folder.rows(
                "SELECT t.*, hex(ZDATA), p.ZNAME FROM ZTASK t LEFT JOIN ZPERSON p"
                    + " ON p.Z_PK = ZOWNER ORDER BY t.Z_PK"
            )
            // The version counts the saves, which have other records.
            .map { $0.replacing(/^(\d+\|\d+)\|\d+/) { $0.output.1 } },
            tags: try folder.rows(
                "SELECT x.*, ZNAME FROM Z_2TASKS x JOIN ZTAG g ON g.Z_PK = Z_2TAGS ORDER BY 1, 2"),
            rejected: lines(false), reasons: lines(true))
    }

    static func run(
        _ folder: Workspace, sorts: Bool = true, _ interruption: Interruption = Interruption(),
        progress: RunProgress = RunProgress(),
        warn: @escaping @Sendable (Diagnostic) -> Void = { _ in },
        stageEnded: @escaping @Sendable (EndedStage) -> Void = { _ in }
    ) -> RunOutcome {
        PipelineRunner(
            options: options(sorts: sorts), progress: progress, interruption: interruption,
            warn: warn, stageEnded: stageEnded
        ).run(folder.path("spec.yaml"))
    }

    /// Returns how often the changed rows are out of order.
    static func descents(_ folder: Workspace) throws -> Int {
        let keys = try folder.rows(
            "SELECT ZENTITYPK FROM ACHANGE WHERE ZCHANGETYPE = 1 AND ZENTITY ="
                + " (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Task')"
                + " ORDER BY ZTRANSACTIONID, Z_PK"
        ).compactMap(Int.init)
        return zip(keys, keys.dropFirst()).count { $0 > $1 }
    }

    static let settings = [
        links, "duplicates: first\n    " + links, "duplicates: reject\n    " + links,
        "when-found: replace\n    " + links, "when-found: skip", "when-same: touch",
        "keep-if: \"size != 3\"",
    ]

    @Test("sections give the same result as records in their own order", arguments: settings)
    func sameOutcome(_ settings: String) throws {
        for seed in 0..<6 {
            let seed = TestSeed.ofThisRun &+ UInt64(seed)
            let new = [0, 60, 2000][Int(seed % 3)]
            var outcomes: [Outcome] = []
            for sorts in [false, true] {
                let folder = try Self.folder(seed: seed, settings, new: new)
                outcomes.append(try Self.outcome(Self.run(folder, sorts: sorts), folder))
            }
            #expect(outcomes[1].difference(from: outcomes[0]) == [], "ETL_TEST_SEED=\(seed)")
        }
    }

    @Test("unordered records are written in the order of their rows")
    func order() throws {
        var descents: [Int] = []
        for sorts in [false, true] {
            let folder = try Self.folder(seed: 3, Self.links, count: 4000)
            #expect(Self.run(folder, sorts: sorts).status == .ok)
            descents.append(try Self.descents(folder))
        }
        // Within a save, the store reports rows in order: one descent per save.
        #expect(descents[0] > 80)
        #expect(descents[1] * 3 < descents[0] * 2, "\(descents)")
    }

    @Test(
        "sections resume where they were stopped in each of several attempts", arguments: [nil, 30])
    func stopped(hot: Int?) throws {
        var inSections = 0
        var placesTold = 0
        for seed in 0..<3 {
            let seed = TestSeed.ofThisRun &+ UInt64(seed)
            let folder = try Self.folder(seed: seed, Self.links, count: 3000, hot: hot)
            let clock = ContinuousClock()
            let start = clock.now
            let expected = try Self.outcome(Self.run(folder), folder)
            // An attempt gets up to a fraction of that time, whatever the machine and its speed.
            let whole = (clock.now - start).components
            let longest = Int(whole.seconds * 1000 + whole.attoseconds / 1_000_000_000_000_000)
            var random = SeededGenerator(seed: seed)
            let again = try Self.folder(seed: seed, Self.links, count: 3000, hot: hot)
            var attempts = 0
            while attempts < 400 {
                attempts += 1
                let interruption = Interruption()
                let limit = random.pick(4) == 0 ? 0 : random.pick(max(40, longest * 2 / 3))
                interruption.limit(to: .milliseconds(limit))
                let told = Mutex<RecordCounts?>(nil)
                let run = Self.run(
                    again, interruption,
                    stageEnded: { stage in told.withLock { $0 = stage.report.records } })
                guard run.status == .temporaryFailure else {
                    let outcome = try Self.outcome(run, again)
                    #expect(outcome.difference(from: expected) == [], "ETL_TEST_SEED=\(seed)")
                    #expect(run.attempts == attempts)
                    break
                }
                guard try again.hasSection else { continue }
                inSections += 1
                let counts = told.withLock { $0 } ?? RecordCounts()
                #expect(
                    counts.ends.reduce(0) { $0 + $1.count } == counts.read,
                    "ETL_TEST_SEED=\(seed): \(counts)")
                let fix = run.diagnostics.last?.fix ?? ""
                if fix.contains(" from there are written up to row ") { placesTold += 1 }
            }
            #expect(attempts < 400, "ETL_TEST_SEED=\(seed)")
        }
        #expect(inSections > 0, "ETL_TEST_SEED=\(TestSeed.ofThisRun)")
        #expect(placesTold > 0, "ETL_TEST_SEED=\(TestSeed.ofThisRun)")
    }
}

extension Workspace {
    /// Whether a run was stopped after it wrote part of a section.
    fileprivate var hasSection: Bool {
        get throws {
            // The file does not exist before something has changed.
            guard !exists("store.sqlite.etl-progress") else { return false }
            let connection = try Connection(path: path("store.sqlite"), mode: .readOnly)
            let count = try connection.integer(
                "SELECT count(*) FROM ETL_PROGRESS WHERE KIND = 'stage'"
                    + " AND CAST(VALUE AS TEXT) LIKE '%writtenUpTo%'")
            return count == 1
        }
    }
}
