import ArgumentParser
import Pipelines

/// Tells editors what a file may say: `etl schema`.
struct SchemaCommand: ParsableCommand {
    /// The files that are described.
    enum Subject: String, ExpressibleByArgument, CaseIterable {
        case spec, model
    }

    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Print the JSON Schema of specs or models, with which an editor completes and "
            + "checks them.",
        discussion: """
            Write it beside your files, and name it in their first line:
              etl schema > etl.schema.json
              # yaml-language-server: $schema=etl.schema.json
              etl schema model > etl-model.schema.json
              # yaml-language-server: $schema=etl-model.schema.json

            It knows the keys and what may stand under each; `etl check` knows the model, too. Exit \
            status: 0 ok, 74 it cannot be written.
            """)

    @Argument(help: "What is described: spec or model.")
    var subject = Subject.spec

    func run() throws {
        SignalHandling.endAtOnce()
        let text = subject == .model ? ModelSchema.text : SpecificationSchema.text
        print(text, terminator: "")
    }
}
