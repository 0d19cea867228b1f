import Foundation
import Testing

/// The folder of reports: its page, the specs that share it, and the choice of the last run.
@Suite("Folder of reports") struct RunFolderTests {
    private static let bad = "{\"id\":1}\n{\"id\":null}\n"

    private func folder(top: String = "") throws -> FailureFolder {
        let folder = try FailureFolder()
        try folder.writeTasks(3)
        try folder.writeSpec(top: top)
        return folder
    }

    /// Returns the text of each row of the page.
    private func rows(_ folder: FailureFolder) -> [String] {
        folder.text("runs/index.html").split(separator: "\n").filter { $0.hasPrefix("<tr id=") }.map
        {
            $0.replacing(#/<[^>]+>/#, with: " ").split(separator: " ").joined(separator: " ")
                .replacing(#/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/#, with: "TIME")
                .replacing(#/\b[\d.]+ (ms|s)\b/#, with: "SECONDS")
        }
    }

    @Test(
        "a run keeps an index.html that etl did not write or cannot read, and warns",
        arguments: [
            "echo '<h1>mine</h1>' > index.html", "ln -s index.html index.html", "mkdir index.html",
        ])
    func otherIndex(making: String) throws {
        let folder = try folder()
        try folder.shell("mkdir runs; cd runs; \(making); ls -l > ../before")
        let result = try folder.shell("exec \"$E\" run spec.yaml")
        #expect(result.status == 0)
        #expect(
            result.errors.replacing(folder.path, with: "DIR") == """
                warning: runs/index.html is not etl's list of runs, so it is kept and no list is \
                written \
                [report.index]
                  fix: rename it, or set another `report.to`

                """)
        #expect(
            try folder.shell(
                "ls -ld runs/index.html | sed 's|runs/||' > after; grep index before |"
                    + " cmp - after"
            ).status == 0)
        #expect(folder.names("runs").count == 3)
    }

    @Test("index.html lists the runs, the newest first, and links to their pages")
    func index() throws {
        let folder = try folder(top: "report: { keep: 3 }")
        #expect(try folder.shell("exec \"$E\" run spec.yaml").status == 0)
        #expect(
            rows(folder) == [
                "TIME spec OK SECONDS 3 12 inserted, 3 exported"
            ])
        try folder.write("runs/spec-20200101T000000Z-1.json", "{")
        try folder.write("runs/other-20200101T000000Z-1.json", "{\"report\":1,\"old\":true}")
        try folder.write("tasks.ndjson", Self.bad)
        try folder.shell("sleep 1; exec \"$E\" run spec.yaml")
        let two = rows(folder)
        #expect(
            two == [
                "TIME spec DATAERR SECONDS 2 1 rejected",
                "TIME spec OK SECONDS 3 12 inserted, 3 exported",
            ])
        let links = folder.text("runs/index.html").matches(of: #/<a href="([^"]+)">/#).map {
            String($0.1)
        }
        #expect(links.count == 2)
        #expect(links.allSatisfy { $0.hasSuffix(".html") && folder.names("runs").contains($0) })
        // The lengths of bars are fractions of the largest one.
        #expect(folder.text("runs/index.html").contains(";--changes:15\">"))
        #expect(
            folder.text("runs/index.html").contains("<i class=\"inserted\" style=\"--n:12\"></i>"))
        // Rows are deleted with their reports; a damaged page is rebuilt.
        try folder.write("tasks.ndjson", "{\"id\":1}\n")
        try folder.shell("for i in 1 2 3; do sleep 1; \"$E\" run --restart spec.yaml; done")
        #expect(rows(folder).count == 3)
        try folder.write("runs/index.html", "<!-- etl runs, format 1\n<tr id=\"x\">")
        try folder.shell("sleep 1; exec \"$E\" run spec.yaml")
        #expect(rows(folder).count == 3)
    }

    @Test("warns if two specs with one name write reports to one folder")
    func twoSpecs() throws {
        let folder = try folder(top: "name: nightly")
        try folder.write("other.yaml", folder.text("spec.yaml"))
        #expect(
            try folder.shell("\"$E\" run spec.yaml && exec \"$E\" check spec.yaml").errors == "")
        func warning(_ one: String, _ other: String) -> String {
            """
            warning: \(one) and \(other) are both named 'nightly' and write reports to the folder \
            runs, so their runs appear as runs of one pipeline [report.shared]
              fix: set another `name` or `report.to` in one of them

            """
        }
        #expect(
            try folder.shell("exec \"$E\" check other.yaml").errors
                == warning("other.yaml", "spec.yaml"))
        let run = try folder.shell("sleep 1; exec \"$E\" run other.yaml")
        #expect(run.status == 0)
        #expect(run.errors == warning("other.yaml", "spec.yaml"))
        #expect(
            try folder.shell("exec \"$E\" check spec.yaml").errors
                == warning("spec.yaml", "other.yaml"))
        // Each pair is reported once, and without absolute paths.
        #expect(
            try folder.shell("exec \"$E\" check spec.yaml other.yaml").errors
                == warning("spec.yaml", "other.yaml"))
        // A spec with another name, or one that no longer exists, does not conflict.
        try folder.write(
            "other.yaml", folder.text("other.yaml").replacing("nightly", with: "weekly"))
        #expect(try folder.shell("exec \"$E\" check spec.yaml").errors == "")
        try folder.shell("mv spec.yaml moved.yaml")
        #expect(try folder.shell("exec \"$E\" check moved.yaml").errors == "")
    }

    @Test("a run that is resumed after a replay is the last run")
    func resumed() throws {
        let folder = try folder(top: "rejects: { allow: 1 }")
        try folder.write("tasks.ndjson", Self.bad)
        // The first run imports, and then fails.
        try folder.shell("mkdir out.csv")
        #expect(try folder.shell("exec \"$E\" run spec.yaml").status == 73)
        let replay = try folder.shell(
            "sleep 1; exec \"$E\" replay rejects/* --allow-rejects 1")
        #expect(replay.status == 0, "\(replay.errors)")
        let resumed = try folder.shell("sleep 1; rmdir out.csv; exec \"$E\" run -v spec.yaml")
        #expect(resumed.status == 0, "\(resumed.errors)")
        let reports = folder.names("runs").filter { $0.hasSuffix(".json") }.map {
            folder.text("runs/" + $0)
        }
        let attempts = reports.map { $0.contains("\"attempts\": 2") }
        let status = try folder.shell("exec \"$E\" status spec.yaml").output
        let report = try folder.shell("exec \"$E\" report spec.yaml").output
        #expect(attempts == [false, false, true], "\(reports)")
        #expect(status.contains("last run") && !status.contains("replay"), "\(status)")
        #expect(!status.contains("last success"))
        #expect(report.contains(", attempt 2\n"), "\(report)")
    }
}

/// Attempts of a run that failed, in the folder of reports and in the status.
@Suite("Attempts of a run") struct RunAttemptTests {
    @Test("a failed attempt keeps its report and its row after the next one completes the run")
    func keepsFailed() throws {
        let folder = try FailureFolder()
        try folder.writeTasks(3)
        try folder.writeSpec(top: "on-failure: [sh, -c, 'cp \"$1\" told.json', x]")
        // The export fails after the import.
        try folder.shell("mkdir out.csv")
        #expect(try folder.shell("exec \"$E\" run spec.yaml").status == 73)
        #expect(try folder.shell("sleep 1; rmdir out.csv; exec \"$E\" run spec.yaml").status == 0)
        let reports = folder.names("runs").filter { $0.hasSuffix(".json") }
        #expect(reports.count == 2)
        #expect(folder.names("runs").filter { $0.hasSuffix(".html") }.count == 3)
        // The report that the command of `on-failure` got still exists, unchanged.
        #expect(folder.text("runs/" + (reports.first ?? "")) == folder.text("told.json"))
        let first = reports.first?.dropFirst("spec-".count).dropLast(".json".count) ?? ""
        let second = reports.last?.dropFirst("spec-".count).dropLast(".json".count) ?? ""
        #expect(folder.text("runs/spec-\(second).json").contains("\"run\": \"\(first)\""))
        #expect(folder.text("runs/spec-\(second).json").contains("\"attempt\": \"\(second)\""))
        let rows = folder.text("runs/index.html").split(separator: "\n")
            .filter { $0.hasPrefix("<tr id=") }.map {
                $0.replacing(#/<[^>]+>/#, with: " ").split(separator: " ").joined(separator: " ")
                    .replacing(#/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/#, with: "TIME")
                    .replacing(#/\b[\d.]+ (ms|s)\b/#, with: "SECONDS")
            }
        #expect(
            rows == [
                "TIME spec attempt 2 OK SECONDS 3 12 inserted, 3 exported",
                "TIME spec CANTCREAT SECONDS 3 12 inserted",
            ])
        let status = try folder.shell("exec \"$E\" status spec.yaml").output
            .replacing(#/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, .* ago/#, with: "TIME")
        #expect(
            status == """
                pipeline      spec
                last run      \(second) (attempt 2), exit 0 OK, ended TIME
                run before    \(first), exit 73 CANTCREAT, ended TIME
                reports       runs

                """)
        // Both the rejects' folder and the name of an attempt identify its report.
        #expect(
            try folder.shell("exec \"$E\" report \(first)").output.hasPrefix("spec: exit 73 "))
        #expect(
            try folder.shell("exec \"$E\" report \(second)").output.hasPrefix("spec: exit 0 "))
    }
}
