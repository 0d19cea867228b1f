import Diagnostics
import Files
import Foundation
import Synchronization
import Testing

@testable import Pipelines

/// The report of each run: its content, its location, and the runs without one.
@Suite("Reports of runs")
struct RunReportTests {
    static let spec = """
        etl: 1
        name: nightly
        params:
          in: { type: path, default: a.ndjson }
          token: { type: secret, from: ["env:TOKEN"] }
        store: { at: store.sqlite, model: model.yaml, open: create }
        rejects: { allow: 2 }
        stages:
          - { import: tasks, read: { files: "${in}" }, into: Task }
          - { update: bump, entity: Task, where: "size > 1 AND id != $token", set: { size: "size + 1" } }
          - { delete: small, entity: Task, where: "size == 1" }
          - { export: Task, to: out/tasks.csv }
          - { verify: some, expect: { Task: ">= 1" } }
        """
    static let records = """
        {"id":"1","size":1}
        {"id":"2","size":2,"more":true}
        {"id":"3","size":"much"}
        {"id":null}

        """

    static func folder(_ spec: String = RunReportTests.spec) throws -> Workspace {
        let folder = try Workspace()
        try folder.write("model.yaml", InputTests.model)
        try folder.write("a.ndjson", records)
        try folder.write("spec.yaml", spec)
        return folder
    }

    static func run(
        _ folder: Workspace, sets: [String] = [], now: Date = Workspace.now,
        _ configure: (inout RunOptions) -> Void = { _ in }
    ) -> (outcome: RunOutcome, warnings: [String]) {
        let warnings = Mutex<[String]>([])
        var options = RunOptions(
            sets: sets, environment: ["TOKEN": "s3cr3t"], workingFolder: folder.folder, now: now)
        configure(&options)
        let outcome = PipelineRunner(
            options: options, warn: { warning in warnings.withLock { $0.append(warning.code) } }
        ).run(folder.path("spec.yaml"))
        return (outcome, warnings.withLock { $0 })
    }

    /// Returns the newest report in a folder.
    static func report(_ folder: Workspace, in name: String = "runs") throws -> RunReport {
        let file = try #require(folder.names(name).last { $0.hasSuffix(".json") })
        return try JSONDecoder().decode(RunReport.self, from: Data(folder.bytes("\(name)/\(file)")))
    }

    @Test("the JSON report describes all stages, inputs, rejects, and messages of a run")
    func whole() throws {
        let folder = try Self.folder()
        let run = Self.run(folder)
        #expect(run.outcome.status == .ok, "\(run.outcome.diagnostics)")
        let name = "nightly-20260304T050607Z-\(SystemProcess.number)"
        #expect(folder.names("runs").contains(name + ".json"))
        var report = try Self.report(folder)
        #expect(report.store?.bytes == FileDescriptor.size(folder.path("store.sqlite")))
        #expect(report.store?.model?.count == 88)
        #expect(report.memoryPeak ?? 0 > 1 << 20)
        #expect(report.secondsElapsed > 0)
        #expect(report.samples.last?.stage == "verify some")
        // Values that differ between runs.
        report.store = nil
        report.memoryPeak = nil
        report.secondsElapsed = 0
        report.ended = ""
        report.samples = []
        for place in report.stages.indices {
            report.stages[place].secondsElapsed = nil
            report.stages[place].rowsPerSecond = nil
        }
        let text = report.json.compact
            .replacing(folder.folder, with: "DIR").replacing(report.run, with: "RUN")
        let nothing = #""extraFields":[],"inputs":[],"#
        let expected =
            #"{"attempts":1,"ended":"","exit":{"code":0,"meaning":"Every record was counted, "#
            + #"and no more records were rejected than allowed.","name":"OK"},"messages":[],"#
            + #""objects":[{"deleted":1,"entity":"Task","inserted":2,"updated":0}],"#
            + #""parameters":[{"name":"in","type":"path","value":"DIR/a.ndjson"},"#
            + #"{"name":"token","type":"secret","value":"***"}],"pipeline":"nightly","report":1,"#
            + #""run":"RUN","samples":[],"secondsElapsed":0,"spec":"DIR/spec.yaml","stages":["#
            + #"{"entity":"Task","extraFields":[{"name":"more","records":1}],"inputs":["#
            + #"{"bytes":89,"file":"DIR/a.ndjson","records":4,"sha256":"SHA"}],"kind":"import","#
            + #""name":"tasks","objects":["#
            + #"{"deleted":0,"entity":"Task","inserted":2,"updated":0}],"records":{"#
            + #""createdTargets":0,"filtered":0,"inserted":2,"nulledValues":0,"read":4,"#
            + #""rejected":2,"skipped":0,"superseded":0,"unchanged":0,"updated":0},"rejects":["#
            + #"{"code":"cast","count":1,"first":[{"byte":70,"column":19,"detail":"cast","#
            + #""field":"size","file":"DIR/a.ndjson","line":3,"message":"MESSAGE","record":3,"#
            + #""value":"much"}]},{"code":"key","count":1,"first":[{"byte":77,"column":1,"#
            + #""detail":"key","field":"id","file":"DIR/a.ndjson","line":4,"#
            + #""message":"MESSAGE","record":4}]}],"#
            + #""rejectsFolder":"DIR/rejects/nightly-RUN","state":"done"},"#
            + #"{"changed":1,"entity":"Task","# + nothing + #""kind":"update","matched":1,"#
            + #""name":"bump","objects":[{"deleted":0,"entity":"Task","inserted":0,"#
            + #""insertedBefore":1,"updated":1}],"#
            + #""rejects":[],"state":"done"},"#
            + #"{"changed":1,"entity":"Task","# + nothing + #""kind":"delete","matched":1,"#
            + #""name":"small","objects":[{"deleted":1,"entity":"Task","inserted":0,"updated":0}],"#
            + #""rejects":[],"state":"done"},"#
            + #"{"entity":"Task","# + nothing + #""kind":"export","name":"export-task","#
            + #""objects":[],"output":{"bytes":19,"file":"DIR/out/tasks.csv","rows":1},"#
            + #""rejects":[],"state":"done"},"#
            + #"{"# + nothing + #""kind":"verify","name":"some","objects":[],"rejects":[],"#
            + #""state":"done","verified":1}],"started":"2026-03-04T05:06:07.25Z","#
            + #""version":"0.1.0"}"#
        let plain = text.replacing(#/"message":"[^"]*"/#, with: #""message":"MESSAGE""#)
            .replacing(#/"sha256":"[0-9a-f]{64}"/#, with: #""sha256":"SHA""#)
        #expect(plain == expected)
        #expect(
            report.stages[0].inputs[0].sha256
                == "ccc389a6987bae7d7a6e0a5acc1baed0ca6adc396c237fbc5cc3f0ad44ba37a4")
    }

    @Test("the report of a failed run gives the state of each stage")
    func failed() throws {
        let folder = try Self.folder(
            Self.spec.replacing("allow: 2", with: "allow: 1")
                .replacing("name: nightly", with: "name: nightly\nreport: { to: reports }"))
        let run = Self.run(folder)
        #expect(run.outcome.status == .dataError)
        let report = try Self.report(folder, in: "reports")
        #expect(report.exit.code == 65)
        #expect(report.exit.name == "DATAERR")
        #expect(
            report.stages.map { "\($0.name) \($0.state)" } == [
                "tasks failed", "bump skipped", "small skipped", "export-task skipped",
                "some skipped",
            ])
        // The good records of a failed import were saved, and are reported.
        #expect(report.stages[0].records?.inserted == 2)
        #expect(report.stages[0].inputs.map(\.records) == [4])
        // The HTML report shows each reject once.
        let page = try folder.text(
            "reports/"
                + #require(folder.names("reports").first { $0.hasPrefix("nightly-") }))
        let rejects = report.stages[0].rejects.flatMap(\.first)
        #expect(rejects.count == 2)
        for reject in rejects {
            let words = Markup.escape(reject.message)
            #expect(page.components(separatedBy: words).count == 2, "\(words)")
        }
        #expect(report.stages[0].records?.isConserved == true)
        #expect(report.stages[0].rejects.map { "\($0.code) \($0.count)" } == ["cast 1", "key 1"])
        #expect(
            report.objects == [
                ObjectCounts(entity: "Task", inserted: 2, updated: 0, deleted: 0)
            ])
        #expect(report.messages.map(\.code) == ["cast", "key", "rejects.too-many"])
        #expect(report.messages[0].text.hasPrefix(folder.path("a.ndjson:3:")))
    }

    @Test(
        "a run that cannot begin has a report with its exit status and messages",
        arguments: [
            ("open: create", "open: existing", 66), ("id: { type", "id: { typ", 78),
            ("default: a.ndjson", "default: none.ndjson", 66),
            ("size + 1", "size + nothing", 78), ("to: out/tasks.csv", "to: a.ndjson", 78),
        ])
    func noBeginning(_ old: String, _ new: String, _ status: Int32) throws {
        let folder = try Self.folder(Self.spec.replacing(old, with: new))
        try folder.write("model.yaml", InputTests.model.replacing(old, with: new))
        #expect(Self.run(folder).outcome.status.rawValue == status)
        // The report is named after the run, so it is found, and deleted when it is old.
        let run = "20260304T050607Z-\(SystemProcess.number)"
        #expect(
            folder.names("runs") == ["index.html", "nightly-\(run).html", "nightly-\(run).json"])
        let report = try Self.report(folder)
        #expect(report.run == run)
        #expect(report.started == "2026-03-04T05:06:07.25Z")
        #expect(report.exit.code == status)
        #expect(!report.messages.isEmpty)
        #expect(report.stages.allSatisfy { [.skipped, .failed].contains($0.state) })
    }

    @Test(
        "the report shows discarded changes as discarded, not as done",
        arguments: [
            ("open: create, commit: run", "discarded", "discarded"),
            ("open: replace", "discarded", "discarded"),
            ("open: create, commit: stage", "done", "done"),
        ])
    func discarded(_ store: String, _ imported: String, _ bumped: String) throws {
        let folder = try Self.folder(
            Self.spec.replacing("open: create", with: store)
                .replacing(">= 1", with: "== 9")
                .replacing("name: nightly", with: "name: nightly\nreport: { metrics: m.prom }"))
        let run = Self.run(folder)
        #expect(run.outcome.status == .dataError)
        let report = try Self.report(folder)
        let isKept = imported == "done"
        #expect(
            report.stages.map { "\($0.name) \($0.state)" } == [
                "tasks \(imported)", "bump \(bumped)", "small \(bumped)", "export-task done",
                "some failed",
            ])
        #expect(report.objects.map(\.inserted) == (isKept ? [2] : []))
        let records = try #require(report.stages[0].records)
        #expect(records.isConserved && records.rejected == 2)
        #expect(records.inserted == (isKept ? 2 : 0) && records.discarded == (isKept ? nil : 2))
        #expect(report.stages[1].changed == (isKept ? 1 : nil))
        #expect(run.outcome.stages[0].objects.isEmpty == !isKept)
        let metrics = try folder.text("m.prom")
        #expect(metrics.contains("outcome=\"inserted\"} \(isKept ? 2 : 0)"))
        #expect(metrics.contains("outcome=\"discarded\"} 2") == !isKept)
        #expect(metrics.contains("etl_objects{") == isKept)
        #expect(ReportText.text(of: report).contains("4 read, 2 rejected, 2 discarded") == !isKept)
    }

    @Test("the line of a stage and the report show the time for indexes, unless it is short")
    func indexTime() throws {
        var stage = StageReport(kind: "delete", name: "old")
        (stage.matched, stage.changed, stage.secondsElapsed) = (5, 5, 2)
        stage.noteIndexes(seconds: 0.99)
        #expect(stage.indexSeconds == nil && stage.line().hasSuffix(" (2.0 s)"), "\(stage.line())")
        stage.noteIndexes(seconds: 4.5)
        #expect(stage.line().hasSuffix(" (2.0 s, indexes and links 4.5 s)"), "\(stage.line())")
        let folder = try Self.folder()
        #expect(Self.run(folder).outcome.status == .ok)
        var report = try Self.report(folder)
        #expect(!ReportText.text(of: report).contains("indexes and links"))
        report.stages[0].indexSeconds = 4.5
        #expect(ReportText.text(of: report).contains("indexes and links 4.5 s"))
    }

    @Test("a failed import into a discarded store is reported as having saved nothing")
    func discardedImport() throws {
        let folder = try Self.folder(
            Self.spec.replacing("open: create", with: "open: create, commit: stage")
                .replacing("allow: 2", with: "allow: 1"))
        #expect(Self.run(folder).outcome.status == .dataError)
        let report = try Self.report(folder)
        #expect(report.stages[0].state == .failed)
        #expect(report.stages[0].records?.inserted == 0)
        #expect(report.stages[0].records?.discarded == 2)
        #expect(report.objects == [])
        #expect(report.stages[0].rejects.map(\.count) == [1, 1])
    }

    @Test("a report masks secrets in every position, even truncated ones")
    func secrets() throws {
        let folder = try Self.folder(
            Self.spec.replacing("store.sqlite", with: "\"${token}.sqlite\"")
                .replacing("rejects: {", with: "rejects: { dir: \"${token}-rejects\","))
        let long = String(repeating: "x", count: 295) + "s3cr3t"
        try folder.write(
            "a.ndjson", #"{"id":"1","size":2}"# + "\n" + #"{"id":"2","size":"\#(long)"}"# + "\n")
        let old = "s3cr3t-rejects/nightly-20200101T000000Z-1"
        try folder.write("\(old)/x", "")
        // A file that cannot be removed causes a warning.
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o500], ofItemAtPath: folder.path(old))
        defer {
            try? FileManager.default.setAttributes(
                [.posixPermissions: 0o700], ofItemAtPath: folder.path(old))
        }
        let warnings = Mutex<[Diagnostic]>([])
        let options = RunOptions(
            environment: ["TOKEN": "s3cr3t"], workingFolder: folder.folder, now: Workspace.now)
        let outcome = PipelineRunner(
            options: options, warn: { warning in warnings.withLock { $0.append(warning) } }
        ).run(folder.path("spec.yaml"))
        #expect(outcome.status == .ok, "\(outcome.diagnostics)")
        let report = try Self.report(folder)
        #expect(report.store?.path == folder.path("***.sqlite"))
        #expect(report.stages[0].rejects[0].first[0].value?.hasSuffix("x***") == true)
        for name in folder.names("runs") {
            #expect(try !folder.text("runs/\(name)").contains("s3c"), "\(name)")
        }
        // root can remove everything.
        if getuid() != 0 {
            #expect(report.messages.map(\.code) == ["rejects.old"])
            #expect(
                warnings.withLock { $0 }.map(\.code) == ["rejects.old"]
                    && !"\(warnings.withLock { $0 })".contains("s3cr3t"))
        }
    }

    @Test("warnings mask secrets as soon as the secrets are bound")
    func maskedSecrets() throws {
        let folder = try Self.folder()
        let (spec, problems) = SpecificationFile.read(file: folder.path("spec.yaml"))
        #expect(problems.isEmpty)
        let (values, _) = ParameterValues.bind(
            try #require(spec),
            ParameterValues.Context(
                environment: ["TOKEN": "s3cr3t"], now: Workspace.now, workingFolder: "/"))
        #expect(values != nil)
        let warning = Diagnostic(
            .warning, code: "x", "at s3cr3t", at: .file("/s3cr3t"), fix: "s3cr3t", excerpt: "s3cr3t"
        )
        #expect(
            DiagnosticRenderer.text(warning) == """
                /***: warning: at *** [x]
                  ***
                  fix: ***
                """)
    }

    @Test("the HTML report shows the reject that stopped the run")
    func stopped() throws {
        let folder = try Self.folder(
            Self.spec.replacing("into: Task }", with: "into: Task, on: { cast: stop } }"))
        #expect(Self.run(folder).outcome.status == .dataError)
        let report = try Self.report(folder)
        #expect(report.messages.map(\.code) == ["cast"])
        let page = ReportPage.text(of: report)
        #expect(page.contains("<pre class=\"message error\">"))
    }

    @Test("a lock file that cannot be created fails the run with its own code and a report")
    func noLock() throws {
        let folder = try Self.folder()
        try folder.write("store.sqlite.etl-lock/x", "a folder, no file")
        #expect(Self.run(folder).outcome.status == .cannotCreate)
        #expect(try Self.report(folder).messages.map(\.code) == ["lock.file"])
    }

    @Test("each attempt of a run has its own report, and the totals include earlier attempts")
    func resumed() throws {
        let folder = try Self.folder()
        try folder.write("out", "a file, no folder")
        #expect(Self.run(folder).outcome.status == .cannotCreate)
        let first = try Self.report(folder)
        #expect(
            first.stages.map(\.state.rawValue) == ["done", "done", "done", "failed", "skipped"])
        try FileManager.default.removeItem(atPath: folder.path("out"))
        let run = Self.run(folder, now: Workspace.now + 60)
        #expect(run.outcome.status == .ok, "\(run.outcome.diagnostics)")
        #expect(folder.names("runs").filter { $0.hasSuffix(".json") }.count == 2)
        let report = try Self.report(folder)
        #expect(report.attempts == 2)
        #expect(report.run == first.run && report.attempt != report.run)
        #expect(report.attemptStarted == "2026-03-04T05:07:07Z")
        #expect(report.started == "2026-03-04T05:06:07.25Z")
        #expect(report.ended > "2026-03-04T05:07:07.25Z")
        #expect(
            report.stages.map(\.state.rawValue) == [
                "resumed", "resumed", "resumed", "done", "done",
            ])
        #expect(report.records == first.records)
        #expect(report.objects == first.objects)
        #expect(report.stages[0].inputs == first.stages[0].inputs)
        #expect(report.stages[0].rejects == first.stages[0].rejects)
    }

    @Test("a resumed import adds to the earlier counts, and to the rejects by code")
    func resumedImport() throws {
        let folder = try Self.folder(
            """
            etl: 1
            store: { at: store.sqlite, model: model.yaml, open: create }
            budget: { save-every: 1000 }
            rejects: { allow: 100% }
            stages: [{ import: tasks, read: { files: a.ndjson }, into: Task }]
            """)
        let lines = (0..<30_000).map { $0 % 100 == 7 ? "{\"id\":null}" : "{\"id\":\"\($0)\"}" }
        try folder.write("a.ndjson", lines.joined(separator: "\n") + "\n")
        let interruption = Interruption()
        let progress = RunProgress()
        let watcher = Thread {
            while progress.snapshot.records < 3000 { usleep(50) }
            interruption.request(signal: 15)
        }
        watcher.start()
        let options = RunOptions(workingFolder: "/", now: Workspace.now)
        let stopped = PipelineRunner(
            options: options, progress: progress, interruption: interruption
        ).run(folder.path("spec.yaml"))
        #expect(stopped.status == .terminated)
        let first = try Self.report(folder)
        #expect(first.stages.map(\.state) == [.stopped])
        let part = try #require(first.stages[0].records)
        #expect(part.read >= 3000 && part.read < 30_000 && part.isConserved)
        #expect(part.inserted + part.rejected == part.read)
        #expect(first.stages[0].rejects.map(\.count) == [part.rejected])
        #expect(Self.run(folder).outcome.status == .ok)
        let report = try Self.report(folder)
        let counts = try #require(report.stages[0].records)
        #expect(counts.read == 30_000 && counts.inserted == 29_700 && counts.rejected == 300)
        #expect(report.stages[0].rejects.map(\.count) == [300])
        #expect(report.stages[0].rejects[0].first.map(\.record) == [8, 108, 208, 308, 408])
        #expect(report.objects.map(\.inserted) == [29_700])
        #expect(report.stages[0].inputs.map(\.records) == [30_000])
    }

    @Test("a dry run, a usage error, and a locked store write no report")
    func none() throws {
        let folder = try Self.folder()
        #expect(Self.run(folder) { $0.isDry = true }.outcome.status == .ok)
        #expect(Self.run(folder) { $0.only = "nobody" }.outcome.status == .usage)
        let lock = try StoreLock.take(
            storePath: folder.path("store.sqlite"), pipeline: "other", started: "now", .fail,
            Interruption())
        #expect(lock != nil)
        #expect(Self.run(folder).outcome.status == .temporaryFailure)
        #expect(Self.run(folder) { $0.ifLocked = .skip }.outcome.status == .ok)
        #expect(!folder.exists("runs"))
        withExtendedLifetime(lock) {}
    }

    @Test("a dry run ignores the lock of another run unless --if-locked is set")
    func dryRunIgnoresLock() throws {
        let folder = try Self.folder()
        #expect(Self.run(folder).outcome.status == .ok)
        var lock = try StoreLock.take(
            storePath: folder.path("store.sqlite"), pipeline: "other", started: "now", .fail,
            Interruption())
        func plan(_ policy: RunOptions.LockedPolicy?) -> RunOutcome {
            Self.run(folder) { options in
                options.isDry = true
                options.ifLocked = policy
            }.outcome
        }
        #expect(plan(nil).status == .ok)
        #expect(plan(nil).difference != nil)
        let refused = plan(.fail)
        #expect(refused.status == .temporaryFailure)
        #expect(refused.diagnostics.map(\.code) == ["lock.held"])
        let skipped = plan(.skip)
        #expect(skipped.status == .ok && skipped.difference == nil && skipped.stages.isEmpty)
        #expect(plan(.wait(seconds: 0)).status == .temporaryFailure)
        withExtendedLifetime(lock) {}
        lock = nil
        #expect(plan(.fail).difference != nil)
        #expect(plan(.wait(seconds: 5)).difference != nil)
    }
}
