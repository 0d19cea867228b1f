import Diagnostics
import Files
import Foundation
import Testing

@testable import Pipelines

/// The location and number of reports, and failures to write them.
@Suite("Folders of reports")
struct ReportPlaceTests {
    private typealias Reports = RunReportTests

    @Test("keeps the newest reports, and other files in the folder")
    func rotation() throws {
        let folder = try Reports.folder(
            Reports.spec.replacing("stages:", with: "report: { to: reports, keep: 2 }\nstages:"))
        let others = [
            "nightly-20200101T000000Z.json", "nightly-tasks-20200101T000000Z-1.json", "x.json",
        ]
        for name in others { try folder.write("reports/\(name)", "{}") }
        try folder.write("reports/nightly-20200101T000000Z-99.json", "{}")
        try folder.write("reports/nightly-20200101T000000Z-99.html", "<p>")
        let now = Workspace.now
        for minute in 0..<4 {
            #expect(Reports.run(folder, now: now + Double(60 * minute)).outcome.status == .ok)
        }
        let own = (8...9).map { "nightly-20260304T050\($0)07Z-\(SystemProcess.number)" }
        #expect(
            folder.names("reports").filter { $0.hasSuffix(".json") }
                == (others + own.map { $0 + ".json" }).sorted())
        #expect(!folder.exists("reports/nightly-20200101T000000Z-99.html"))
    }

    @Test("keeps the report of the last success in addition to the newest reports")
    func lastSuccess() throws {
        let folder = try Reports.folder(
            Reports.spec.replacing("stages:", with: "report: { to: reports, keep: 2 }\nstages:"))
        let now = Workspace.now
        for minute in 0..<2 {
            #expect(Reports.run(folder, now: now + Double(60 * minute)).outcome.status == .ok)
        }
        for minute in 2..<5 {
            let partial = Reports.run(folder, now: now + Double(60 * minute)) { $0.only = "bump" }
            #expect(partial.outcome.status == .ok)
        }
        func reports(_ minutes: [Int]) -> [String] {
            minutes.map { minute in
                let digits = minute < 10 ? "0\(minute)" : "\(minute)"
                return "nightly-20260304T05\(digits)07Z-\(SystemProcess.number).json"
            }
        }
        func found() -> [String] { folder.names("reports").filter { $0.hasSuffix(".json") } }
        #expect(found() == reports([7, 9, 10]))
        #expect(Reports.run(folder, now: now + 300).outcome.status == .ok)
        #expect(found() == reports([10, 11]))
    }

    @Test("among runs of the same second, the newest is the one whose report was written last")
    func sameSecond() throws {
        let folder = try Reports.folder()
        // Process IDs vary in width, and wrap around.
        let runs = [
            "20260304T050606Z-5", "20260304T050607Z-9999", "20260304T050607Z-10000",
            "20260304T050607Z-301", "20260304T050608Z-4",
        ]
        let ages = [0, 30, 20, 10, 40]
        for (run, age) in zip(runs, ages) {
            let path = "runs/nightly-\(run).json"
            try folder.write(path, "{}")
            try FileManager.default.setAttributes(
                [.modificationDate: Workspace.now - Double(age)], ofItemAtPath: folder.path(path))
        }
        let reports = ReportFolder(path: folder.path("runs"), pipeline: "nightly")
        #expect(reports.runs == runs)
        #expect(reports.rotate(keeping: 2, with: runs[4]).isEmpty)
        #expect(reports.runs == runs.suffix(2))
        // A resumed run has an old name, and keeps the report that it has just written.
        #expect(reports.rotate(keeping: 1, with: runs[3]).isEmpty)
        #expect(reports.runs == [runs[3]])
    }

    @Test("removes partial reports of a killed run, and keeps all other files")
    func leftovers() throws {
        let folder = try Reports.folder()
        // No process has this ID.
        let dead = Int32.max
        let killed = [
            ".nightly-20260101T000000Z-7.json.\(dead)-0.part",
            ".nightly-20260101T000000Z-7.html.\(dead)-3.part",
        ]
        let others = [
            ".nightly-20260101T000000Z-7.json.\(SystemProcess.number)-9.part",
            ".nightly-tasks-20260101T000000Z-7.json.\(dead)-0.part",
            ".nightly-20260101T000000Z-7.csv.\(dead)-0.part", ".nightly-notes.json.\(dead)-0.part",
            ".nightly-20260101T000000Z-7.json.x-0.part", ".nightly.part",
            "nightly-20260101T000000Z-7.json.\(dead)-0.part",
        ]
        for name in killed + others { try folder.write("runs/\(name)", "{") }
        #expect(Reports.run(folder).outcome.status == .ok)
        let own = "nightly-20260304T050607Z-\(SystemProcess.number)"
        #expect(
            folder.names("runs")
                == (others + ["index.html", "\(own).html", "\(own).json"]).sorted())
    }

    @Test("warns if the default folder cannot be created, and fails if the spec names the folder")
    func unwritable() throws {
        let folder = try Reports.folder()
        try folder.write("runs", "a file, no folder")
        let run = Reports.run(folder)
        #expect(run.outcome.status == .ok)
        #expect(run.warnings == ["report.folder"])
        let named = try Reports.folder(
            Reports.spec.replacing("stages:", with: "report: { to: runs }\nstages:"))
        try named.write("runs", "a file, no folder")
        let refused = Reports.run(named)
        #expect(refused.outcome.status == .cannotCreate)
        #expect(refused.outcome.diagnostics.map(\.code) == ["report.folder"])
        // The problem was reported before any other work.
        #expect(!named.exists("store.sqlite"))
    }

    @Test(
        "--report writes a second copy; a run that cannot create it exits with 73 at once")
    func another() throws {
        let folder = try Reports.folder()
        let run = Reports.run(folder) { $0.reportFile = "last.json" }
        #expect(run.outcome.status == .ok)
        #expect(try folder.bytes("last.json").count > 1000)
        #expect(try folder.bytes("last.json") == folder.bytes("runs/" + folder.names("runs")[2]))
        try folder.write("a.ndjson", "{\"id\":null}\n{\"id\":null}\n{\"id\":null}\n")
        for place in ["model.yaml/x.json", "none/x.json"] {
            let refused = Reports.run(folder) { $0.reportFile = place }
            #expect(refused.outcome.status == .cannotCreate)
            #expect(refused.outcome.diagnostics.map(\.code) == ["report.folder"])
            #expect(refused.outcome.stages.isEmpty)
        }
        #expect(!folder.exists("none"))
    }

    @Test(
        "a report must not replace a file that its run uses, even if the run cannot begin",
        arguments: [
            "store.sqlite", "spec.yaml", "./model.yaml", "a.ndjson", "store.sqlite.etl-work",
        ], [true, false])
    func protected(_ file: String, _ begins: Bool) throws {
        let stages = begins ? Reports.spec : Reports.spec.replacing("size + 1", with: "size + x")
        let folder = try Reports.folder()
        #expect(Reports.run(folder).outcome.status == .ok)
        let tables = try folder.rows("SELECT ZID FROM ZTASK")
        for name in ["model.yaml", "a.ndjson"] {
            try folder.write(name + ".before", bytes: folder.bytes(name))
        }
        let metrics = stages.replacing("stages:", with: "report: { metrics: \(file) }\nstages:")
        for (spec, flag) in [(metrics, nil), (stages, file)] {
            try folder.write("spec.yaml", spec)
            let run = Reports.run(folder, now: Workspace.now + 60) { $0.reportFile = flag }
            #expect(run.outcome.status == (flag != nil && begins ? .usage : .configuration))
            #expect(
                run.outcome.diagnostics.filter { $0.code == "output.protected" }.count == 1,
                "\(run.outcome.diagnostics)")
            #expect(try folder.text("spec.yaml") == spec)
            #expect(try folder.rows("SELECT ZID FROM ZTASK") == tables)
            #expect(!folder.exists("store.sqlite.etl-work"))
            for name in ["model.yaml", "a.ndjson"] {
                #expect(try folder.bytes(name) == folder.bytes(name + ".before"))
            }
        }
    }

    @Test(
        "a run must not write two outputs to one file",
        arguments: [
            ("-", "-", 64), ("out/tasks.csv", "./out/../out/tasks.csv", 64), ("x", "y", 0),
            ("x", "m.prom", 64),
        ])
    func twice(_ export: String, _ flag: String, _ status: Int32) throws {
        let folder = try Reports.folder(
            Reports.spec.replacing("to: out/tasks.csv", with: "to: \"\(export)\", as: csv")
                .replacing("stages:", with: "report: { metrics: m.prom }\nstages:"))
        let run = Reports.run(folder) { $0.reportFile = flag }
        #expect(run.outcome.status.rawValue == status, "\(run.outcome.diagnostics)")
        #expect(
            run.outcome.diagnostics.map(\.code) == (status == 0 ? [] : ["output.twice"]))
        #expect(folder.exists("store.sqlite") == (status == 0))
    }

    @Test("a run fails with 78 if its metrics have the path of an export")
    func metricsTwice() throws {
        let folder = try Reports.folder(
            Reports.spec.replacing(
                "stages:", with: "report: { metrics: out/tasks.csv }\nstages:"))
        let run = Reports.run(folder)
        #expect(run.outcome.status == .configuration)
        #expect(run.outcome.diagnostics.map(\.code) == ["output.twice"])
    }

    @Test("metrics keep the last success after a failure")
    func metrics() throws {
        let folder = try Reports.folder(
            Reports.spec.replacing("stages:", with: "report: { metrics: m/etl.prom }\nstages:"))
        #expect(Reports.run(folder).outcome.status == .ok)
        let text = try folder.text("m/etl.prom")
        let first = text.split(separator: "\n").map(String.init)
        #expect(
            first.prefix(3) == [
                "# HELP etl_run_exit_code How the last run ended.",
                "# TYPE etl_run_exit_code gauge", "etl_run_exit_code{pipeline=\"nightly\"} 0",
            ])
        for line in [
            "etl_run_start_timestamp_seconds{pipeline=\"nightly\"} 1772600767.250",
            "etl_stage_records{pipeline=\"nightly\",stage=\"tasks\",outcome=\"read\"} 4",
            "etl_stage_records{pipeline=\"nightly\",stage=\"tasks\",outcome=\"rejected\"} 2",
            "etl_stage_rejects{pipeline=\"nightly\",stage=\"tasks\",code=\"cast\"} 1",
            "etl_stage_exported_rows{pipeline=\"nightly\",stage=\"export-task\"} 1",
            "etl_objects{pipeline=\"nightly\",entity=\"Task\",change=\"inserted\"} 2",
        ] {
            #expect(first.contains(line), "\(line)\n\(text)")
        }
        let name = "etl_run_last_success_timestamp_seconds{"
        let success = try #require(first.first { $0.hasPrefix(name) })
        try folder.write("a.ndjson", "{\"id\":null}\n{\"id\":null}\n{\"id\":null}\n")
        let failed = Reports.run(folder, now: Workspace.now + 3600)
        #expect(failed.outcome.status == .dataError)
        let second = try folder.text("m/etl.prom").split(separator: "\n").map(String.init)
        #expect(second.contains("etl_run_exit_code{pipeline=\"nightly\"} 65"))
        #expect(second.contains(success))
        // A run of a part of the spec does not count as a success of the pipeline.
        let part = Reports.run(folder, now: Workspace.now + 7200) { $0.only = "bump" }
        #expect(part.outcome.status == .ok)
        #expect(try folder.text("m/etl.prom").contains(success))
    }

    @Test(
        "a report has few, evenly spaced samples, however long the run is",
        arguments: [3, 240, 5000])
    func samples(_ count: Int) throws {
        let start = ContinuousClock.now
        var sampler = RunSampler(started: start)
        for step in 0...count * 10 {
            let now = start + .milliseconds(25 * step)
            guard sampler.isDue(now) else { continue }
            sampler.add("import tasks", records: step, at: now, memory: nil)
        }
        let samples = sampler.samples
        #expect(samples.count <= RunSampler.samplesMax)
        #expect(samples.count >= min(3, count))
        let gaps = zip(samples, samples.dropFirst()).map { $1.second - $0.second }
        #expect(gaps.allSatisfy { $0 > 0 })
        // The last gaps may be twice as large as those that were thinned.
        #expect(try #require(gaps.max()) <= 2.1 * #require(gaps.min()))
    }
}
