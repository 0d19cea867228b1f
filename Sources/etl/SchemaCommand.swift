import ArgumentParser
import Pipelines

/// Tells editors what a spec may say: `etl schema`.
struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Print the JSON Schema of specs, with which an editor completes and checks them.",
        discussion: """
            Write it beside your specs, and name it in their first line:
              etl schema > etl.schema.json
              # yaml-language-server: $schema=etl.schema.json

            It knows the keys and what may stand under each; `etl check` knows the model, too. Exit \
            status: 0 ok, 74 it cannot be written.
            """)

    func run() throws {
        StandardOutput.endOnSignals()
        print(SpecificationSchema.text, terminator: "")
    }
}
