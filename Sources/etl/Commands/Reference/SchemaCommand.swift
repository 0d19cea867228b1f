import ArgumentParser
import Pipelines

/// Prints the JSON Schema of specs or models for editors: `etl schema`.
struct SchemaCommand: ParsableCommand {
    /// The kinds of files with a schema.
    enum Subject: String, ExpressibleByArgument, CaseIterable {
        case spec, model
    }

    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Print the JSON Schema of specs or models for an editor.",
        discussion: """
            An editor completes and checks files with it. Write it next to your files, and name it \
            in their first line:
              etl schema > etl.schema.json
              # yaml-language-server: $schema=etl.schema.json
              etl schema model > etl-model.schema.json
              # yaml-language-server: $schema=etl-model.schema.json

            The schema has the keys and their values; `etl check` also checks against the model.

            Exit status: 0 ok, 74 the output cannot be written.
            """)

    @Argument(help: "The kind of file: spec or model.")
    var subject = Subject.spec

    func run() throws {
        SignalHandling.endAtOnce()
        let text = subject == .model ? ModelSchema.text : SpecificationSchema.text
        StandardOutput.write(text)
    }
}
