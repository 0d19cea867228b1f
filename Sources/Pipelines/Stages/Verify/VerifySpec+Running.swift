import Diagnostics
import GraphStore

extension VerifySpec {
    /// Checks conditions on the store, all of which must be met.
    func run(_ stage: Stage, _ environment: StageEnvironment) throws -> StageReport {
        environment.progress.begin(stage: "verify \(stage.name)", bytesTotal: 0)
        let started = ContinuousClock.now
        var problems: [Diagnostic] = []
        for expectation in expectations {
            try environment.interruption.check()
            let request = RowRequest(
                entityName: expectation.entity.text,
                predicate: try expectation.selection.predicate(
                    environment.values, of: expectation.entity.text, in: environment.container.model
                ), variables: environment.values.graphValues, fields: [])
            let count = try environment.container.newBackgroundContext().performAndWait { context in
                try environment.stoppable(context) { try context.cursor(request).matchCount() }
            }
            guard !expectation.comparison.holds(count, expectation.bound) else { continue }
            problems.append(
                Diagnostic(
                    code: "verify.failed",
                    "There are \(count.grouped) of '\(expectation.text)', and "
                        + "\(expectation.comparison.rawValue) \(expectation.bound) is expected",
                    at: .source(expectation.location)))
        }
        guard problems.isEmpty else { throw RunFailure(.dataError, problems) }
        var report = StageReport(kind: stage.kind.word, name: stage.name)
        report.verified = expectations.count
        report.secondsElapsed = started.secondsToNow
        try environment.journal.finish(stage, report, in: environment.container)
        return report
    }
}
