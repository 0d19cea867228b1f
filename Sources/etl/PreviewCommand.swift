import ArgumentParser
import Diagnostics
import Logging
import Pipelines

/// Shows what a spec makes of its first records: `etl preview SPEC`.
struct PreviewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview",
        abstract: "Show what becomes of the first records of each import.",
        discussion: """
            Each mapped record is a line of JSON on stdout: the stage, the file and number of the \
            record, the entity, and the object with its values as an export would show them. A \
            link stands as the key that it looks for, {"by":{"email":"a@b.c"}}; what the record \
            says nothing of is left out. What an import would refuse is told on stderr with its \
            reason, also by the model's constraints and rules, and so are paths of the spec that \
            no record has, and the advice of `etl check`. Where the store, or an earlier import, may have the object, what stands \
            against a new one alone, or hangs on values of the store, is told so, and the record \
            is shown. Of very many records the first 10,000 or so are tried against the model.

            Nothing is written, and no store needs to be there where the spec names its model. So \
            what only the store can tell is not told: whether a link's object is there, and what \
            an object that is there has already. Of what earlier imports make, only their first \
            records tell that a key or a value that must be unique is taken. `etl plan` tells all \
            of that.

            Exit status: 0 ok, also where records are rejected, 64 usage, 65 damaged input, 66 an \
            input is missing, 74 I/O error, 77 permission denied, 78 the spec is wrong, 129, 130 and \
            143 stopped by a signal.
            """)

    @Argument(help: "The spec, a YAML file.", completion: .file(extensions: ["yaml", "yml"]))
    var spec: String

    @Option(
        help: ArgumentHelp("Show this import alone.", valueName: "stage"),
        completion: Completion.stages)
    var stage: String?

    @Option(
        help: ArgumentHelp(
            "Show so many mapped records of each import; as many rejects, at least 10, end it too.",
            valueName: "n"))
    var limit = 10

    @OptionGroup var parameters: SetFlags
    @OptionGroup var commands: CommandFlags

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit needs a number from 1 on") }
    }

    func run() throws {
        SignalHandling.endAtOnce()
        let context = SetFlags.context(parameters.sets)
        let output = StandardOutput(environment: context.environment)
        let logger = Logger(label: "etl") { _ in StandardErrorLog() }
        let outcome = Preview(
            context, only: stage, limit: limit, isTerminal: output.isTerminal,
            allowsCommands: !commands.areRefused,
            tell: { logger.warning("\(DiagnosticRenderer.text($0))") }
        ).run(spec)
        for error in outcome.errors { logger.error("\(DiagnosticRenderer.text(error))") }
        if Terminal().isInteractive {
            for stage in outcome.stages { logger.notice("\(stage.text)") }
            if outcome.stages.isEmpty, outcome.status == .ok {
                logger.notice("\(spec) has no import")
            }
        }
        if outcome.status != .ok { throw ExitCode(outcome.status.rawValue) }
    }
}
