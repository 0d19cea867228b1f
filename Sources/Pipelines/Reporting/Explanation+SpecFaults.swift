/// Faults of specs and their models.
extension Explanation {
    typealias Fault = (code: String, meaning: String, mend: String)

    static let specFaults: [Fault] = [
        (
            "spec.by", "A link's `by` names no attribute.",
            "Name those that identify an object, each with its field."
        ),
        (
            "spec.choice", "The key does not allow this value.",
            "Take one that the message lists."
        ),
        (
            "spec.command", "A command is a single string, but must be a list of words.",
            "Write a list of words, or start a shell with `[sh, -c, \"…\"]`."
        ),
        (
            "spec.command-output",
            "The spec exports to a command, but publishes nothing before its end.",
            "Export to a file, or in a spec of its own."
        ),
        (
            "spec.command-secret", "A command line contains a secret.",
            "Give it by `env`."
        ),
        ("spec.columns", "A table has no header and no `columns`.", "Name its columns."),
        (
            "spec.constant", "A constant is no value of its attribute.",
            "Write one that the attribute's type takes."
        ),
        (
            "spec.date-pattern",
            "The pattern of a date has letters that mean nothing, or something else than was meant.",
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
            "The name of an export is that of a format that etl does not write.",
            "Let a command compress it, or export CSV or NDJSON and convert that; the message has the line."
        ),
        ("spec.format", "The file's name does not identify its format.", "Add `as`."),
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
        ("spec.missing-key", "A key that must be there is not.", "Add it; see the reference."),
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
            "spec.name", "A name has characters that it may not have.",
            "The message tells which are allowed."
        ),
        ("spec.parameter", "A `${` is never closed.", "Close it, or write `$${` for itself."),
        (
            "spec.path", "A path into records cannot be read.",
            "Write names with dots, and `[*]` for each element: `tags[*].name`."
        ),
        ("spec.range", "A number is out of its bounds.", "The message tells them."),
        (
            "spec.rule", "The key is right, but not beside the others or for this format.",
            "The message tells which key it does not go with; remove one of the two."
        ),
        (
            "spec.secret", "The spec contains a secret.",
            "Keep it in a file or the environment, and name that under `from`."
        ),
        (
            "spec.short-secret", "A secret has fewer than 4 bytes, so it cannot be masked.",
            "Use a longer secret."
        ),
        ("spec.set", "`set` of an update names no attribute.", "Name what changes."),
        (
            "spec.source", "A source of a parameter is neither a file nor the environment.",
            "Begin it with `file:` or `env:`."
        ),
        (
            "spec.stage-kind", "A stage begins with none of the kinds, or with two.",
            "Begin it with import, update, delete, export or verify."
        ),
        ("spec.stages", "The spec has no stage.", "Add one."),
        (
            "spec.standard-input", "Standard input is read twice.",
            "It comes once: let one stage read it, or use a file."
        ),
        (
            "spec.template-in-predicate", "A `${name}` stands in a predicate or an expression.",
            "Write `$name`, without quotes: it is a value there."
        ),
        (
            "spec.type", "The value is of another kind than the key wants.",
            "The message tells which; text that looks like a number needs quotes."
        ),
        (
            "spec.too-many-columns",
            "The entities of a hierarchy need more columns than SQLite has.",
            "They share one table of at most 2,000 columns, 990 of them searchable. Make some of the "
                + "sub-entities entities of their own."
        ),
        (
            "spec.url", "A URL stands where a path must be.",
            "Copy the file first, or pipe it to `files: \"-\"`."
        ),
        (
            "spec.unknown-column", "The spec names a column that `columns` does not have.",
            "Correct the name."
        ),
        (
            "spec.unknown-key", "The key means nothing there.",
            "See the reference; the message tells the key that is nearest."
        ),
        (
            "spec.unknown-parameter", "No parameter has that name.",
            "Declare it under `params`, or write `$${` for the two characters."
        ),
        (
            "spec.unset-parameter", "A parameter has no value.",
            "Give it with `--set name=value`, or add a `default` or `from`."
        ),
        ("spec.unused-parameter", "Nothing uses the parameter.", "Use it, or remove it."),
        ("spec.version", "The spec is of a newer format.", "Use a newer etl."),
        ("spec.zone", "The zone is no offset from UTC.", "Write Z, or such as +02:00."),
        (
            "mapping.ambiguous", "Several mapping models are between the same two versions.",
            "Remove the ones that the app does not use."
        ),
        (
            "mapping.expression", "A mapping model has an expression that etl cannot evaluate.",
            "Write a mapping file for the step; `etl migrate --write-mapping FILE` writes the start."
        ),
        (
            "mapping.old-model", "The model that the store has is not known.",
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
            "mapping.same-model", "The store has the model already, so that nothing is mapped.",
            "No action needed."
        ),
        (
            "mapping.todo", "A mapping file has a `todo`: a decision that is still to be made.",
            "Define what happens to the data with `from`, `where`, `set`, or `lookup`, then remove the"
                + " `todo`."
        ),
        (
            "mapping.xml", "The file of a mapping model is damaged.",
            "Restore it, or write a mapping file for the step."
        ),
        (
            "yaml.alias", "An alias names no earlier anchor, or refers to itself.",
            "Correct the name."
        ),
        ("yaml.documents", "A second document begins in the file.", "Give it its own file."),
        ("yaml.duplicate-key", "A key occurs twice in a mapping.", "Remove one."),
        ("yaml.empty", "The file holds nothing.", "See whether it is the right one."),
        ("yaml.encoding", "The file is no UTF-8.", "Save it as UTF-8."),
        ("yaml.key", "A key is a list or a mapping.", "Use text."),
        ("yaml.merge-key", "`<<` is not part of YAML 1.2.", "Write the keys out."),
        (
            "yaml.syntax", "This is no YAML.",
            "Look at indentation, colons and quotes at the place, and just before it."
        ),
        ("yaml.tag", "A tag means nothing here.", "Remove it."),
        ("yaml.too-deep", "Lists and mappings are nested too deeply.", "Make it flatter."),
        ("yaml.too-large", "The file is too large for a spec.", "Put data into files of its own."),
        ("yaml.too-many-nodes", "Aliases make the file grow beyond bounds.", "Use fewer."),
        ("yaml.version", "The file says that it is of another YAML.", "Write it as YAML 1.2."),
        ("query.set", "A `--set` of a question cannot be used.", "Write name=value."),
        (
            "query.unknown-entity", "The store has no such entity.",
            "`etl fetch STORE` lists them."
        ),
        (
            "query.unsupported", "The question cannot be asked of a store.",
            "Do as the message says."
        ),
        ("query.unused-variable", "No predicate names the variable.", "Use it, or remove it."),
    ]

    static let modelFaults: [Fault] = [
        (
            "predicate.argument", "An argument is missing, left over or of the wrong type.",
            "Give one value for each place."
        ),
        (
            "predicate.function", "There is no such function, or it takes other arguments.",
            "Correct the name or its arguments at the caret."
        ),
        (
            "predicate.like-percent",
            "The pattern after LIKE contains %, which is a wildcard in SQL but a literal character here.",
            "Write * for any text and ? for one character; write \\% for a literal %."
        ),
        ("predicate.syntax", "The text cannot be read.", "Correct it at the caret."),
        (
            "predicate.to-many", "A to-many relationship is used where a single value is needed.",
            "Say ANY, ALL or NONE before it, or @count behind it."
        ),
        ("predicate.too-deep", "Parentheses are nested too deeply.", "Make it flatter."),
        ("predicate.too-long", "The predicate is too long.", "Use IN with a list."),
        (
            "predicate.type", "The two sides cannot be compared or computed with.",
            "Compare like with like; cast(value, 'Date') makes one of text."
        ),
        (
            "predicate.unknown-key", "The entity has no such property.",
            "Correct the name; the message suggests the closest match."
        ),
        ("predicate.unsupported", "This cannot be asked of a store.", "Do as the message says."),
        ("predicate.variable", "A variable has no value.", "Declare it as a parameter."),
        (
            "model.archive", "The file is no compiled model, or a damaged one.",
            "Give the .xcdatamodeld that it was made from."
        ),
        (
            "model.current-version", "The bundle does not name its current version.",
            "Name a version's .xcdatamodel, or correct .xccurrentversion."
        ),
        (
            "model.is-spec", "The file is a spec, where a model is asked for.",
            "Name the model under its `store.model`."
        ),
        (
            "model.left-out", "Something of a compiled model could not be read.",
            "No action needed if you do not use that part; the .xcdatamodeld is complete."
        ),
        ("model.no-contents", "A version of the bundle is empty.", "Save it in Xcode again."),
        ("model.no-version", "The bundle holds no version.", "See whether it is the right one."),
        (
            "model.not-in-xcode", "Xcode's format has no place for something of the model.",
            "No action needed if you do not need that part in Xcode."
        ),
        ("model.old-format", "The model has an outdated format.", "Save it in Xcode again."),
        ("swift.name", "A name in the model is not a valid Swift name.", "Rename it."),
        (
            "swift.hidden-type",
            "A generated class has the name of a type of Swift's, and hides it.",
            "Give the entity a `class`, or write Swift's type with its module."
        ),
    ]
}
