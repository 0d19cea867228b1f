package import Diagnostics
package import FoundationEssentials
import GraphStore

/// The status as text for people.
extension PipelineStatus {
    static func age(of report: RunReport, _ now: Date) -> Double {
        now.timeIntervalSinceReferenceDate - (TimeText.date(report.ended, now: 0) ?? 0)
    }

    /// Returns the status as lines of text.
    package func text(now: Date) -> String {
        func line(_ report: RunReport) -> String {
            let age = ReportNumbers.duration(max(0, Self.age(of: report, now)))
            let part = report.entryText.map { " (\($0))" } ?? ""
            return "\(report.name)\(part), exit \(report.exit.code) \(report.exit.name), ended "
                + "\(ReportNumbers.time(report.ended)), \(age) ago"
        }
        var lines = ["pipeline      \(pipeline)"]
        if let unended {
            lines.append("last run      \(unended.run), \(unended.text(now: now))")
            lines.append("run before    \(last.map(line) ?? "none among the reports")")
        } else {
            let none = wasLocked ? "none among the reports" : "never"
            lines.append("last run      \(last.map(line) ?? none)")
            if let attemptBefore { lines.append("run before    \(line(attemptBefore))") }
        }
        if unended != nil ? last?.isSuccess != true : last?.isSuccess == false {
            lines.append("last success  \(lastSuccess.map(line) ?? "none among the reports")")
        }
        if let holder { lines.append("running       \(holder)") }
        lines += toComplete.map { "to complete   \($0)" }
        if !backups.all.isEmpty {
            lines.append(
                "backups       \(ReportNumbers.several(backups.all.count, "file")), "
                    + ReportNumbers.bytes(backups.bytes))
        }
        lines.append("reports       \(folder)")
        return lines.map { OutputText($0).text }.joined(separator: "\n") + "\n"
    }

    /// The work that the next runs must complete, if it is known.
    private var toComplete: [String] {
        var texts = (pending.map { [$0] } ?? []).map(\.text)
        if let unreadable {
            texts.append("not known; the store cannot be read: \(unreadable)")
        } else if let unended, !unended.isAtWork, pending == nil, knowsNotes, !lacksIndexes {
            texts.append(Self.nothingSaved)
        }
        if lacksIndexes { texts.append(Self.missingIndexes) }
        return texts + others.map(\.text)
    }

    private static let nothingSaved = "nothing was saved; the next run starts from the beginning"
    private static let missingIndexes =
        "indexes and links are missing, so the store cannot be read; run the spec or repeat the "
        + "import, which completes them"

    /// Returns a warning if a run began after the last report and has none itself.
    package func warning(now: Date) -> Diagnostic? {
        guard let unended else { return nil }
        let began = "A run of \(pipeline) that began at \(ReportNumbers.time(unended.began))"
        guard !unended.isAtWork else {
            return Diagnostic(
                .warning, code: "report.in-progress", "\(began) is in progress, and has no report",
                fix: "wait until it ends; `etl status` shows it")
        }
        let saved =
            unreadable.map { "the store cannot be read: \($0)" }
            ?? pending.map { "\($0.saved); the next run continues" }
            ?? (lacksIndexes ? Self.missingIndexes : nil)
            ?? (knowsNotes ? Self.nothingSaved : "the next run reports what is saved")
        let end = unended.isOnlyNoted ? "" : " did not end (killed?), and"
        return Diagnostic(
            .warning, code: "report.killed", "\(began)\(end) has no report; \(saved)",
            fix: "run it again; `etl status` shows what it must complete")
    }
}

extension PipelineStatus.Unended {
    /// Returns the state of the run, its start, and its age.
    fileprivate func text(now: Date) -> String {
        let seconds = now.timeIntervalSinceReferenceDate - (TimeText.date(began, now: 0) ?? 0)
        let state =
            isAtWork ? "in progress" : isOnlyNoted ? "has no report" : "did not end (killed?)"
        return state
            + ", began \(ReportNumbers.time(began)), \(ReportNumbers.duration(max(0, seconds))) ago"
    }
}

extension PipelineStatus.Pending {
    /// The saved records, such as `12,000 records are saved`.
    fileprivate var saved: String {
        "\(ReportNumbers.several(records, "record")) \(records == 1 ? "is" : "are") saved"
    }

    /// The run, its progress, and what to do.
    fileprivate var text: String {
        run + (owner.map { " of \($0)" } ?? "")
            + ", \(ReportNumbers.several(done, "stage")) done, \(saved)"
            + (place.map { ", \($0)" } ?? "") + "; "
            + (streams?.text ?? "the next run continues")
    }
}

/// The status as JSON for programs.
extension PipelineStatus: JSONWritable {
    /// The status as a JSON object; keys without a value are omitted.
    package var json: JSONTree {
        let backups: JSONTree? =
            backups.all.isEmpty
            ? nil : .fields(["files": backups.all.count, "bytes": backups.bytes])
        let toComplete = (pending.map { [$0] } ?? []) + others
        return .fields([
            "pipeline": pipeline, "unended": unended, "last": last.map(Self.json),
            "before": attemptBefore.map(Self.json), "lastSuccess": lastSuccess.map(Self.json),
            "running": holder, "toComplete": toComplete, "unreadable": unreadable,
            "lacksIndexes": lacksIndexes ? true : nil,
            "backups": backups, "reports": folder,
        ])
    }

    private static func json(of report: RunReport) -> JSONTree {
        .fields([
            "run": report.run, "name": report.name, "part": report.partText, "exit": report.exit,
            "started": report.started, "ended": report.ended, "attempts": report.attempts,
        ])
    }

    /// The status as indented JSON, with a final line break.
    package var formattedJSON: String { json.formatted }
}

extension PipelineStatus.Unended: JSONWritable {
    /// The run as a JSON object; its state is `in-progress`, `killed`, or `unreported`.
    package var json: JSONTree {
        let state = isAtWork ? "in-progress" : isOnlyNoted ? "unreported" : "killed"
        return .fields(["run": run, "began": began, "state": state])
    }
}

extension PipelineStatus.Pending: JSONWritable {
    /// The unfinished run as a JSON object; an unknown position is omitted.
    package var json: JSONTree {
        .fields([
            "run": run, "pipeline": owner, "stagesDone": done, "recordsSaved": records,
            "position": place, "next": streams?.text,
        ])
    }
}
