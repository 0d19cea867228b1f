import Diagnostics
import YAML

/// Commands in the place of files.
extension SpecificationReader {
    /// The command of an input or an output.
    ///
    /// - Parameter mapping: may have the key `env`.
    func readCommand(_ value: YAMLValue, in mapping: YAMLMapping? = nil) -> CommandSpec? {
        let variables = mapping?.optional("env")?.mapping()?.all().compactMap(readVariable) ?? []
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
        let words = items.compactMap(word)
        return CommandSpec(words: words, variables: variables, location: value.location)
    }

    /// `[CMD, …]`, or a mapping that has variables besides.
    func readFailureCommand(_ value: YAMLValue) -> CommandSpec? {
        guard value.isMapping, let mapping = value.mapping() else { return readCommand(value) }
        let command = mapping.required("command").flatMap { readCommand($0, in: mapping) }
        mapping.finish(.onFailure)
        return command
    }

    /// A word may be empty, and a number.
    private func word(_ value: YAMLValue) -> TemplateText? {
        guard let scalar = value.scalar, !scalar.isPlain || !scalar.text.isEmpty else {
            return value.wrong("text")
        }
        guard !scalar.text.utf8.contains(0) else { return value.wrong("text without NUL") }
        return template(scalar.text, value)
    }

    private func readVariable(
        _ entry: (key: String, keyLocation: SourceLocation, value: YAMLValue)
    ) -> CommandSpec.Variable? {
        guard !entry.key.isEmpty, entry.key.first?.isNumber == false,
            !entry.key.utf8.contains(where: { $0 == UInt8(ascii: "=") || $0 == 0 })
        else {
            entry.value.fail("name", "'\(entry.key)' is no name of a variable")
            return nil
        }
        return word(entry.value).map { CommandSpec.Variable(name: entry.key, value: $0) }
    }
}
