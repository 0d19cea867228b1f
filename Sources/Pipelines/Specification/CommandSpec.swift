package import Diagnostics
import Files
import Processes
import RecordStreams

/// A command of a spec, whose output is read or whose input is written.
package struct CommandSpec: Sendable, Hashable {
    /// A variable that it gets besides those of etl.
    package struct Variable: Sendable, Hashable {
        /// Its name.
        package var name: String
        /// Its value, in which secrets may stand.
        package var value: TemplateText
    }

    /// The program and its arguments.
    package var words: [TemplateText]
    /// The variables that it gets besides.
    package var variables: [Variable] = []
    /// Where it stands.
    package var location: SourceLocation
}

extension ParameterValues {
    /// The command with its parameters put in; it runs in the spec's folder, where a program with a
    /// relative path is looked for, too.
    func command(_ spec: CommandSpec) -> Command {
        Command(
            words: spec.words.map(resolve),
            variables: Dictionary(
                spec.variables.map { ($0.name, resolve($0.value)) }, uniquingKeysWith: { $1 }),
            folder: specFolder.isEmpty
                ? "." : FileDescriptor.resolved(specFolder) ?? specFolder)
    }
}

extension Stage {
    /// The command that the stage starts.
    package var command: CommandSpec? {
        switch kind {
        case .import(let spec): spec.read.command
        case .export(let spec): spec.command
        case .update, .delete, .verify: nil
        }
    }
}

extension Command {
    /// What shows the lines that it writes to its standard error, as notes.
    ///
    /// - Parameter name: what the notes call the command; `nil` for its words.
    func telling(
        as name: String? = nil, _ tell: @escaping @Sendable (Diagnostic) -> Void
    ) -> @Sendable (String) -> Void {
        let place = Diagnostic.Place.file(name ?? InputFile.path(of: self).displayText)
        return { line in tell(Diagnostic(.note, code: "command.says", line, at: place)) }
    }
}
