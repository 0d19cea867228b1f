import Diagnostics

/// Checks the commands of a spec: secrets in their words, and the commands of exports.
enum CommandCheck {
    static func check(_ spec: PipelineSpec) -> [Diagnostic] {
        let commands = spec.stages.compactMap(\.command) + [spec.onFailure].compactMap(\.self)
        return commands.flatMap { secrets(in: $0, of: spec) } + checkOutputs(spec)
    }

    /// Returns errors for the secrets in the words of a command.
    static func secrets(in command: CommandSpec, of spec: PipelineSpec) -> [Diagnostic] {
        let secrets = Set(spec.parameters.filter { $0.kind == .secret }.map(\.name))
        return command.words.flatMap { word in
            word.parameterNames.filter(secrets.contains).map { name in
                Diagnostic(
                    code: "spec.command-secret",
                    "'\(name)' is a secret, and every user of the machine can read the words of a "
                        + "command", at: .source(word.location),
                    fix: "pass it in a variable: `env: { \(name.uppercased()): \"${\(name)}\" }`")
            }
        }
    }

    /// Returns errors for export commands in a spec that publishes only at the end of a run.
    ///
    /// A command has already read its input then, so its effect cannot be undone.
    static func checkOutputs(_ spec: PipelineSpec) -> [Diagnostic] {
        guard let waits = delay(of: spec) else { return [] }
        return spec.stages.compactMap { stage in
            guard case .export = stage.kind.pathUse, let command = stage.command else {
                return nil
            }
            return Diagnostic(
                code: "spec.command-output",
                "With `store.\(waits.key): \(waits.value)` a failed run must publish nothing, but "
                    + "data that a command has read cannot be undone",
                at: .source(command.location),
                fix: "export to a file, or in a separate spec that runs after this one")
        }
    }

    /// Returns the store's key and value that delay publishing to the end of a run, or `nil`.
    static func delay(of spec: PipelineSpec) -> (key: String, value: String)? {
        if spec.store.commit == .run { return ("commit", "run") }
        return spec.store.open == .replace ? ("open", "replace") : nil
    }

    /// Fails if any of the stages, or `on-failure`, has a command.
    ///
    /// - Throws: `RunFailure` (78) if there is a command.
    static func reject(
        _ stages: [Stage], onFailure: CommandSpec? = nil
    ) throws(RunFailure) {
        var found = stages.compactMap { stage in
            stage.command.map { command in
                Diagnostic(
                    code: "command.refused",
                    "`--no-commands` does not allow the command of '\(stage.name)'",
                    at: .source(command.location),
                    fix: "read or write a file, or run it without `--no-commands`")
            }
        }
        if let onFailure {
            found.append(
                Diagnostic(
                    code: "command.refused",
                    "`--no-commands` does not allow the command of `on-failure`",
                    at: .source(onFailure.location),
                    fix: "leave out `on-failure`, or run it without `--no-commands`"))
        }
        guard found.isEmpty else { throw RunFailure(.configuration, found) }
    }
}
