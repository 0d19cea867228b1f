import Diagnostics
import YAML

/// The keys of a spec.
enum SpecKeys {
    static let version = Key(
        required: "etl",
        Form<Int64>(.integer(1...SpecificationReader.version)) { value, _ in
            guard let version = value.integer(in: 1...Int64.max) else { return nil }
            guard version > SpecificationReader.version else { return version }
            value.fail(
                "version",
                "The spec is of format \(version); this etl reads format "
                    + "\(SpecificationReader.version)", fix: "use a newer etl")
            return nil
        }, "The version of the format.", example: "1",
        fix: "begin the file with `etl: \(SpecificationReader.version)`")
    static let name = Key(
        "name", PipelineSpec.nameForm, without: "the file's name",
        "The name of the pipeline's lock, reject folders, and reports.", example: "nightly-tasks")
    static let parameters = Key(
        "params", ParameterSpec.form,
        """
        Values that are set when the spec runs: `${NAME}` in strings, `$NAME` in predicates and \
        expressions.
        """, example: "{ cutoff: { type: date, default: today - 90d } }")
    static let store = Key(
        required: "store", .mapping(StoreKeys.mapping) { StoreSpec($0) },
        "The store that the stages read and change.", example: "{ at: tasks.sqlite }")
    static let budget = Key(
        "budget", .mapping(BudgetKeys.mapping) { BudgetSpec($0) }, "Limits for a run.",
        example: "{ save-every: 5000 }")
    static let rejects = Key(
        "rejects", .mapping(RejectsKeys.mapping) { RejectsSpec($0) },
        "The folder and the maximum number of rejected records.", example: "{ allow: 1% }")
    static let report = Key(
        "report", .mapping(ReportKeys.mapping) { ReportSpec($0) }, "The reports of runs.",
        example: "{ keep: 10 }")
    static let onFailure = Key(
        "on-failure",
        .either(
            .command,
            or: .mapping(FailureKeys.mapping) {
                CommandSpec(FailureKeys.command, FailureKeys.variables, in: $0)
            }),
        """
        A program and its arguments, without a shell. etl starts it after the report is written, \
        unless the run ends with 0. It runs in the spec's folder. The last argument is the absolute \
        path of the report (JSON); if the run has written none, for example because another run has \
        the store, this argument is missing. The variable `ETL_EXIT` is the exit code. The command \
        has five minutes. If it fails, etl prints a warning; the exit code of the run does not \
        change. It may contain parameters, but no secrets. `plan` does not start it, and \
        `--no-commands` does not allow it.
        """, example: "[./tell-the-team.sh, nightly]")
    static let stages = Key(
        required: "stages", Stage.form, "The stages, in order. A stage that fails ends the run.",
        example: "[{ export: Task, to: tasks.csv }]")
    static let tests = Key(
        "tests", SpecificationTest.form,
        "Tests of the spec for `etl test`, on a store in memory.",
        example: "[{ name: nothing comes of nothing, then: { Task: [] } }]")
    static let mapping = DescribedMapping(
        "spec", "The whole file.",
        example: """
            etl: 1
            store: { at: tasks.sqlite, model: task-model.yaml, open: create }
            stages:
              - import: tasks.ndjson.gz
                into: Task
              - export: Task
                to: out/tasks.csv
            """,
        keys: [
            version, name, parameters, store, budget, rejects, report, onFailure, stages, tests,
        ])
}

extension PipelineSpec {
    /// Reads as much of a spec as possible; `nil` if the file is not a spec.
    init?(_ root: YAMLValue, _ reader: SpecificationReader) {
        guard let top = root.mapping() else { return nil }
        if let model = top.optional("model"), top.optional("entities") != nil {
            model.fail(
                "is-a-model", "This file is a model, and no spec",
                fix: "name the spec that uses it; `etl model show` shows a model")
            return nil
        }
        let keys = KeyedMapping(source: top, reader: reader)
        _ = keys[SpecKeys.version]
        let name =
            keys[SpecKeys.name]
            ?? (top.has("name") ? "" : Self.name(fromFile: reader.problems.file))
        let parameters = keys[SpecKeys.parameters] ?? []
        reader.templateNames += parameters.map(\.name)
        // A placeholder for an invalid store, so that the stages are still checked.
        let none = StoreSpec(
            at: TemplateText(literal: "", at: root.location), model: nil, open: .existing,
            location: root.location)
        self.init(
            file: reader.problems.file, name: name, parameters: parameters,
            store: keys[SpecKeys.store] ?? none, budget: keys[SpecKeys.budget] ?? BudgetSpec(),
            rejects: keys[SpecKeys.rejects] ?? RejectsSpec(),
            report: keys[SpecKeys.report] ?? ReportSpec(), onFailure: keys[SpecKeys.onFailure],
            stages: keys[SpecKeys.stages] ?? [], tests: keys[SpecKeys.tests] ?? [])
        top.finish(SpecKeys.mapping)
    }

    /// Warns of unused parameters, unless there are errors: the key that uses a parameter may then
    /// not have been read.
    func warnOfUnused(_ reader: SpecificationReader) {
        guard !reader.problems.hasErrors else { return }
        for parameter in parameters where !reader.usedNames.contains(parameter.name) {
            reader.problems.report(
                Diagnostic(
                    .warning, code: "spec.unused-parameter",
                    "Nothing uses the parameter '\(parameter.name)'",
                    at: .source(parameter.location),
                    fix: "write ${\(parameter.name)} in a text or $\(parameter.name) in a "
                        + "predicate, or remove it"))
        }
    }

    fileprivate static let nameForm = Form<String>(
        .pattern("^[a-z0-9-]{1,64}$", "1 to 64 of the characters a-z, 0-9, and -")
    ) { value, _ in
        guard let name = value.filledText() else { return nil }
        if !isName(name) {
            value.fail(
                "name", "'\(name)' is not a valid pipeline name",
                fix: "use 1 to 64 of the characters a-z, 0-9, and -")
        }
        return name
    }
}
