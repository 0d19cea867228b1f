import ArgumentParser
import Pipelines

/// Runs the tests of specs: `etl test SPEC…`.
struct TestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Run the tests of specs, which are under `tests`.",
        discussion: """
            A test lists records by import, and existing objects by entity. The stages run on a \
            new store in the folder for temporary files. `then` lists the expected objects of each \
            entity and the expected rejects. Exports write nothing. If all tests pass, the command \
            prints nothing unless stderr is a terminal; it warns of a spec without tests.

            Exit status:
              0 all tests pass
              1 a test fails
              64 there are no tests
              73 the folder for temporary files cannot be used
              78 a spec or a test is wrong
              129, 130, 143 stopped by a signal
            """)

    @Argument(help: "The specs, YAML files.", completion: .file(extensions: ["yaml", "yml"]))
    var specs: [String]

    @Flag(name: .shortAndLong, help: "Show a line for each spec.")
    var verbose = false

    func run() throws {
        // The files of a test are removed before the process ends.
        let interruption = SignalHandling.install()
        let tester = SpecificationTester(SetFlags.context(), interruption)
        var status = ExitStatus.ok
        var hasTests = false
        for spec in specs where interruption.signal == nil {
            // A pattern such as pipelines/*.yaml names models, too.
            if specs.count > 1, ModelSource.problems(ifModel: spec) != nil {
                if verbose || Terminal().isInteractive {
                    Terminal.writeMessage("\(spec): a model, which has no tests")
                }
                continue
            }
            let outcome = tester.run(spec)
            for diagnostic in outcome.diagnostics {
                Terminal.write(diagnostic)
            }
            hasTests = hasTests || !outcome.hasNoTests
            if outcome.hasNoTests {
                // No test failed, but the caller expects that there are some.
                Terminal.writeMessage("\(spec) has no tests; write some under `tests`")
            } else if verbose || Terminal().isInteractive || outcome.failed > 0 {
                let failed = outcome.failed > 0 ? ", \(outcome.failed) failed" : ""
                Terminal.writeMessage("\(spec): \(outcome.passed) passed\(failed)")
            }
            // A spec that is wrong weighs more than a test that fails.
            if status == .ok || outcome.status.rawValue > status.rawValue {
                status = outcome.status
            }
        }
        if status == .ok, !hasTests, interruption.signal == nil { status = .usage }
        if status != .ok { throw ExitCode(status.rawValue) }
    }
}
