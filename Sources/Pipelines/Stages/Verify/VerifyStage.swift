import Diagnostics
import GraphStore

/// Checks conditions on the store, all of which must be met.
struct VerifyStage: Sendable {
    let stage: Stage
    let spec: VerifySpec
    let environment: StageEnvironment

    func run() throws -> StageReport {
        environment.progress.begin(stage: "verify \(stage.name)", bytesTotal: 0)
        let started = ContinuousClock.now
        var problems: [Diagnostic] = []
        for expectation in spec.expectations {
            try environment.interruption.check()
            let count = try environment.container.newBackgroundContext().performAndWait { context in
                try environment.stoppable(context) { try self.count(expectation, in: context) }
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
        report.verified = spec.expectations.count
        report.secondsElapsed = started.secondsToNow
        return report
    }

    private func count(
        _ expectation: VerifySpec.Expectation, in context: ManagedObjectContext
    ) throws -> Int {
        try context.cursor(
            RowRequest(
                entityName: expectation.entity.text,
                predicate: try expectation.selection.predicate(
                    environment.values, of: expectation.entity.text,
                    in: environment.container.model),
                variables: environment.values.graphValues, fields: [])
        ).matchCount()
    }
}
