import Diagnostics
import Files
import Foundation
import Testing

@testable import Pipelines

/// The status of a pipeline according to its reports, its lock, and its store.
@Suite("Status of pipelines")
struct PipelineStatusTests {
    private typealias Reports = RunReportTests

    private static func status(_ folder: Workspace) throws -> PipelineStatus {
        try PipelineStatus.of(
            spec: folder.path("spec.yaml"),
            ParameterValues.Context(now: Workspace.now, workingFolder: folder.folder))
    }

    @Test("a pipeline is stale if its last success is too old, whatever ran later")
    func stale() throws {
        let folder = try Reports.folder()
        let now = Workspace.now
        #expect(try Self.status(folder).isStale(now: now, maxAgeSeconds: nil))
        #expect(Reports.run(folder).outcome.status == .ok)
        try folder.write("a.ndjson", String(repeating: "{\"id\":null}\n", count: 9))
        #expect(Reports.run(folder, now: now + 3600).outcome.status == .dataError)
        let status = try Self.status(folder)
        #expect(status.last?.exit.code == 65)
        #expect(status.lastSuccess?.exit.code == 0)
        #expect(!status.isStale(now: now + 9999, maxAgeSeconds: nil))
        #expect(!status.isStale(now: now + 7000, maxAgeSeconds: 7000))
        #expect(status.isStale(now: now + 7020, maxAgeSeconds: 7000))
        #expect(status.text(now: now + 7200).contains("exit 65 DATAERR, ended"))
        #expect(status.text(now: now + 7200).contains("\nlast success  20260304T050607Z-"))
    }

    @Test("a replay or a partial run does not count as a success")
    func parts() throws {
        let folder = try Reports.folder()
        let now = Workspace.now
        let whole = Reports.run(folder).outcome
        #expect(whole.status == .ok)
        let only = Reports.run(folder, now: now + 60) { $0.only = "bump" }.outcome
        let from = Reports.run(folder, now: now + 120) { $0.from = "small" }.outcome
        let some = Reports.run(folder, now: now + 180) { $0.recordsMax = 1 }.outcome
        #expect([only, from, some].map(\.status) == [.ok, .ok, .ok])
        try folder.write("rejects/nightly-\(whole.runID)/tasks.a.ndjson", "{\"id\":\"9\"}\n")
        let options = RunOptions(
            environment: ["TOKEN": "s3cr3t"], workingFolder: folder.folder, now: now + 240)
        let replayed = PipelineRunner(options: options).replay(
            folder.path("rejects/nightly-\(whole.runID)"))
        #expect(replayed.status == .ok, "\(replayed.diagnostics)")
        let reports = try folder.names("runs").filter { $0.hasSuffix(".json") }.map {
            try StoredReport.read(folder.path("runs/\($0)")).report
        }
        #expect(
            reports.map(\.partText) == [
                nil, "bump alone", "from small on", "at most 1 record of each import",
                "replay of rejects",
            ])
        #expect(reports.map(\.isSuccess) == [true, false, false, false, false])
        let status = try Self.status(folder)
        #expect(status.last?.run == replayed.runID)
        #expect(status.lastSuccess?.run == whole.runID)
        let text = status.text(now: now + 300)
        #expect(text.contains("last run      \(replayed.runID) (replay of rejects), exit 0 OK,"))
        #expect(text.contains("\nlast success  \(whole.runID), exit 0 OK,"))
    }

    @Test("shows an unfinished run with its finished stages")
    func pending() throws {
        let folder = try Reports.folder()
        try folder.write("out", "a file, no folder")
        #expect(Reports.run(folder).outcome.status == .cannotCreate)
        let status = try Self.status(folder)
        let run = "20260304T050607Z-\(SystemProcess.number)"
        #expect(status.pending == PipelineStatus.Pending(run: run, done: 3, records: 2))
        #expect(
            status.text(now: Workspace.now).contains(
                "to complete   \(run), 3 stages done, 2 records are saved; the next run continues\n"
            ))
        try FileManager.default.removeItem(atPath: folder.path("out"))
        #expect(Reports.run(folder).outcome.status == .ok)
        #expect(try Self.status(folder).pending == nil)
    }

    @Test("shows an unfinished run as the last run if it could not write its report")
    func unreported() throws {
        let folder = try Reports.folder()
        try folder.write("out", "a file, no folder")
        #expect(Reports.run(folder).outcome.status == .cannotCreate)
        try FileManager.default.removeItem(atPath: folder.path("runs"))
        var status = try Self.status(folder)
        let run = "20260304T050607Z-\(SystemProcess.number)"
        #expect(
            status.unended
                == PipelineStatus.Unended(
                    run: run, began: "2026-03-04T05:06:07Z", isAtWork: false, isOnlyNoted: true))
        #expect(
            status.text(now: Workspace.now + 7).replacing(folder.path(""), with: "") == """
                pipeline      nightly
                last run      \(run), has no report, began 2026-03-04 05:06:07 UTC, 7.3 s ago
                run before    none among the reports
                last success  none among the reports
                to complete   \(run), 3 stages done, 2 records are saved; the next run continues
                reports       runs

                """)
        #expect(status.formattedJSON.contains("\"state\": \"unreported\""))
        #expect(
            status.warning(now: Workspace.now)?.message
                == "A run of nightly that began at 2026-03-04 05:06:07 UTC has no report; "
                + "2 records are saved; the next run continues")
        // The run is complete, and only the lock file shows that it was there.
        try FileManager.default.removeItem(atPath: folder.path("out"))
        #expect(Reports.run(folder).outcome.status == .ok)
        #expect(try Self.status(folder).unended == nil)
        try FileManager.default.removeItem(atPath: folder.path("runs"))
        status = try Self.status(folder)
        #expect(
            status.text(now: Workspace.now).replacing(folder.path(""), with: "") == """
                pipeline      nightly
                last run      none among the reports
                reports       runs

                """)
    }

    @Test("a store that a killed process left without indexes is shown until a run completes it")
    func lacksIndexes() throws {
        let folder = try Reports.folder()
        let now = Workspace.now
        #expect(Reports.run(folder).outcome.status == .ok)
        #expect(try !Self.status(folder).lacksIndexes)
        #expect(try !Self.status(folder).formattedJSON.contains("lacksIndexes"))
        _ = try folder.rows(
            "INSERT INTO ETL_PENDING VALUES ('x', 'CREATE INDEX x ON ZTASK (ZSIZE)')")
        let line =
            "\nto complete   indexes and links are missing, so the store cannot be read; run the spec "
            + "or repeat the import, which completes them\n"
        var status = try Self.status(folder)
        #expect(status.text(now: now).contains(line), "\(status.text(now: now))")
        #expect(status.formattedJSON.contains("\"lacksIndexes\": true"))
        // A killed run that left no notes has still saved data.
        let lock = "store.sqlite.etl-lock"
        try folder.write(lock, "pid 4000000, pipeline nightly, since 2026-03-04T06:07:08Z")
        status = try Self.status(folder)
        #expect(status.text(now: now).contains(line))
        #expect(!status.text(now: now).contains("nothing was saved"))
        let warning = try #require(status.warning(now: now))
        #expect(warning.message.contains("indexes and links are missing"))
        #expect(Reports.run(folder, now: now + 7200).outcome.status == .ok)
        #expect(try !Self.status(folder).lacksIndexes)
    }

    @Test("shows the process that holds the lock, and not a killed one")
    func holder() throws {
        let folder = try Reports.folder()
        #expect(try Self.status(folder).holder == nil)
        var lock = try StoreLock.take(
            storePath: folder.path("store.sqlite"), pipeline: "other", started: "noon", .fail,
            Interruption())
        let words = "pid \(SystemProcess.number), pipeline other, since noon"
        #expect(try Self.status(folder).holder == words)
        withExtendedLifetime(lock) {}
        lock = nil
        // A lock file without a lock, which names an existing and a nonexistent process.
        for process in [SystemProcess.number, 4_000_000] {
            try folder.write("store.sqlite.etl-lock", "pid \(process), pipeline x, since y")
            #expect(try Self.status(folder).holder == nil, "\(process)")
        }
    }

    @Test("a killed run is shown as the last run, next to the previous run's report")
    func killed() throws {
        let folder = try Reports.folder()
        let now = Workspace.now
        let lock = "store.sqlite.etl-lock"
        let before = Reports.run(folder).outcome.runID
        try folder.write(lock, "pid 4000000, pipeline nightly, since 2026-03-04T06:07:08Z")
        let status = try Self.status(folder)
        #expect(
            status.unended
                == PipelineStatus.Unended(
                    run: "20260304T060708Z-4000000", began: "2026-03-04T06:07:08Z",
                    isAtWork: false))
        #expect(status.last?.run == before)
        #expect(status.holder == nil)
        #expect(
            status.text(now: now + 7200).replacing(folder.path(""), with: "") == """
                pipeline      nightly
                last run      20260304T060708Z-4000000, did not end (killed?), began 2026-03-04 \
                06:07:08 UTC, 59 min 0 s ago
                run before    \(before), exit 0 OK, ended 2026-03-04 05:06:07 UTC, 2 h 0 min ago
                to complete   nothing was saved; the next run starts from the beginning
                reports       runs

                """)
        #expect(!status.isStale(now: now + 7200, maxAgeSeconds: 7201))
        // Another pipeline's run does not affect this one.
        try folder.write(lock, "pid 4000000, pipeline other, since 2026-03-04T06:07:08Z")
        #expect(try Self.status(folder).unended == nil)
        // The next run that finishes is the last run again.
        try folder.write(lock, "pid 4000000, pipeline nightly, since 2026-03-04T06:07:08Z")
        let after = Reports.run(folder, now: now + 7200).outcome.runID
        #expect(try Self.status(folder).unended == nil)
        #expect(try Self.status(folder).last?.run == after)
        // The run was killed after it wrote its report, which gives its result.
        let words = "pid \(SystemProcess.number), pipeline nightly, since 2026-03-04T07:06:07Z"
        try folder.write(lock, words)
        #expect(try Self.status(folder).unended == nil)
    }

    @Test("the lock error does not name a killed run as the one to wait for")
    func refused() throws {
        let folder = try Reports.folder()
        let path = folder.path("store.sqlite")
        let file = folder.path("store.sqlite.etl-lock")
        let killed = "pid 4000000, pipeline nightly, since 2026-03-04T05:06:00Z"
        func refusal() -> String? {
            do {
                let lock = try StoreLock.take(
                    storePath: path, pipeline: "other", started: "noon", .fail, Interruption())
                withExtendedLifetime(lock) {}
                return nil
            } catch {
                return (error as? RunFailure)?.diagnostics.map(\.message).joined()
                    .replacing(folder.path(""), with: "")
            }
        }
        try folder.write("store.sqlite.etl-lock", killed)
        #expect(refusal() == nil)
        let descriptor = try FileSystem.createForLocking(file)
        defer { FileSystem.close(descriptor) }
        #expect(FileSystem.lock(descriptor))
        #expect(
            refusal()
                == "Another process has locked store.sqlite, and the lock file does not name it")
        FileDescriptor.rewrite(descriptor, killed)
        #expect(
            refusal() == "Another process has locked store.sqlite, and it is not visible from "
                + "here; the lock file last named: " + killed)
        let own = "pid \(SystemProcess.number), pipeline nightly, since noon"
        FileDescriptor.rewrite(descriptor, own)
        #expect(refusal() == "Another run uses store.sqlite: " + own)
    }

    @Test("a released lock is free although a child process still has the file open")
    func free() throws {
        let folder = try Workspace()
        let path = folder.path("store.sqlite")
        func take() throws -> StoreLock? {
            try StoreLock.take(
                storePath: path, pipeline: "nightly", started: "noon", .fail, Interruption())
        }
        var lock = try take()
        withExtendedLifetime(lock) {}
        // A child process inherits all open files of its parent.
        var file = stat()
        #expect(stat(path + ".etl-lock", &file) == 0)
        let copies = (0..<Int32(1024)).compactMap { descriptor -> Int32? in
            var info = stat()
            guard fstat(descriptor, &info) == 0, info.st_ino == file.st_ino,
                info.st_dev == file.st_dev
            else { return nil }
            return fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        }
        defer { for copy in copies { FileSystem.close(copy) } }
        #expect(!copies.isEmpty)
        lock = nil
        lock = try take()
        #expect(lock != nil)
    }

    @Test("shows a killed run even if no run came before it")
    func killedFirst() throws {
        let folder = try Reports.folder()
        try folder.write(
            "store.sqlite.etl-lock", "pid 4000000, pipeline nightly, since 2026-03-04T05:06:00Z")
        let status = try Self.status(folder)
        #expect(
            status.text(now: Workspace.now).replacing(folder.path(""), with: "") == """
                pipeline      nightly
                last run      20260304T050600Z-4000000, did not end (killed?), began 2026-03-04 \
                05:06:00 UTC, 7.3 s ago
                run before    none among the reports
                last success  none among the reports
                to complete   nothing was saved; the next run starts from the beginning
                reports       runs

                """)
        #expect(status.isStale(now: Workspace.now, maxAgeSeconds: nil))
    }

    @Test("shows an active run as the last run")
    func atWork() throws {
        let folder = try Reports.folder()
        let lock = try StoreLock.take(
            storePath: folder.path("store.sqlite"), pipeline: "nightly",
            started: "2026-03-04T05:06:00Z", .fail, Interruption())
        let run = "20260304T050600Z-\(SystemProcess.number)"
        let status = try Self.status(folder)
        #expect(
            status.unended
                == PipelineStatus.Unended(run: run, began: "2026-03-04T05:06:00Z", isAtWork: true))
        let text = status.text(now: Workspace.now)
        #expect(
            text.contains("\nlast run      \(run), in progress, began 2026-03-04 05:06:00 UTC,"))
        #expect(text.contains("\nrunning       pid \(SystemProcess.number), pipeline nightly,"))
        withExtendedLifetime(lock) {}
    }
}
