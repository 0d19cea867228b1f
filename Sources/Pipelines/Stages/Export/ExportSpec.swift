package import Diagnostics
import Files
package import GraphModel
package import RecordStreams
import YAML

/// The keys of an `export`.
enum ExportKeys {
    static let export = Key(
        required: "export", StageKeys.nameForm,
        "The entity, or the stage's name if `entity` is set.",
        example: "Task")
    static let selection = Key(
        "where", .selection, default: .all, "Selects the objects.",
        example: "\"isCompleted == NO\"")
    static let fields = Key(
        "fields", .list(.text).distinct("among the fields"),
        without: "the key, attributes by name, and links by their key",
        #"""
        Key paths in the order of the columns. A path can begin with one to-many relationship, and \#
        then ends in an attribute; to-one relationships can be between them. With `shape: nested`, \#
        name one field of a to-many relationship. In JSON, a composite is an object; in tables, it \#
        is one column for each element; `magnitude.richter` is a single element. A link is the \#
        key of its object. If the key has several attributes, a to-one link is `up.a` and `up.b`. \#
        A to-many link is then a list of objects `{"a": 1, "b": 2}` in JSON. In tables, it is two \#
        lists in the same order, `peers.a` and `peers.b`. Tables join the values of a list by \#
        `|`, and write `\|` for one inside a text. `split: "|"` reads them back, but a list of \#
        one empty text as an empty list. A relationship in a key is the key of its object: \#
        `line.order.id`. The objects of a to-many link have the same owner, so their keys omit the \#
        relationship back to it. Lists are in the order of the relationship, or, if it has none, \#
        by the complete key and then by their values. All lists of a relationship have one order. \#
        `objectID` is the primary key of an object; it differs in another store. Links are \#
        `objectID` if their objects have no key, or a key that leads to such objects or back to \#
        its own entity. Then these objects have the field `objectID`, too.
        """#, example: "[id, title, category.name]")
    static let order = Key(
        "order", ExportSpec.OrderTerm.form, without: "by the key, or `objectID` without one",
        """
        Key paths, each optionally followed by `asc` or `desc`, by `nocase`, `[cd]`, or `localized`, \
        and by `nulls first` or `nulls last`. Equal objects are sorted by the key. `objectID` is the \
        order of the table and the fastest.
        """, example: "[priority desc, title nocase]")
    static let to = Key(
        required: "to",
        .either(
            ExportSpec.Target.file,
            or: .mapping(output) {
                .init(command: CommandSpec(CommandKeys.command, CommandKeys.variables, in: $0))
            }),
        """
        The file. A name that ends in `.gz` is compressed; `-` is stdout. Or a command that reads the \
        exported data, which needs `as` and is not allowed with `commit: run` or `open: replace`.
        """, example: "out/tasks.csv.gz")
    static let format = Key(
        "as", .choice(RecordFormat.self), without: "by the name", "The format.", example: "ndjson")
    static let compression = Key(
        "compression", .choice(InputCompression.self), default: .auto,
        "Whether the file is compressed.", example: "gzip")
    static let level = Key(
        "level", .integer(1...9), default: 6,
        "The compression level of gzip; higher is smaller and slower.", example: "9")
    static let shape = Key(
        "shape", .choice(ExportSpec.Shape.self), default: .flat, "How relationships are written.",
        example: "nested")
    static let manifest = Key(
        "manifest", .boolean, default: false,
        "Writes the number of rows and the SHA-256 of the file to `FILE.manifest.json`.",
        example: "true")
    static let parts = Key(
        "parts", .integer(1...Int64(ExportParts.countMax)), without: "one file",
        """
        Writes `NAME-001-of-008.ndjson.gz` and so on, and last `NAME.manifest.json` with the \
        files, their numbers of rows, and their SHA-256. The part of an object depends only on its \
        key. It is a number modulo the number of parts: the first eight bytes of the SHA-256 of \
        the key's text. The attributes of a key are separated by a tab; without a key it is \
        `objectID`. Each part keeps the order. If the number of parts changes, the new manifest is \
        written first, and then the parts that only the previous manifest lists are removed.
        """, example: "8")
    static let missingFiles = Key(
        "missing-files", .choice(MissingFilePolicy.self), default: .fail,
        "What to do if the external file of a large binary value is missing.",
        example: "\"null\"")
    static let mapping = DescribedMapping(
        "export",
        """
        Writes objects to a file: one consistent snapshot, complete or not at all. Equal data gives \
        equal bytes.
        """,
        example: """
              - export: open-tasks
                entity: Task
                where: "isCompleted == NO"
                fields: [id, title, category.name, tags.name]
                order: [priority desc, title nocase]
                to: "out/open-${run.date}.csv.gz"
            """, page: "stage-export.md",
        keys: [
            export, StageKeys.entity, selection, fields, order, to, format, compression, level,
            shape, manifest, parts, missingFiles, StageKeys.always,
        ])

    static let output = DescribedMapping(
        "output", title: "to with command",
        """
        A command that reads an export. It has the complete export when its input ends. If the run \
        fails or is stopped before that, etl ends the command first. If etl itself is killed, the \
        command sees the end of its input, so it should check that the data is complete, as `gzip -t` \
        does.
        """, keys: [CommandKeys.command, CommandKeys.variables])
}

/// An `export` stage, which writes objects to a file.
package struct ExportSpec: Sendable, Hashable {
    /// The format of relationships.
    package enum Shape: String, ExplainedChoice {
        case flat, nested

        /// The fields that the shape writes, as in the generated reference.
        package var meaning: String {
            switch self {
            case .flat: "Fields named after their key paths, such as `owner.email`; keys in lists."
            case .nested: "Objects and lists of objects, which `each` reads back."
            }
        }
    }

    /// A file, or a command that reads the export.
    struct Target {
        var path: TemplateText?
        var command: CommandSpec?
    }

    /// One sort key.
    package struct OrderTerm: Sendable, Hashable {
        /// A key path over to-one relationships to an attribute, and the order of its values.
        package var key: GraphSortDescriptor
        /// The location of the sort key.
        package var location: SourceLocation
    }

    /// The entity, including sub-entities.
    package var entity: PlacedText
    /// The objects to export.
    package var selection: Selection
    /// Key paths in the order of the columns; `nil` for the default columns.
    package var fields: [PlacedText]?
    /// The sort keys; if empty, objects are sorted by their key.
    package var order: [OrderTerm] = []
    /// The format of the file.
    package var format: RecordFormat
    /// The path of the file.
    package var to: TemplateText
    /// The command that reads the export instead of a file.
    package var command: CommandSpec?
    /// Whether the file is compressed with gzip.
    package var isCompressed: Bool
    /// The compression level of gzip.
    package var level = ExportKeys.level.default
    /// The format of relationships.
    package var shape = ExportKeys.shape.default
    /// Whether to write a manifest with the number of rows and the digest of the file.
    package var hasManifest = ExportKeys.manifest.default
    /// The number of files to split the export into; `nil` for a single file.
    package var parts: Int?
    /// The action if the external file of a value is missing.
    package var missingFiles = ExportKeys.missingFiles.default
}

extension ExportSpec: StageKind {
    static let mapping = ExportKeys.mapping
    static let isWriting = false

    static func read(_ keys: KeyedMapping) -> ReadStage {
        var (stage, entity) = ReadStage.withEntity(ExportKeys.export, keys)
        let fields = keys[ExportKeys.fields]
        if let fields, fields.isEmpty, let value = keys.source(of: ExportKeys.fields),
            case .sequence(let items) = value.node.content, items.isEmpty
        {
            value.fail("type", "'fields' names no field")
        }
        let target = keys[ExportKeys.to]
        let path = target?.path
        let (isCompressed, level) = compression(keys, path)
        let format = format(keys, path)
        let shape = keys[ExportKeys.shape]
        if shape == .nested, let format, format.isTabular {
            keys.source(of: ExportKeys.shape)?.fail(
                "rule", "`shape: nested` is for json and ndjson, and the file is \(format.rawValue)"
            )
        }
        let hasManifest = keys[ExportKeys.manifest]
        if hasManifest {
            reject(ExportKeys.manifest, "A manifest is written next to a file", target, keys)
        }
        reject(ExportKeys.parts, "Parts are files", target, keys)
        let place = keys.source(of: ExportKeys.to)?.location ?? keys.location
        stage.kind = ExportSpec(
            entity: entity, selection: keys[ExportKeys.selection], fields: fields,
            order: keys[ExportKeys.order]?.flatMap(\.self) ?? [], format: format ?? .ndjson,
            to: path ?? TemplateText(literal: "", at: place), command: target?.command,
            isCompressed: isCompressed, level: level, shape: shape, hasManifest: hasManifest,
            parts: keys[ExportKeys.parts], missingFiles: keys[ExportKeys.missingFiles])
        return stage
    }

    /// Returns the format from `as` or from the file's name, or `nil` if neither sets it.
    private static func format(_ keys: KeyedMapping, _ path: TemplateText?) -> RecordFormat? {
        let to = keys.source(of: ExportKeys.to)
        guard keys.source(of: ExportKeys.format) == nil else { return keys[ExportKeys.format] }
        guard let path else {
            if let to, to.isMapping {
                to.fail(
                    "format", "The format of the command's input is not set",
                    fix: "add `as:` with csv, tsv, json, or ndjson next to `to`")
            }
            return nil
        }
        let end = FileName(path.knownEnd)
        // `FileUseCheck` reports these names.
        if ForeignFormat(fileName: end) != nil {
            return RecordFormat(fileName: ForeignFormat.inner(end))
        }
        let known = RecordFormat(fileName: end)
        // An undeclared parameter is reported elsewhere, and the format may depend on it.
        if known == nil, path.parameterNames.allSatisfy(keys.reader.templateNames.contains) {
            to?.fail(
                "format", "The name '\(path.text)' does not identify the format",
                fix: "add `as:` with csv, tsv, json, or ndjson")
        }
        return known
    }

    private static func compression(
        _ keys: KeyedMapping, _ path: TemplateText?
    ) -> (isCompressed: Bool, level: Int) {
        let said = keys.source(of: ExportKeys.compression)
        let level = keys[ExportKeys.level]
        let compression = keys[ExportKeys.compression]
        let isCompressed =
            compression == .gzip
            || (compression == .auto && path?.knownEnd.hasSuffix(".gz") ?? false)
        let isKnown = said?.scalar.map { $0.text == compression.rawValue } ?? true
        if let path, !isCompressed, isKnown, let value = keys.source(of: ExportKeys.level) {
            value.fail(
                "rule",
                said == nil
                    ? "'level' is for files named .gz, not for '\(path.text)'"
                    : "'level' is for gzip, and this file is not compressed")
        }
        return (isCompressed, level)
    }

    /// Reports a key that needs a file, such as `manifest`, if the export goes to a command or
    /// stdout.
    private static func reject(
        _ key: any SpecificationKey, _ rule: String, _ target: Target?, _ keys: KeyedMapping
    ) {
        if target?.command != nil {
            keys.source(of: key)?.fail("rule", "\(rule), but a command reads this export")
        } else if target?.path?.text == "-" {
            keys.source(of: key)?.fail("rule", "\(rule), but '-' is standard output")
        }
    }

    var entityName: String? { entity.text }
    var paths: [TemplateText] { [to] }
    var pathUse: URLCheck.Use { .export(format, mayBeCommand: parts == nil && !hasManifest) }

    func check(_ checker: inout SpecificationChecker) { checker.checkExport(self) }

    func check(_ checker: inout ExpressionChecker) { checker.check(selection, entity.text) }

    func outputs(_ values: ParameterValues) -> [FileName] {
        outputs(at: FileName(values.path(to)))
    }

    func check(_ check: inout FileUseCheck) { check.checkOutput(self) }

    func run(_ stage: Stage, _ environment: StageEnvironment) throws -> StageReport {
        let report = try ExportStage(stage: stage, spec: self, environment: environment).run()
        try environment.journal.finish(stage, report, in: environment.container)
        return report
    }
}

extension ExportSpec.Target {
    fileprivate static let file = Form<ExportSpec.Target>(.path) { value, reader in
        ExportSpec.Target(path: reader.template(value))
    }
}

extension ExportSpec.OrderTerm {
    /// The allowed values of `order`: sort keys, of which one text may contain several.
    ///
    /// Commas separate the keys in a text.
    fileprivate static let form = Form<[[ExportSpec.OrderTerm]]>.oneOrMore(
        Form<[ExportSpec.OrderTerm]>(.text) { value, reader in
            guard let text = value.filledText() else { return nil }
            do throws(GraphPredicateError) {
                return try ParsedSortOrder(format: text).descriptors.map {
                    ExportSpec.OrderTerm(key: $0, location: value.location)
                }
            } catch {
                reader.problems.report(Diagnostic(predicateError: error, at: value.location))
                return nil
            }
        })
}

/// The checks of export stages: key paths over relationships.
extension SpecificationChecker {
    mutating func checkExport(_ spec: ExportSpec) {
        guard let entity = entity(spec.entity) else { return }
        let check = PropertyPathCheck(model: model)
        for field in spec.fields ?? [] {
            let steps = field.text.keyPath
            report(
                check.problem(in: steps, of: entity.name, as: .field),
                at: field.location)
        }
        if spec.shape == .nested { checkNestedFields(spec, entity) }
        for term in spec.order {
            report(
                check.problem(in: term.key.keyPath, of: entity.name, as: .order),
                at: term.location)
        }
    }

    /// Reports a to-many relationship whose objects are written by more than one field.
    private mutating func checkNestedFields(_ spec: ExportSpec, _ entity: EntityDescription) {
        var named: Set<String> = []
        for field in spec.fields ?? [] {
            let first = field.text.keyPath.first ?? ""
            guard model.relationship(first, of: entity.name)?.isToMany == true,
                !named.insert(first).inserted
            else { continue }
            error(
                "rule", "Another field gives the objects of '\(first)' already", field.location,
                fix: "with `shape: nested` name one field of them")
        }
    }

    private mutating func report(
        _ problem: PropertyPathCheck.Problem?, at location: SourceLocation
    ) {
        guard let problem else { return }
        error(problem.code, problem.message, location, fix: problem.fix)
    }
}

extension FileUseCheck {
    fileprivate mutating func checkOutput(_ spec: ExportSpec) {
        let place = spec.to.location
        guard let (path, isKnown) = output(spec.to) else { return }
        guard path != "-" else {
            // The reader has already reported a literal `-`.
            guard spec.to.text != path, spec.parts != nil || spec.hasManifest else { return }
            found.append(
                Diagnostic(
                    code: "spec.rule",
                    "\(spec.parts != nil ? "Parts are files" : "A manifest is written next to a file"), "
                        + "but '-' is standard output",
                    at: .source(place), fix: "name a file"))
            return
        }
        checkFormat(spec)
        for file in spec.outputs(at: FileName(path)).map(\.displayText) {
            checkOutput(file, isKnown, "the export", at: place)
            let name = Self.name(file, isKnown)
            exportLines[name] = exportLines[name] ?? place.line
        }
    }

    /// Reports a name whose suffix indicates another format than the export, because it is
    /// misleading.
    private mutating func checkFormat(_ spec: ExportSpec) {
        // If the unresolved name shows the format, use it in the fix.
        let isTold = ForeignFormat(fileName: FileName(spec.to.knownEnd)) != nil
        let name = isTold || !values.canResolve(spec.to) ? spec.to.text : values.resolve(spec.to)
        // The fix for a URL already includes the compression.
        guard let format = ForeignFormat(fileName: FileName(name)), URLCheck.scheme(of: name) == nil
        else { return }
        found.append(
            Diagnostic(
                code: "spec.foreign-format",
                "The name '\(name)' is that of \(format.text), which etl does not write",
                at: .source(spec.to.location),
                fix: format.fix(
                    writing: name, as: spec.format,
                    isSeveral: spec.parts != nil || spec.hasManifest)))
    }
}
