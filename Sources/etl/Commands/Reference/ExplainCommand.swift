import ArgumentParser
import Pipelines

/// Explains a code: `etl explain CODE`.
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explain an exit status, the code of a message or reject, or a result.",
        discussion: """
            A message ends with its code in brackets. The results of records, such as superseded, \
            are explained, too. Without CODE, it lists all codes, one per line. An area such as csv \
            lists its codes.

            Exit status: 0 ok, 64 nothing has that code.
            """)

    @Argument(
        help: ArgumentHelp(
            "A code, such as 65, DATAERR, cast, csv.header, or superseded.", valueName: "code"))
    var code: String?

    func run() throws {
        SignalHandling.endAtOnce()
        guard let code else { return StandardOutput.show(Explanation.overview) }
        for explanation in try Explanation.of(code) { StandardOutput.show(explanation.text) }
    }
}
