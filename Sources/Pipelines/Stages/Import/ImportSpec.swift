package import Diagnostics
import GraphModel
package import GraphStore
import YAML

/// The keys of an `import`.
enum ImportKeys {
    static let `import` = Key(
        required: "import", .text, "A file pattern, or the stage's name if `read` is set.",
        example: "tasks.ndjson.gz")
    static let read = Key(
        "read", ReadSpec.form, without: "by the pattern alone",
        "The input files and how to read them, a command, or the number of records to generate.",
        example: "{ files: \"in/*.csv\" }")
    static let into = Key(
        required: "into", .text, "The entity of the objects, which must not be abstract.",
        example: "Task")
    static let key = Key(
        "key", .oneOrMore(.text).distinct("in the key"),
        without: "the entity's only uniqueness constraint",
        """
        The attributes and to-one relationships that identify an object; a relationship needs its \
        `link`. They need no uniqueness constraint, so this works with models that CloudKit \
        constrains, and the model does not change. Without an index, etl keeps the keys in memory \
        (`budget.memory`) or in a temporary table, never in the store. If several objects have the \
        record's key, the record is rejected with the code `key`. Null never equals null: a \
        record without the complete key is rejected, and an object with a null key is never \
        found.
        """, example: "[id]")
    static let set = Key(
        "set", AttributeMapping.form, without: "the field of the same name fills an attribute",
        """
        The source of attributes: the path of a field such as `owner.email`, or a mapping. If a path \
        leads to nothing, or to null on the way, a field with that complete name, dots included, is \
        used, as in tables and flat exports. After a backslash, a dot is always part of a name \
        (`owner\\.email`), in tables too. An element of a composite is named by its path, such as \
        `magnitude.richter`; a path alone fills a complete composite with the object at the path.
        """, example: "{ title: Subject }")
    static let setOnly = Key(
        "set-only", .boolean, default: false, "Ignores fields that `set` does not name.",
        example: "true")
    static let link = Key(
        "link", LinkMapping.form,
        "The source of relationships. A linked object may come later in the same stage.",
        example: "{ category: { by: { name: category.name } } }")
    static let keepIf = Key(
        "keep-if", .predicate, without: "all records are kept",
        "Records for which this is false are skipped and counted.", example: "\"kind != 'draft'\"")
    static let duplicates = Key(
        "duplicates", .choice(BulkPlan.DuplicatePolicy.self), default: .last,
        """
        What to do if an earlier record of the stage had the same key. If the two records differ \
        and are in different saves, both changes are written. The report's objects and the history \
        then contain both, on every run of the same input. The record counts still count the \
        object once, by its result, and the final objects are the same.
        """, example: "reject")
    static let whenFound = Key(
        "when-found", .choice(ImportSpec.WhenFound.self), default: .update,
        "What to do if an object with this key existed before the stage.", example: "skip")
    static let whenMissing = Key(
        "when-missing", .choice(BulkPlan.AbsentPolicy.self), default: .create,
        "What to do if no object has the record's key.", example: "reject")
    static let whenSame = Key(
        "when-same", .choice(ImportSpec.WhenSame.self), default: .skip,
        "What to do if the object already has the record's values.", example: "touch")
    static let extra = Key(
        "extra", .choice(ImportSpec.Extra.self), default: .ignore,
        """
        What to do with fields that the stage does not read. A finished stage counts them by name in \
        the run's report; a field of a nested object is shown as a path. If the columns of a table \
        that nothing reads, or the attributes that no column fills, differ from the last report, \
        the run prints a warning.
        """, example: "reject")
    static let unmet = Key(
        "unmet", .choice(ImportSpec.Unmet.self), default: .warn,
        """
        What to do if no record has a path that the spec names, also in `keep-if` and `expr`. A \
        name inside null or an empty list does not count, nor does a path with a `default`. A \
        column that the header of a table lacks fails with 78, whatever this key says.
        """, example: "stop")
    static let on = Key(
        "on", .mapping(RejectKeys.mapping) { RejectRules($0) }, without: "rejects the record",
        "What to do with a rejected record, for each code.", example: "{ cast: stop }")
    static let mirror = Key(
        "mirror", .mapping(MirrorKeys.mapping) { MirrorSpec($0) },
        "After a complete read without rejects, deletes the objects that no record names.",
        example: "{ where: ALL }")
    static let mapping = DescribedMapping(
        "import",
        """
        Reads records from files into objects. If an object with the key exists, it is updated; \
        otherwise it is created. An invalid record is rejected, with the reason.

        An import has no merge conflicts, so the key `merge` is not allowed. Each batch is read \
        and written in one transaction, and no other process can change its rows in between. \
        `when-found` sets what happens to existing objects.
        """,
        example: """
              - import: tasks
                read: { files: "in/tasks-*.ndjson.gz", once: true }
                into: Task
                key: id
                keep-if: "status != 'draft'"
                set:
                  title:       { from: subject, clean: [trim], need: true }
                  isCompleted: { from: status, map: { done: true, open: false } }
                  dueOn:       { from: due, date: dd.MM.yyyy }
                link:
                  category: { by: { name: category.name } }
                  tags:     { by: { name: "tags[*]" }, missing: create }
                  subtasks: { each: "steps[*]", key: id }
                on: { cast: stop }
            """, page: "stage-import.md", appendix: CastTable.text,
        keys: [
            `import`, read, into, key, set, setOnly, link, keepIf, duplicates, whenFound,
            whenMissing, whenSame, extra, unmet, on, mirror, StageKeys.always,
        ])
}

/// The keys of `mirror`.
enum MirrorKeys {
    static let selection = Key(
        required: "where", .selection, "The objects that the input covers; `ALL` for every object.",
        example: "ALL", fix: "write `where: ALL` if the input is about every object")
    static let atMost = Key(
        "at-most", .limit, default: .percent(10),
        """
        If more objects than this would be deleted, none is, and the stage fails with 65. A number \
        also counts the objects that delete rules add by cascade. A percentage counts only objects \
        of the entity that no record names.
        """, example: "100")
    static let mapping = DescribedMapping(
        "mirror", "Deletes objects that the input no longer contains.", keys: [selection, atMost])
}

/// An `import` stage, which creates objects from the records of files.
package struct ImportSpec: Sendable, Hashable {
    /// The action for an object that existed before the stage.
    package enum WhenFound: String, ExplainedChoice {
        case update, skip, replace, reject, append

        /// The effect on the existing object, as in the generated reference.
        package var meaning: String {
            switch self {
            case .update: "Overwrites the attributes that the record sets."
            case .skip: "Leaves the object unchanged."
            case .replace:
                """
                Overwrites all attributes; attributes that the record does not set get their \
                defaults. Links that it does not set are unchanged. If a key occurs twice, the \
                attributes are those of the last record, and a link that it does not set is that \
                of an earlier one.
                """
            case .reject: "Rejects the record."
            case .append:
                "Inserts a new object for every record, without a lookup. A second run inserts the "
                    + "objects again."
            }
        }
    }

    /// The action for an object that already has the same values.
    package enum WhenSame: String, ExplainedChoice {
        case skip, touch

        /// The effect on an object with the same values, as in the generated reference.
        package var meaning: String {
            switch self {
            case .skip: "Counts the object as unchanged and writes nothing."
            case .touch: "Writes the object anyway."
            }
        }
    }

    /// The action for unmapped fields.
    package enum Extra: String, ExplainedChoice {
        case ignore, reject, stop

        /// The effect of an unmapped field, as in the generated reference.
        package var meaning: String {
            switch self {
            case .ignore: "Nothing."
            case .reject: "Rejects the record."
            case .stop: "Stops the stage."
            }
        }
    }

    /// The action for paths of the spec that no record has.
    package enum Unmet: String, ExplainedChoice {
        case ignore, warn, stop

        /// The effect of a path that no record has, as in the generated reference.
        package var meaning: String {
            switch self {
            case .ignore: "Nothing."
            case .warn: "Prints a warning, which is also in the report."
            case .stop: "The stage fails with 65, before `mirror` deletes anything."
            }
        }
    }

    /// The files and how to read them.
    package var read: ReadSpec
    /// The entity of the objects.
    package var into: PlacedText
    /// The attributes that identify objects; empty for the entity's uniqueness constraint.
    package var key: [PlacedText] = []
    /// The sources of attributes, in the order of the file.
    package var set: [AttributeMapping] = []
    /// Whether only the attributes in `set` are filled.
    package var isSetOnly = false
    /// The sources of relationships, in the order of the file.
    package var link: [LinkMapping] = []
    /// The action for repeated keys.
    package var duplicates = ImportKeys.duplicates.default
    /// The action for objects that existed before the stage.
    package var whenFound = ImportKeys.whenFound.default
    /// The action for records whose key no object has.
    package var whenMissing = ImportKeys.whenMissing.default
    /// Whether a restart has the same result: each record finds its object again and sets the same
    /// values.
    var isRepeatable: Bool { whenFound == .update || whenFound == .replace }
    /// The action for objects that already have the same values.
    package var whenSame = ImportKeys.whenSame.default
    /// The action for unmapped fields.
    package var extra = ImportKeys.extra.default
    /// The action for paths of the spec that no record has.
    package var unmet = ImportKeys.unmet.default
    /// The action for records in which an object repeats a key.
    package var duplicateKeys = RejectKeys.duplicateKey.default
    /// The codes of rejects that end the stage, in the order of `rejectCodes`.
    package var stops: [String] = []
    /// The location of the rule that a value becomes null if its cast fails, or `nil` without the
    /// rule.
    package var nullsCasts: SourceLocation?
    /// The objects to delete if no record names them.
    package var mirror: MirrorSpec?
    /// The filter; records for which it is false are filtered out.
    package var keepIf: PredicateText?
    /// The location of the stage.
    package var location: SourceLocation

    /// Whether the import only adds links to objects that it finds by key, as that of a join table.
    ///
    /// A record of a join table has two keys: of the object, and of the one to link.
    ///
    /// - Parameter key: the properties that identify an object.
    func onlyLinks(by key: [String]) -> Bool {
        let keys = Set(key)
        return isSetOnly && whenFound == .update && duplicates == .last && mirror == nil
            && !link.isEmpty
            && self.set.allSatisfy { keys.contains($0.attribute.text) }
            && link.allSatisfy {
                $0.nested == nil && ($0.many == .add || keys.contains($0.relationship.text))
                    && $0.missing != .report && $0.missing != .null
            }
            && link.contains { $0.many == .add }
    }

    /// Whether an attribute is filled with a row key.
    var usesRowKeys: Bool {
        self.set.contains { mapping in
            if case .field(let field) = mapping.origin { field.isRowKey } else { false }
        }
    }
}

/// The deletion after a complete read without rejects: the objects that no record names.
package struct MirrorSpec: Sendable, Hashable {
    /// The entity's objects that the input covers.
    package var selection = Selection.all
    /// The limit on deleted objects; if it is exceeded, nothing is deleted.
    package var atMost = MirrorKeys.atMost.default
    /// The location of the settings.
    package var location: SourceLocation
}

extension MirrorSpec {
    fileprivate init(_ keys: KeyedMapping) {
        self.init(
            selection: keys[MirrorKeys.selection] ?? .all, atMost: keys[MirrorKeys.atMost],
            location: keys.location)
    }
}

extension ImportSpec: StageKind {
    static let mapping = ImportKeys.mapping
    static let isWriting = true

    static func read(_ keys: KeyedMapping) -> ReadStage {
        let name = keys[ImportKeys.import]
        var stage: ReadStage
        var read = ReadSpec()
        if keys.source(of: ImportKeys.read) != nil {
            stage = ReadStage(word, named: name, keys.reader)
            read = keys[ImportKeys.read] ?? read
        } else {
            let pattern = keys.source(of: ImportKeys.import).flatMap { value in
                name.flatMap { keys.reader.template($0.text, value) }
            }
            stage = ReadStage(name: pattern.map(stageName) ?? word)
            read.files = pattern.map { [$0] } ?? []
        }
        var spec = ImportSpec(
            read: read, into: keys[ImportKeys.into] ?? PlacedText("", keys.location),
            key: keys[ImportKeys.key] ?? [], set: keys[ImportKeys.set] ?? [],
            isSetOnly: keys[ImportKeys.setOnly], link: keys[ImportKeys.link] ?? [],
            duplicates: keys[ImportKeys.duplicates], whenFound: keys[ImportKeys.whenFound],
            whenMissing: keys[ImportKeys.whenMissing],
            whenSame: keys[ImportKeys.whenSame], extra: keys[ImportKeys.extra],
            unmet: keys[ImportKeys.unmet], mirror: keys[ImportKeys.mirror],
            keepIf: keys[ImportKeys.keepIf], location: keys.location)
        // `merge` resolves conflicts between a read and a save, which an import cannot have.
        keys.source.reject(
            "merge",
            "An import reads and writes each batch in one transaction, so no other process can change "
                + "a row in between, so 'merge' has no effect",
            fix: "remove it; `when-found` sets what happens to existing objects")
        keys[ImportKeys.on]?.apply(to: &spec, keys.reader)
        stage.kind = spec
        return stage
    }

    /// Returns the stage's name, such as `import-tasks` for `${inbox}/tasks-*.ndjson.gz`.
    private static func stageName(_ pattern: TemplateText) -> String {
        let last = PathText.lastComponent(pattern.knownEnd)
        let stem = PipelineSpec.slug(
            String(last.unicodeScalars.prefix { !".*?{[".unicodeScalars.contains($0) }))
        return stem.isEmpty ? word : "\(word)-\(String(stem.prefix(50)))"
    }

    var entityName: String? { into.text }
    var command: CommandSpec? { read.command }
    var paths: [TemplateText] { read.files }
    var pathUse: URLCheck.Use { .input }

    func check(_ checker: inout SpecificationChecker) { checker.checkImport(self) }

    func check(_ checker: inout ExpressionChecker) {
        let records = RecordExpressionCheck(variables: checker.variables)
        if let text = keepIf { checker.found += records.problems(in: text) }
        for subject in expressions(in: checker.model) {
            checker.found += records.problems(in: subject)
        }
        if let mirror { checker.check(mirror.selection, into.text) }
    }

    func check(_ check: inout FileUseCheck) { check.checkInputs(read.files) }
}

extension Stage {
    /// The import, or `nil` if the stage is of another kind.
    package var imported: ImportSpec? { kind as? ImportSpec }
}

extension BulkPlan.DuplicatePolicy: ExplainedChoice {
    /// The effect on records with the same key, as in the generated reference.
    package var meaning: String {
        switch self {
        case .last: "Records are applied in order; later records overwrite earlier ones."
        case .first: "Later records are skipped."
        case .reject: "Later records are rejected."
        }
    }
}

extension BulkPlan.AbsentPolicy: ExplainedChoice {
    /// The effect on the record, as in the generated reference.
    package var meaning: String {
        switch self {
        case .create: "Inserts an object."
        case .reject: "Rejects the record, so that the stage only changes existing objects."
        }
    }
}
