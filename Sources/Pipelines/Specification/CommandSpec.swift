package import Diagnostics
import Files
import Processes
import RecordStreams
import YAML

/// The keys of a command that replaces a file.
enum CommandKeys {
    static let command = Key(
        required: "command", .command,
        """
        A program and its arguments, used instead of a file. No shell splits the words; `[sh, \
        -c, "a | b"]` starts one. Parameters are allowed in them, but secrets are not, because \
        every user could read them. It runs in the spec's folder. Its stderr is shown. If it \
        exits with a code other than 0, an import fails with 65, after importing the records \
        before that, and an export with 74. If it cannot be started, the run exits with 66.
        """, example: "[zstd, -dc, tasks.ndjson.zst]")
    static let variables = Key(
        "env", .variables,
        "Environment variables of the command, in addition to the variables of etl; secrets are allowed.",
        example: "{ LANG: C }")
}

/// The keys of `on-failure`.
enum FailureKeys {
    static let command = Key(
        required: "command", .command,
        "The program and its arguments; the path of the report is added.",
        example: "[./tell-the-team.sh, nightly]")
    static let variables = Key(
        "env", .variables,
        "Environment variables, in addition to the variables of etl and `ETL_EXIT`; secrets are allowed.",
        example: "{ LANG: C }")
    static let mapping = DescribedMapping(
        "onFailure", title: "on-failure",
        "A command that runs after a failed run, with environment variables.",
        keys: [command, variables])
}

/// A command of a spec whose output is read or that receives input.
package struct CommandSpec: Sendable, Hashable {
    /// An environment variable of the command, in addition to those of etl.
    package struct Variable: Sendable, Hashable {
        /// The name of the variable.
        package var name: String
        /// The value of the variable, which may contain secrets.
        package var value: TemplateText
    }

    /// The program and its arguments.
    package var words: [TemplateText]
    /// The environment variables in addition to those of etl.
    package var variables: [Variable] = []
    /// The location of the command in the spec.
    package var location: SourceLocation
}

extension CommandSpec {
    /// Reads a command and its variables.
    init?(_ command: Key<CommandSpec?>, _ variables: Key<[Variable]?>, in keys: KeyedMapping) {
        let variables = keys[variables]
        guard let command = keys[command] else { return nil }
        self = command
        self.variables = variables ?? []
    }

    /// The allowed values of a word in a command, which may be empty or a number.
    fileprivate static let word = Form<TemplateText>(.scalar) { value, reader in
        guard let scalar = value.scalar, !scalar.isPlain || !scalar.text.isEmpty else {
            return value.wrong("text")
        }
        guard !scalar.text.utf8.contains(0) else { return value.wrong("text without NUL") }
        return reader.template(scalar.text, value)
    }
}

extension Form where Value == CommandSpec {
    /// The form of a command: a program and its arguments.
    static var command: Form {
        Form(.list(.scalar)) { value, reader in
            guard let items = value.list() else { return nil }
            guard let first = items.first else {
                value.fail("type", "'\(value.label)' names no program")
                return nil
            }
            if let text = first.scalar?.text, items.count == 1, text.contains(" ") {
                first.fail(
                    "command", "No program is named '\(text)'; a command is a list of words",
                    fix: "write [\(text.split(separator: " ").joined(separator: ", "))], or "
                        + "[sh, -c, \"\(text)\"] for a shell")
                return nil
            }
            return CommandSpec(
                words: items.compactMap { CommandSpec.word.read($0, reader) },
                location: value.location)
        }
    }
}

extension Form where Value == [CommandSpec.Variable] {
    /// The form of environment variables: values by name.
    static var variables: Form {
        .named("NAME", .text) { name, value, reader in
            guard !name.text.isEmpty, name.text.first?.isNumber == false,
                !name.text.utf8.contains(where: { $0 == UInt8(ascii: "=") || $0 == 0 })
            else {
                value.fail("name", "'\(name.text)' is not a valid name of a variable")
                return nil
            }
            return CommandSpec.word.read(value, reader).map {
                CommandSpec.Variable(name: name.text, value: $0)
            }
        }
    }
}

extension ParameterValues {
    /// Returns the command with its parameters replaced.
    ///
    /// It runs in the spec's folder, where a program with a relative path is also searched for.
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
    /// The command that the stage runs.
    package var command: CommandSpec? { kind.command }
}

extension Command {
    /// Returns a function that reports the lines of the command's standard error as notes.
    ///
    /// - Parameter name: The name of the command in the notes; `nil` for its words.
    func reporting(
        as name: String? = nil, _ emit: @escaping @Sendable (Diagnostic) -> Void
    ) -> @Sendable (String) -> Void {
        let place = Diagnostic.Place.file(name ?? InputFile.path(of: self).displayText)
        return { line in emit(Diagnostic(.note, code: "command.says", line, at: place)) }
    }
}
