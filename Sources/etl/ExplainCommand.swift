import ArgumentParser
import Pipelines

/// Tells what a code means: `etl explain CODE`.
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract:
            "Tell what an exit status or the code of a reject or message means, and what to do.",
        discussion: """
            The code stands in brackets behind a message. Without CODE it lists all, a line each; \
            an area such as csv lists its faults. Exit status: 0 ok, 64 nothing has that code.
            """)

    @Argument(
        help: ArgumentHelp("Such as 65, DATAERR, cast or csv.header.", valueName: "code"))
    var code: String?

    func run() throws {
        SignalHandling.endAtOnce()
        do throws(RunFailure) {
            guard let code else { return StandardOutput.show(Explanation.overview) }
            for explanation in try Explanation.of(code) {
                StandardOutput.show(explanation.text)
            }
        } catch {
            throw error.shown()
        }
    }
}
