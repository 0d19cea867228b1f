import ArgumentParser
import Diagnostics
import FoundationEssentials
import Pipelines

/// Shows what is wrong with specs: `etl check SPEC…`.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Show every problem of specs and their models, without data or secrets.",
        discussion:
            "Exit status: 0 if there is no error, 77 if a file may not be read, 78 otherwise.")

    @Argument(help: "The specs, YAML files.", completion: .file(extensions: ["yaml", "yml"]))
    var specs: [String]

    @Flag(help: "Treat warnings about models as errors.")
    var strict = false

    @OptionGroup var parameters: SetFlags

    func run() throws {
        let runner = PipelineRunner(
            options: RunOptions(
                sets: parameters.sets, environment: ProcessInfo.processInfo.environment,
                workingFolder: WorkingFolder.path, now: Date()))
        var errors: [Diagnostic] = []
        var pairs: Set<Set<String>> = []
        for spec in specs {
            // A pattern such as pipelines/*.yaml names models, too.
            let model = specs.count > 1 ? ModelSource.problems(ifModel: spec) : nil
            for var diagnostic in model ?? runner.check(spec, telling: &pairs) {
                if strict, diagnostic.severity == .warning, diagnostic.code.hasPrefix("model.") {
                    diagnostic.severity = .error
                }
                Terminal.write(diagnostic)
                if diagnostic.severity == .error { errors.append(diagnostic) }
            }
        }
        if !errors.isEmpty { throw ExitCode(RunFailure(problems: errors).status.rawValue) }
    }
}
