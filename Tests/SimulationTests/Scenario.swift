import Diagnostics
import Foundation
import GraphStore
import Synchronization

@testable import Pipelines

/// A kind of work: its preparation, and the steps that are repeated until it succeeds.
struct Scenario: Sendable {
    let name: String
    /// Whether the last attempt reports the totals of the complete work.
    ///
    /// An attempt that resumes a drained replay reports only the rest.
    var hasTotals = true
    /// Prepares the folder; no fault occurs.
    let prepare: @Sendable (WorkLocation) throws -> Void
    /// Does the work once, or resumes it.
    let work: @Sendable (WorkLocation) -> Ending
}

/// The result of an attempt at the work.
struct Ending: Sendable {
    var status: Pipelines.ExitStatus
    var text = ""
    /// The lines of the report on each stage, without times.
    var totals: [String] = []

    init(_ status: Pipelines.ExitStatus, _ text: String = "") {
        self.status = status
        self.text = text
    }

    init(_ failure: RunFailure) {
        self.init(failure.status, failure.diagnostics.map(\.message).joined(separator: "; "))
    }

    init(_ outcome: RunOutcome) {
        status = outcome.status
        text = outcome.diagnostics.map { "\($0.message) [\($0.code)]" }.joined(separator: "; ")
        totals = outcome.stages.map { stage in
            stage.line().lastIndex(of: "(").map { String(stage.line()[..<$0]) } ?? stage.line()
        }
    }
}

/// A folder in which work is done; each attempt has a later time.
final class WorkLocation: Sendable {
    let folder: String
    private let attempt = Mutex(0)
    /// The size below which inputs count as small, which affects how they are decoded.
    let smallInputBytes: Int

    init(_ folder: String, smallInputBytes: Int) {
        self.folder = folder
        self.smallInputBytes = smallInputBytes
    }

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    func write(_ name: String, _ text: String) throws {
        try text.write(toFile: path(name), atomically: true, encoding: .utf8)
    }

    private var options: RunOptions {
        let number = attempt.withLock { number in
            number += 1
            return number
        }
        // 2026-03-04 05:06:07 UTC; each attempt has its own minute, from which its name is derived.
        let now = Date(timeIntervalSinceReferenceDate: 794_293_567 + Double(number) * 60)
        var options = RunOptions(workingFolder: folder, now: now)
        options.decoding.smallInputBytes = smallInputBytes
        options.decoding.processors = 2
        return options
    }

    func run(_ spec: String = "spec.yaml") -> Ending {
        Ending(PipelineRunner(options: options).run(path(spec)))
    }

    /// Runs a spec without faults, as preparation.
    func mustRun(_ spec: String = "spec.yaml") throws {
        let ending = run(spec)
        guard ending.status == .ok else { throw Unprepared(text: ending.text) }
    }

    /// Whether no unfinished work is left.
    var isComplete: Bool {
        let context = ParameterValues.Context(
            now: Date(timeIntervalSinceReferenceDate: 0), workingFolder: folder)
        // If the status cannot be read, the work is not complete.
        guard let status = try? PipelineStatus.of(spec: path("spec.yaml"), context) else {
            return false
        }
        return status.pending == nil && status.unreadable == nil
    }

    /// Replays the rejects of the only run that has any.
    func replay() -> Ending {
        let runs = Disk.names(in: path("rejects"))
        guard let run = runs.first else { return Ending(.noInput, "no rejects") }
        return Ending(PipelineRunner(options: options).replay("rejects/\(run)"))
    }
}

struct Unprepared: Error { var text: String }
