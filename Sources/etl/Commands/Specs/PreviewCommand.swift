import ArgumentParser
import Pipelines

/// Shows the objects of the first records of a spec: `etl preview SPEC`.
struct PreviewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview",
        abstract: "Show the objects that the first records of each import create or update.",
        discussion: """
            Prints each mapped record as a line of JSON on stdout. The line has the stage, the file, \
            the number of the record, the entity, and the object in the form of an export. A link is printed \
            as the key that it searches, {"by":{"email":"a@b.c"}}. Properties that the record does \
            not set are omitted.

            Prints on stderr each record that the import would reject, with the reason, including \
            the model's constraints and rules. Also prints paths of the spec that no record has, \
            and the warnings of `etl check`. If a reason holds only for a new object, or depends \
            on values in the store, the message states it, and the record is shown. About 10,000 \
            records of each import are checked against the model.

            Nothing is written, and the store may be missing if the spec names its model. So a \
            preview does not know whether a link's object exists, which values an existing object \
            has, or which keys later records of an earlier import take. `etl plan` shows all of \
            these.

            Exit status:
              0 ok, also if records are rejected
              64 usage
              65 damaged input
              66 an input is missing
              74 I/O error
              77 permission denied
              78 the spec is wrong
              129, 130, 143 stopped by a signal
            """)

    @Argument(help: "The spec, a YAML file.", completion: .file(extensions: ["yaml", "yml"]))
    var spec: String

    @Option(
        help: ArgumentHelp("Show only this import.", valueName: "stage"),
        completion: Completion.stages)
    var stage: String?

    @Option(
        help: ArgumentHelp(
            "Show at most N mapped records of each import; N rejects, or 10 if more, end it too.",
            valueName: "n"))
    var limit = 10

    @OptionGroup var parameters: SetFlags
    @OptionGroup var commands: CommandFlags

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit is 1 or more") }
    }

    func run() throws {
        SignalHandling.endAtOnce()
        let context = SetFlags.context(parameters.sets)
        let output = StandardOutput(environment: context.environment)
        let outcome = Preview(
            context, only: stage, limit: limit, isTerminal: output.isTerminal,
            allowsCommands: !commands.areForbidden,
            emit: { Terminal.write($0) }
        ).run(spec)
        for error in outcome.errors { Terminal.write(error) }
        if Terminal().isInteractive {
            for stage in outcome.stages { Terminal.writeMessage(stage.text) }
            if outcome.stages.isEmpty, outcome.status == .ok {
                Terminal.writeMessage("\(spec) has no import")
            }
        }
        if outcome.status != .ok { throw ExitCode(outcome.status.rawValue) }
    }
}
