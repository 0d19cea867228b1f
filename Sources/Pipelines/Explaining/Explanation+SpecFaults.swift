/// Faults of specs and their models.
extension Explanation {
    static let specFaults: [Explanation] = [
        .init(
            "spec.by", "The `by` of a link has no attribute.",
            "Write the attributes that identify an object, each with its field."),
        .init(
            "spec.choice", "The key does not allow this value.",
            "Use a value that the message lists."),
        .init(
            "spec.command", "A command is a single string, but must be a list of words.",
            "Write a list of words, or start a shell with `[sh, -c, \"…\"]`."),
        .init(
            "spec.command-output",
            "The spec exports to a command, but its files are published only at the end of the run.",
            "Export to a file, or move the export to a separate spec."),
        .init("spec.command-secret", "A command line contains a secret.", "Pass it in `env`."),
        .init("spec.columns", "A table has no header and no `columns`.", "Name its columns."),
        .init(
            "spec.constant", "A constant does not have the type of its attribute.",
            "Write a value of the attribute's type."),
        .init(
            "spec.date-pattern",
            "A date pattern has unknown letters, or letters with another meaning than intended.",
            "Use y M d H h m s S a X, and put other letters in apostrophes; M is the month, m the "
                + "minute, and h goes with a."),
        .init(
            "spec.derived",
            "The spec sets an attribute that its model derives from other values at each save.",
            "Remove it from `set`, or remove its derivation from the model."),
        .init("spec.duplicate-name", "A name occurs twice.", "Rename one, or remove it."),
        .init(
            "spec.expect", "A statement of `expect` cannot be read.",
            "Write `Entity` or `Entity where predicate`, and a comparison such as \">= 1\"."),
        .init(
            "spec.foreign-format",
            "The name of an export has the extension of a format that etl does not write.",
            "Export to a command that compresses, or export CSV or NDJSON and convert it. The message shows the line."
        ),
        .init("spec.format", "The format cannot be determined from the file's name.", "Add `as`."),
        .init(
            "spec.is-a-model", "The file is a model, not a spec.",
            "Name the spec; `etl model show` shows a model."),
        .init(
            "spec.is-a-store", "The file is a store, not a spec.",
            "Name the spec; `etl fetch` shows a store."),
        .init(
            "spec.is-data", "The file is data, not a spec.",
            "Name the spec that imports it; `etl infer` makes one."),
        .init("spec.missing-key", "A required key is missing.", "Add it; see the reference."),
        .init(
            "spec.model", "The model that the spec names cannot be read.",
            "Check the path under `store.model`."),
        .init(
            "spec.model-version",
            "The store has another version of the model than the bundle's current one, so the run"
                + " uses the version that the store has.",
            "Name that version in `store.model`, or migrate the store with `etl migrate`."),
        .init(
            "spec.name", "A name has characters that are not allowed.",
            "Use the characters that the message lists."),
        .init("spec.parameter", "A `${` is never closed.", "Close it, or write `$${` for itself."),
        .init(
            "spec.path", "A path into records cannot be read.",
            "Write names with dots, and `[*]` for each element: `tags[*].name`."),
        .init(
            "spec.range", "A number is out of range.",
            "Use a number in the range that the message shows."),
        .init(
            "spec.rule", "The key conflicts with another key or with the format.",
            "Remove it or the key that the message names."),
        .init(
            "spec.secret", "The spec contains a secret.",
            "Keep it in a file or the environment, and name that under `from`."),
        .init(
            "spec.short-secret", "A secret has fewer than 4 bytes, so it cannot be masked.",
            "Use a longer secret."),
        .init(
            "spec.set", "The `set` of an update has no attribute.",
            "Add the attributes to change."),
        .init(
            "spec.source", "A source of a parameter is neither a file nor the environment.",
            "Begin it with `file:` or `env:`."),
        .init(
            "spec.stage-kind", "A stage has no kind, or two kinds.",
            "Begin it with import, update, delete, export, or verify."),
        .init("spec.stages", "The spec has no stage.", "Add one."),
        .init(
            "spec.standard-input", "Standard input is read twice.",
            "It can be read only once. Read it in one stage, or use a file."),
        .init(
            "spec.template-in-predicate", "A predicate or an expression contains `${name}`.",
            "Write `$name` without quotes, because it is a value there."),
        .init(
            "spec.type", "The value does not have the type that the key requires.",
            "Use the type in the message; text that looks like a number needs quotes."),
        .init(
            "spec.too-many-columns",
            "The entities of a hierarchy need more columns than SQLite allows.",
            "They share one table of at most 2,000 columns, 990 of them searchable. Remove the "
                + "parent of some sub-entities."),
        .init(
            "spec.url", "The value is a URL, but must be a path.",
            "Copy the file first, or pipe it to `files: \"-\"`."),
        .init(
            "spec.unknown-column", "The spec names a column that `columns` does not have.",
            "Correct the name."),
        .init(
            "spec.unknown-key", "The key is unknown at this position.",
            "Correct or remove the key; the message suggests the closest match."),
        .init(
            "spec.unknown-parameter", "The spec has no parameter with that name.",
            "Declare it under `params`, or write `$${` for the two characters."),
        .init(
            "spec.unset-parameter", "A parameter has no value.",
            "Give it with `--set name=value`, or add a `default` or `from`."),
        .init("spec.unused-parameter", "Nothing uses the parameter.", "Use it, or remove it."),
        .init("spec.version", "The spec has a newer format.", "Use a newer etl."),
        .init(
            "spec.zone", "The zone is not an offset from UTC.",
            "Write Z, or an offset such as +02:00."),
        .init(
            "mapping.ambiguous", "Several mapping models map the same two versions.",
            "Remove the ones that the app does not use."),
        .init(
            "mapping.expression", "A mapping model has an expression that etl cannot evaluate.",
            "Write a mapping file for the step; `etl migrate --write-mapping FILE` writes the start."
        ),
        .init(
            "mapping.old-model", "The model of the store is unknown.",
            "Give a bundle or a model whose versions include it."),
        .init(
            "mapping.policy-class", "A mapping model names a class of the app.",
            "Write a mapping file for the step; `etl migrate --write-mapping FILE` writes the start."
        ),
        .init(
            "mapping.read", "A mapping model cannot be read.",
            "Check its permissions, or remove it."),
        .init(
            "mapping.same-model", "The store already has the model, so nothing is mapped.",
            "No action needed."),
        .init(
            "mapping.todo", "A mapping file has a `todo`, which marks an open decision.",
            "Define what happens to the data with `from`, `where`, `set`, or `lookup`, then remove the"
                + " `todo`."),
        .init(
            "mapping.xml", "The mapping model file is damaged.",
            "Restore it, or write a mapping file for the step."),
        .init(
            "yaml.alias", "An alias names no earlier anchor, or refers to itself.",
            "Correct the name."),
        .init("yaml.documents", "A second document begins in the file.", "Give it its own file."),
        .init("yaml.duplicate-key", "A key occurs twice in a mapping.", "Remove one."),
        .init("yaml.empty", "The file is empty.", "Check that it is the right file."),
        .init("yaml.encoding", "The file is not valid UTF-8.", "Save it as UTF-8."),
        .init("yaml.key", "A key is a list or a mapping.", "Use text."),
        .init("yaml.merge-key", "`<<` is not part of YAML 1.2.", "Write the keys out."),
        .init(
            "yaml.syntax", "The file is not valid YAML.",
            "Check the indentation, colons, and quotes at the position, and just before it."),
        .init("yaml.tag", "The tag is not supported.", "Remove it."),
        .init("yaml.too-deep", "Lists and mappings are nested too deeply.", "Make it flatter."),
        .init(
            "yaml.too-large", "The file is too large for a spec.", "Move data to separate files."),
        .init("yaml.too-many-nodes", "The aliases expand to too many nodes.", "Use fewer aliases."),
        .init("yaml.version", "The file declares another YAML version.", "Write it as YAML 1.2."),
        .init("query.set", "A `--set` of a query is not valid.", "Write name=value."),
        .init(
            "query.unknown-entity", "The store has no entity with that name.",
            "`etl fetch STORE` lists the entities."),
        .init(
            "query.unsupported", "The query is not supported for a store.",
            "Follow the fix in the message."),
        .init("query.unused-variable", "No predicate uses the variable.", "Use it, or remove it."),
    ]

    static let modelFaults: [Explanation] = [
        .init(
            "predicate.argument", "An argument is missing, superfluous, or of the wrong type.",
            "Pass one value for each placeholder."),
        .init(
            "predicate.function", "The function does not exist, or it takes other arguments.",
            "Correct the name or its arguments at the caret."),
        .init(
            "predicate.like-percent",
            "The pattern after LIKE contains %, which is a wildcard in SQL but a literal character here.",
            "Write * for any text and ? for one character; write \\% for a literal %."),
        .init(
            "predicate.syntax", "The predicate or expression is not valid.",
            "Correct it at the caret."),
        .init(
            "predicate.to-many", "A to-many relationship is used where a single value is needed.",
            "Write ANY, ALL, or NONE before it, or @count after it."),
        .init("predicate.too-deep", "Parentheses are nested too deeply.", "Make it flatter."),
        .init("predicate.too-long", "The predicate is too long.", "Use IN with a list."),
        .init(
            "predicate.type", "The two sides of an operator have types that do not match.",
            "Compare values of one type; cast(value, 'Date') converts text to a date."),
        .init(
            "predicate.unknown-key", "The entity has no property with that name.",
            "Correct the name; the message suggests the closest match."),
        .init(
            "predicate.unsupported", "The predicate is not supported for a store.",
            "Follow the fix in the message."),
        .init("predicate.variable", "A variable has no value.", "Declare it as a parameter."),
        .init(
            "model.archive", "The file is not a compiled model, or is damaged.",
            "Use the .xcdatamodeld that it was compiled from."),
        .init(
            "model.current-version", "The bundle does not name its current version.",
            "Name a version's .xcdatamodel, or correct .xccurrentversion."),
        .init(
            "model.is-spec", "The file is a spec, but must be a model.",
            "Name the model under its `store.model`."),
        .init(
            "model.left-out", "A part of a compiled model could not be read.",
            "No action needed if you do not use that part; the .xcdatamodeld is complete."),
        .init("model.no-contents", "A version of the bundle is empty.", "Save it in Xcode again."),
        .init(
            "model.no-version", "The bundle contains no version.",
            "Check that it is the right file."),
        .init(
            "model.not-in-xcode", "Xcode's format cannot store a part of the model.",
            "No action needed if you do not need that part in Xcode."),
        .init("model.old-format", "The model has an outdated format.", "Save it in Xcode again."),
        .init("swift.name", "A name in the model is not a valid Swift name.", "Rename it."),
        .init(
            "swift.hidden-type", "A generated class has the name of a Swift type, and hides it.",
            "Set `class` on the entity, or write the Swift type with its module."),
    ]
}
