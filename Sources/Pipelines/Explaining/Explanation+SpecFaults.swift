/// Faults of specs and their models.
extension Explanation {
    typealias Fault = (code: String, meaning: String, fix: String)

    static let specFaults: [Fault] = [
        (
            "spec.by", "The `by` of a link has no attribute.",
            "Write the attributes that identify an object, each with its field."
        ),
        (
            "spec.choice", "The key does not allow this value.",
            "Use a value that the message lists."
        ),
        (
            "spec.command", "A command is a single string, but must be a list of words.",
            "Write a list of words, or start a shell with `[sh, -c, \"…\"]`."
        ),
        (
            "spec.command-output",
            "The spec exports to a command, but its files are published only at the end of the run.",
            "Export to a file, or move the export to a separate spec."
        ),
        (
            "spec.command-secret", "A command line contains a secret.",
            "Pass it in `env`."
        ),
        ("spec.columns", "A table has no header and no `columns`.", "Name its columns."),
        (
            "spec.constant", "A constant does not have the type of its attribute.",
            "Write a value of the attribute's type."
        ),
        (
            "spec.date-pattern",
            "A date pattern has unknown letters, or letters with another meaning than intended.",
            "Use y M d H h m s S a X, and put other letters in apostrophes; M is the month, m the "
                + "minute, and h goes with a."
        ),
        (
            "spec.derived",
            "The spec sets an attribute that its model derives from other values at each save.",
            "Remove it from `set`, or remove its derivation from the model."
        ),
        ("spec.duplicate-name", "A name occurs twice.", "Rename one, or remove it."),
        (
            "spec.expect", "A statement of `expect` cannot be read.",
            "Write `Entity` or `Entity where predicate`, and a comparison such as \">= 1\"."
        ),
        (
            "spec.foreign-format",
            "The name of an export has the extension of a format that etl does not write.",
            "Export to a command that compresses, or export CSV or NDJSON and convert it. The message shows the line."
        ),
        ("spec.format", "The format cannot be determined from the file's name.", "Add `as`."),
        (
            "spec.is-a-model", "The file is a model, not a spec.",
            "Name the spec; `etl model show` shows a model."
        ),
        (
            "spec.is-a-store", "The file is a store, not a spec.",
            "Name the spec; `etl fetch` shows a store."
        ),
        (
            "spec.is-data", "The file is data, not a spec.",
            "Name the spec that imports it; `etl infer` makes one."
        ),
        ("spec.missing-key", "A required key is missing.", "Add it; see the reference."),
        (
            "spec.model", "The model that the spec names cannot be read.",
            "Check the path under `store.model`."
        ),
        (
            "spec.model-version",
            "The store has another version of the model than the bundle's current one, so the run"
                + " uses the version that the store has.",
            "Name that version in `store.model`, or migrate the store with `etl migrate`."
        ),
        (
            "spec.name", "A name has characters that are not allowed.",
            "Use the characters that the message lists."
        ),
        ("spec.parameter", "A `${` is never closed.", "Close it, or write `$${` for itself."),
        (
            "spec.path", "A path into records cannot be read.",
            "Write names with dots, and `[*]` for each element: `tags[*].name`."
        ),
        (
            "spec.range", "A number is out of range.",
            "Use a number in the range that the message shows."
        ),
        (
            "spec.rule", "The key conflicts with another key or with the format.",
            "Remove it or the key that the message names."
        ),
        (
            "spec.secret", "The spec contains a secret.",
            "Keep it in a file or the environment, and name that under `from`."
        ),
        (
            "spec.short-secret", "A secret has fewer than 4 bytes, so it cannot be masked.",
            "Use a longer secret."
        ),
        ("spec.set", "The `set` of an update has no attribute.", "Add the attributes to change."),
        (
            "spec.source", "A source of a parameter is neither a file nor the environment.",
            "Begin it with `file:` or `env:`."
        ),
        (
            "spec.stage-kind", "A stage has no kind, or two kinds.",
            "Begin it with import, update, delete, export, or verify."
        ),
        ("spec.stages", "The spec has no stage.", "Add one."),
        (
            "spec.standard-input", "Standard input is read twice.",
            "It can be read only once. Read it in one stage, or use a file."
        ),
        (
            "spec.template-in-predicate", "A predicate or an expression contains `${name}`.",
            "Write `$name` without quotes, because it is a value there."
        ),
        (
            "spec.type", "The value does not have the type that the key requires.",
            "Use the type in the message; text that looks like a number needs quotes."
        ),
        (
            "spec.too-many-columns",
            "The entities of a hierarchy need more columns than SQLite allows.",
            "They share one table of at most 2,000 columns, 990 of them searchable. Remove the "
                + "parent of some sub-entities."
        ),
        (
            "spec.url", "The value is a URL, but must be a path.",
            "Copy the file first, or pipe it to `files: \"-\"`."
        ),
        (
            "spec.unknown-column", "The spec names a column that `columns` does not have.",
            "Correct the name."
        ),
        (
            "spec.unknown-key", "The key is unknown at this position.",
            "Correct or remove the key; the message suggests the closest match."
        ),
        (
            "spec.unknown-parameter", "The spec has no parameter with that name.",
            "Declare it under `params`, or write `$${` for the two characters."
        ),
        (
            "spec.unset-parameter", "A parameter has no value.",
            "Give it with `--set name=value`, or add a `default` or `from`."
        ),
        ("spec.unused-parameter", "Nothing uses the parameter.", "Use it, or remove it."),
        ("spec.version", "The spec has a newer format.", "Use a newer etl."),
        (
            "spec.zone", "The zone is not an offset from UTC.",
            "Write Z, or an offset such as +02:00."
        ),
        (
            "mapping.ambiguous", "Several mapping models map the same two versions.",
            "Remove the ones that the app does not use."
        ),
        (
            "mapping.expression", "A mapping model has an expression that etl cannot evaluate.",
            "Write a mapping file for the step; `etl migrate --write-mapping FILE` writes the start."
        ),
        (
            "mapping.old-model", "The model of the store is unknown.",
            "Give a bundle or a model whose versions include it."
        ),
        (
            "mapping.policy-class", "A mapping model names a class of the app.",
            "Write a mapping file for the step; `etl migrate --write-mapping FILE` writes the start."
        ),
        (
            "mapping.read", "A mapping model cannot be read.",
            "Check its permissions, or remove it."
        ),
        (
            "mapping.same-model", "The store already has the model, so nothing is mapped.",
            "No action needed."
        ),
        (
            "mapping.todo", "A mapping file has a `todo`, which marks an open decision.",
            "Define what happens to the data with `from`, `where`, `set`, or `lookup`, then remove the"
                + " `todo`."
        ),
        (
            "mapping.xml", "The mapping model file is damaged.",
            "Restore it, or write a mapping file for the step."
        ),
        (
            "yaml.alias", "An alias names no earlier anchor, or refers to itself.",
            "Correct the name."
        ),
        ("yaml.documents", "A second document begins in the file.", "Give it its own file."),
        ("yaml.duplicate-key", "A key occurs twice in a mapping.", "Remove one."),
        ("yaml.empty", "The file is empty.", "Check that it is the right file."),
        ("yaml.encoding", "The file is not valid UTF-8.", "Save it as UTF-8."),
        ("yaml.key", "A key is a list or a mapping.", "Use text."),
        ("yaml.merge-key", "`<<` is not part of YAML 1.2.", "Write the keys out."),
        (
            "yaml.syntax", "The file is not valid YAML.",
            "Check the indentation, colons, and quotes at the position, and just before it."
        ),
        ("yaml.tag", "The tag is not supported.", "Remove it."),
        ("yaml.too-deep", "Lists and mappings are nested too deeply.", "Make it flatter."),
        ("yaml.too-large", "The file is too large for a spec.", "Move data to separate files."),
        ("yaml.too-many-nodes", "The aliases expand to too many nodes.", "Use fewer aliases."),
        ("yaml.version", "The file declares another YAML version.", "Write it as YAML 1.2."),
        ("query.set", "A `--set` of a query is not valid.", "Write name=value."),
        (
            "query.unknown-entity", "The store has no entity with that name.",
            "`etl fetch STORE` lists the entities."
        ),
        (
            "query.unsupported", "The query is not supported for a store.",
            "Follow the fix in the message."
        ),
        ("query.unused-variable", "No predicate uses the variable.", "Use it, or remove it."),
    ]

    static let modelFaults: [Fault] = [
        (
            "predicate.argument", "An argument is missing, superfluous, or of the wrong type.",
            "Pass one value for each placeholder."
        ),
        (
            "predicate.function", "The function does not exist, or it takes other arguments.",
            "Correct the name or its arguments at the caret."
        ),
        (
            "predicate.like-percent",
            "The pattern after LIKE contains %, which is a wildcard in SQL but a literal character here.",
            "Write * for any text and ? for one character; write \\% for a literal %."
        ),
        (
            "predicate.syntax", "The predicate or expression is not valid.",
            "Correct it at the caret."
        ),
        (
            "predicate.to-many", "A to-many relationship is used where a single value is needed.",
            "Write ANY, ALL, or NONE before it, or @count after it."
        ),
        ("predicate.too-deep", "Parentheses are nested too deeply.", "Make it flatter."),
        ("predicate.too-long", "The predicate is too long.", "Use IN with a list."),
        (
            "predicate.type", "The two sides of an operator have types that do not match.",
            "Compare values of one type; cast(value, 'Date') converts text to a date."
        ),
        (
            "predicate.unknown-key", "The entity has no property with that name.",
            "Correct the name; the message suggests the closest match."
        ),
        (
            "predicate.unsupported", "The predicate is not supported for a store.",
            "Follow the fix in the message."
        ),
        ("predicate.variable", "A variable has no value.", "Declare it as a parameter."),
        (
            "model.archive", "The file is not a compiled model, or is damaged.",
            "Use the .xcdatamodeld that it was compiled from."
        ),
        (
            "model.current-version", "The bundle does not name its current version.",
            "Name a version's .xcdatamodel, or correct .xccurrentversion."
        ),
        (
            "model.is-spec", "The file is a spec, but must be a model.",
            "Name the model under its `store.model`."
        ),
        (
            "model.left-out", "A part of a compiled model could not be read.",
            "No action needed if you do not use that part; the .xcdatamodeld is complete."
        ),
        ("model.no-contents", "A version of the bundle is empty.", "Save it in Xcode again."),
        ("model.no-version", "The bundle contains no version.", "Check that it is the right file."),
        (
            "model.not-in-xcode", "Xcode's format cannot store a part of the model.",
            "No action needed if you do not need that part in Xcode."
        ),
        ("model.old-format", "The model has an outdated format.", "Save it in Xcode again."),
        ("swift.name", "A name in the model is not a valid Swift name.", "Rename it."),
        (
            "swift.hidden-type",
            "A generated class has the name of a Swift type, and hides it.",
            "Set `class` on the entity, or write the Swift type with its module."
        ),
    ]
}
