package import Diagnostics
import Files
import FoundationEssentials

/// Runs the tests in specs: `etl test`.
package struct SpecificationTester: Sendable {
    /// The results of the tests of a spec.
    package struct Outcome: Sendable {
        /// The exit status: `ok` if all tests passed, `check` if one failed, or the error's status.
        package var status = ExitStatus.ok
        /// The number of tests whose results are as expected.
        package var passed = 0
        /// The number of tests with an unexpected result or an error.
        package var failed = 0
        /// The problems of the spec and the differences of failing tests.
        package var diagnostics: [Diagnostic] = []
        /// Whether the spec contains no tests.
        package var hasNoTests = false
    }

    private let context: ParameterValues.Context
    private let interruption: Interruption
    /// The folder in which each test gets its own folder.
    private let temporaryFolder: String

    /// Creates a tester of specs.
    ///
    /// - Parameters:
    ///   - interruption: ends the tests early, with the status of its signal.
    ///   - temporaryFolder: the folder in which each test gets its own folder while it runs.
    package init(
        _ context: ParameterValues.Context, _ interruption: Interruption = Interruption(),
        temporaryFolder: String = FileManager.default.temporaryDirectory.path
    ) {
        self.context = context
        self.interruption = interruption
        self.temporaryFolder = temporaryFolder
    }

    /// Runs all tests of a spec.
    package func run(_ file: String) -> Outcome {
        var outcome = Outcome()
        let (spec, _, problems) = SpecificationFile.check(file: file, context)
        guard let spec else {
            outcome.diagnostics = problems.filter { $0.severity == .error }
            outcome.status = RunFailure(problems: problems).status
            return outcome
        }
        outcome.hasNoTests = spec.tests.isEmpty
        for test in spec.tests {
            let found: [Diagnostic]
            do {
                found = try differences(spec, test, &outcome)
            } catch {
                outcome.status = (error as? Interrupted)?.reason.status ?? RunFailure(error).status
                if !(error is Interrupted) { outcome.diagnostics += RunFailure(error).diagnostics }
                return outcome
            }
            if found.isEmpty { outcome.passed += 1 } else { outcome.failed += 1 }
            outcome.diagnostics += found
        }
        if outcome.failed > 0, outcome.status == .ok { outcome.status = .check }
        return outcome
    }

    /// Runs one test in its own folder, and returns the differences from its expectations.
    ///
    /// - Throws: `Interrupted`, or an error if no test can run on this machine.
    private func differences(
        _ spec: PipelineSpec, _ test: SpecificationTest, _ outcome: inout Outcome
    ) throws -> [Diagnostic] {
        try interruption.check()
        let folder = PathText.join(temporaryFolder, "etl-test-\(UUID().uuidString)")
        // The system removes what remains in a folder for temporary files.
        defer { try? FileSystem.removeAll(folder) }
        try OutputFolder.make(folder)
        do {
            let run: TestRun
            do throws(RunFailure) {
                run = try TestRun(spec, test, context, interruption, folder: folder)
            } catch {
                // The test itself is invalid.
                outcome.status = error.status
                return error.diagnostics
            }
            return try TestComparison(test, run.run(), folder: folder).differences()
        } catch let stop as Interrupted {
            throw stop
        } catch {
            let failure = RunFailure(error)
            let head = Diagnostic(
                code: "test.failed", "'\(test.name)': a stage ended with \(failure.status.name)",
                at: .source(test.location))
            return [head] + failure.diagnostics
        }
    }
}
