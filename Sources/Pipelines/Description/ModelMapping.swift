import GraphModel

/// The mappings of a model file: the complete model, and its parts.
///
/// The reader of models is in a lower module; tests check that both have the same keys.
enum ModelMapping {
    /// All mappings, in the order of their page.
    static let all = [
        model, entity, attribute, relationship, index, indexElement, rule, fetched, request,
        composite,
    ]

    static let model = DescribedMapping(
        "model",
        "The whole file.",
        example: """
            model: 1
            version: tasks-2
            entities:
              Task:
                attributes:
                  title: { type: String, optional: false, length: 1..500 }
                  dueOn: Date
            """,
        keys: [
            KeyDescription(
                "model", .integer(1...ModelFile.version), .error, "The version of the format.",
                example: "1"),
            KeyDescription(
                "version", .oneOrMore(.scalar), .nothing,
                "Names this version of the model (`NSStoreModelVersionIdentifiers`).",
                example: "tasks-2"),
            KeyDescription(
                "entities", .named("ENTITY", .mapping(entity)), .error, "The kinds of objects.",
                example: "{ Task: { attributes: { title: String } } }"),
            KeyDescription(
                "configurations", .named("NAME", .list(.text)), .nothing,
                "Named sets of entities. A store can contain one set instead of all entities.",
                example: "{ Local: [Task] }"),
            KeyDescription(
                "composites", .named("COMPOSITE", .mapping(composite)), .nothing,
                "Types that consist of several attributes.",
                example: "{ Point: { attributes: { x: Double } } }"),
            KeyDescription(
                "requests", .named("REQUEST", .mapping(request)), .nothing, "Named requests.",
                example: "{ all: { entity: Task } }"),
            KeyDescription(
                "history", .list(.path), .nothing,
                "The files of older versions, oldest first, from which a store can be migrated.",
                example: "[tasks-1.yaml]"),
            xcode,
        ])

    static let entity = DescribedMapping(
        "entity", title: "entities.ENTITY",
        "Objects of one kind, with a table that they share with their sub-entities.",
        example: """
            Task:
              parent: Item
              attributes:
                id: { type: UUID, optional: false }
                title: String
              relationships:
                category: { to: Category, inverse: tasks }
              unique: [[id]]
              indexes:
                byTitle: [title]
            """,
        keys: [
            KeyDescription(
                "parent", .text, .nothing,
                "The parent entity. The entity inherits its properties and shares its table.",
                example: "Item"),
            KeyDescription(
                "abstract", .boolean, .same(as: "false"),
                "Whether only sub-entities can have objects.",
                example: "true"),
            KeyDescription(
                "class", .text, .means("a class of the entity's name"),
                "The class that represents the entity in code.", example: "TaskObject"),
            renamedFrom("entity"), hashModifier,
            KeyDescription(
                "attributes",
                .named("ATTRIBUTE", .either([types, .mapping(attribute)])), .nothing,
                "The attributes of the entity.", example: "{ title: String }"),
            KeyDescription(
                "relationships", .named("RELATIONSHIP", .mapping(relationship)), .nothing,
                "The relationships of the entity.", example: "{ next: { to: Task } }"),
            KeyDescription(
                "unique", .list(.list(.text)), .nothing,
                "Uniqueness constraints: sets of attributes and to-one relationships. No two objects share all values of a set.",
                example: "[[title]]"),
            KeyDescription(
                "indexes",
                .named(
                    "INDEX",
                    .either([
                        .oneOrMore(.either([.text, .mapping(indexElement)])), .mapping(index),
                    ])),
                .nothing, "The indexes that requests use to find and sort objects.",
                example: "{ byTitle: [title desc] }"),
            KeyDescription(
                "validate", .list(.mapping(rule)), .nothing, "Rules for the complete object.",
                example: "[{ rule: \"title != nil\", message: a title is missing }]"),
            KeyDescription(
                "fetched", .named("PROPERTY", .mapping(fetched)), .nothing,
                "Fetched properties, whose values are the results of requests.",
                example: "{ others: { entity: Task } }"),
            info, xcode,
        ])

    static let attribute = DescribedMapping(
        "attribute", title: "attributes.ATTRIBUTE",
        "A value of an object. Short form: the type alone instead of the mapping: `notes: String`.",
        example: """
            title:    { type: String, optional: false, length: 1..500 }
            priority: { type: Integer 16, default: 0, range: 0..2 }
            photo:    { type: Binary, external: true }
            openDays: { type: Integer 32, transient: true }
            """,
        keys: [
            KeyDescription(
                "type", .choice(AttributeType.self), .error, "The type of the values.",
                example: "String"),
            optional,
            KeyDescription(
                "default", .constant, .nothing,
                "The value of new objects, in the form of the attribute's type.",
                example: "none yet"),
            KeyDescription(
                "transient", .boolean, .same(as: "false"),
                "Objects have the value in memory; the store does not save it.",
                example: "true"),
            KeyDescription(
                "range", .pattern(#"\.\."#, "a range such as 0..2 or 2020-01-01.., ends included"),
                .nothing, "The allowed numbers or dates.", example: "0..2"),
            KeyDescription(
                "length", counts, .nothing, "The allowed length of text, in UTF-16 units.",
                example: "1..500"),
            KeyDescription(
                "pattern", .text, .nothing, "A regular expression that the whole text must match.",
                example: "\"[A-Z]{2}[0-9]{4}\""),
            KeyDescription(
                "derived", .expression, .nothing,
                "The expression that computes the value at each save, such as `tasks.@count`. No stage can set the attribute.",
                example: "\"lowercase:(title)\""),
            KeyDescription(
                "searchable", .boolean, .same(as: "false"),
                "The store keeps a folded copy, so `[c]` and `[cd]` comparisons use an index.",
                example: "true"),
            KeyDescription(
                "external", .boolean, .same(as: "false"),
                "Large values are in files next to the store. Imports keep new values in the store.",
                example: "true"),
            KeyDescription(
                "external-threshold", .integer(0...Int64(Int32.max)), .means("128 KiB"),
                "When the library saves an object, a value of more bytes is written to a file. "
                    + "Imports keep it in the store.", example: "4096"),
            KeyDescription(
                "preserve-on-delete", .boolean, .same(as: "false"),
                "The history of a deletion keeps the value.", example: "true"),
            KeyDescription(
                "transformer", .text, .means("an archive of the app's"),
                "The transformer that converts a Transformable's values to bytes: `json`, `plist`, "
                    + "`secure-archive`, or a registered name.", example: "json"),
            KeyDescription(
                "value-type", .text, .nothing,
                "The Swift type of a Transformable's values, which generated classes use.",
                example: "Point"),
            KeyDescription(
                "composite", .text, .nothing, "The composite type: a name under `composites`.",
                example: "Point"),
            renamedFrom("attribute"), hashModifier, info, xcode,
        ])

    static let relationship = DescribedMapping(
        "relationship", title: "relationships.RELATIONSHIP",
        "Links to objects of another entity, or of the same entity.",
        example: """
            category: { to: Category, inverse: tasks, delete: nullify }
            subtasks: { to: Task, many: true, inverse: parent, delete: cascade, ordered: true }
            tags:     { to: Tag, many: true, inverse: tasks, count: 0..10 }
            """,
        keys: [
            KeyDescription("to", .text, .error, "The entity at the other end.", example: "Task"),
            KeyDescription(
                "many", .boolean, .same(as: "false"), "Whether an object can have several links.",
                example: "true"),
            KeyDescription(
                "inverse", .text, .nothing, "The relationship in the opposite direction.",
                example: "previous"),
            KeyDescription(
                "delete", .choice(DeleteRule.self), .same(as: "nullify"),
                "The effect of deleting an object on the objects at the other end.",
                example: "cascade"),
            KeyDescription(
                "ordered", .boolean, .same(as: "false"),
                "The objects of a to-many relationship are ordered.",
                example: "true"),
            KeyDescription(
                "transient", .boolean, .same(as: "false"),
                "The relationship is only in the model. Objects do not have it, and the store does not save it.",
                example: "true"),
            KeyDescription(
                "count", counts, .nothing,
                """
                The allowed number of links, if an object has any. `0..-1` has no limit either; models \
                of some apps have it, and its version hash differs from that of `0..`.
                """,
                example: "0..10"),
            optional, renamedFrom("relationship"), hashModifier, info, xcode,
        ])

    static let index = DescribedMapping(
        "index", title: "indexes.INDEX",
        """
        Helps requests find and order objects. Short form: the properties alone instead of the \
        mapping: `byState: [isCompleted, createdAt desc]`.
        """,
        example: "byDueDate: { properties: [dueOn desc, title], where: \"dueOn != nil\" }",
        keys: [
            KeyDescription(
                "properties", .oneOrMore(.either([.text, .mapping(indexElement)])), .error,
                "The indexed properties in order, each optionally followed by `asc` or `desc`.",
                example: "[title desc]"),
            KeyDescription(
                "where", .predicate, .nothing,
                "The objects in the index, by comparisons with values.",
                example: "\"title != nil\""),
        ])

    static let indexElement = DescribedMapping(
        "indexElement", title: "indexes.INDEX.properties",
        "An index element that a property's name with `asc` or `desc` cannot describe.",
        example: "byPlace: [{ property: latitude, collation: RTree }]",
        keys: [
            KeyDescription(
                "property", .text, .means("`expression` must be there"),
                "An attribute or a to-one relationship.", example: "title"),
            KeyDescription(
                "expression", .expression, .nothing, "A computed value instead of a property.",
                example: "\"lowercase:(title)\""),
            KeyDescription(
                "order",
                .words([
                    ValueForm.Word(text: "asc", meaning: "From the smallest."),
                    ValueForm.Word(text: "desc", meaning: "From the largest."),
                ]), .same(as: "asc"), "The order of the values.", example: "desc"),
            KeyDescription(
                "collation", .choice(FetchIndexDescription.Collation.self), .same(as: "Binary"),
                "The type of the index.", example: "Binary"),
        ])

    static let rule = DescribedMapping(
        "rule", title: "validate",
        "A rule for the complete object, checked when it is saved.",
        example: """
            validate:
              - { rule: "completedAt == nil OR isCompleted == YES", message: "not completed yet" }
            """,
        keys: [
            KeyDescription(
                "rule", .predicate, .error, "The condition that every object must meet.",
                example: "\"title != nil\""),
            KeyDescription(
                "message", .text, .error, "The error message if the condition is not met.",
                example: "a title is missing"),
        ])

    static let fetched = DescribedMapping(
        "fetched", title: "fetched.PROPERTY",
        "The result of a request, fetched when it is read. It has no column.",
        example: "related: { entity: Task, where: \"category == $FETCH_SOURCE.category\" }",
        keys: requestKeys + [
            KeyDescription(
                "request", .text, .same(as: FetchedPropertyDescription.requestName),
                "The name of the request in Xcode.", example: "mine"),
            optional, renamedFrom("property"), info, xcode,
            KeyDescription(
                "xcode-property", texts, .nothing,
                "The same as `xcode`, for the property instead of its request.",
                example: "{ syncable: NO }"),
        ])

    static let request = DescribedMapping(
        "request", title: "requests.REQUEST",
        "A named fetch request that programs can use.",
        example: "overdue: { entity: Task, where: \"dueOn < $day\", limit: 100 }",
        keys: requestKeys + [xcode])

    static let composite = DescribedMapping(
        "composite", title: "composites.COMPOSITE",
        """
        Elements that an attribute groups under one name, such as `magnitude.richter`. An \
        element can be a composite too. Predicates, orders, indexes, constraints, and specs \
        use these paths. Each element has its own column (`ZMAGNITUDE_RICHTER`). A composite \
        is null if no element has a value. An element with `optional: false` must have a \
        value; in an optional composite, only if another element has one. In a composite \
        attribute with `optional: false`, at least one element must have a value. Every new \
        object has the `default` of an element. The names that Apple's framework gives these \
        columns are unknown, so only `etl` and GraphStore can use stores with composites.
        """,
        example: "Point: { attributes: { x: Double, y: Double } }",
        keys: [
            KeyDescription(
                "attributes", .named("ATTRIBUTE", .either([types, .mapping(attribute)])), .error,
                "The elements of the composite.", example: "{ x: Double, y: Double }"),
            xcode,
        ])

    /// The key that several parts of a model have in common, for other Xcode settings.
    private static let xcode = KeyDescription(
        "xcode", texts, .nothing,
        "Other Xcode settings, under Xcode's own names, kept unchanged.",
        example: "{ customClassName: NSColor }")

    private static let texts = ValueForm.named("KEY", .scalar)
    private static let counts = ValueForm.pattern(
        #"^\s*[0-9]*\s*\.\.\s*[0-9]*\s*$"#, "a range such as 1..500, open ends allowed")

    private static func renamedFrom(_ what: String) -> KeyDescription {
        KeyDescription(
            "renamed-from", .text, .nothing,
            "The \(what)'s name in the previous version, by which a migration identifies it.",
            example: "old")
    }

    private static let hashModifier = KeyDescription(
        "hash-modifier", .scalar, .nothing,
        "Changes the version hash although the definition is the same.", example: "v2")
    private static let info = KeyDescription(
        "info", texts, .nothing, "Free text for tools.", example: "{ owner: sync }")
    private static let optional = KeyDescription(
        "optional", .boolean, .same(as: "true"), "Whether it may be nil or empty.",
        example: "false")

    /// The types that may be given without other keys.
    private static let types = ValueForm.words(
        AttributeType.allCases.filter { ![.undefined, .composite].contains($0) }.map {
            ValueForm.Word(text: $0.rawValue, meaning: $0.meaning)
        })

    private static let requestKeys: [any SpecificationKey] = [
        KeyDescription(
            "entity", .text, .error, "The entity of the fetched objects.", example: "Task"),
        KeyDescription(
            "where", .predicate, .means("all"),
            "The condition for the objects; `$NAME` is a variable that is set later.",
            example: "\"title == $name\""),
        KeyDescription(
            "limit", .integer(0...Int64(Int32.max)), .means("no limit"),
            "Maximum number of objects.",
            example: "100"),
    ]
}

extension AttributeType: ExplainedChoice {
    /// The values of the type, in one sentence for the reference and the editor schema.
    package var meaning: String {
        switch self {
        case .integer16: "A 16-bit integer."
        case .integer32: "A 32-bit integer."
        case .integer64: "A 64-bit integer."
        case .decimal: "A decimal number."
        case .double: "A 64-bit floating-point number."
        case .float: "A 32-bit floating-point number."
        case .string: "Text."
        case .boolean: "True or false."
        case .date: "A point in time."
        case .binary: "Bytes."
        case .uuid: "A 16-byte identifier."
        case .uri: "A URI with a scheme."
        case .transformable: "A value that a transformer converts to bytes."
        case .composite: "Several values, defined by `composite`."
        case .undefined: "Anything, for a transient attribute."
        }
    }
}

extension DeleteRule: ExplainedChoice {
    /// The effect of the rule when an object with linked objects is deleted.
    package var meaning: String {
        switch self {
        case .noAction: "Links to the object are kept and become invalid."
        case .nullify: "Clears the inverse links."
        case .cascade: "Deletes the linked objects, following their own rules."
        case .deny: "Prevents the deletion if linked objects exist."
        }
    }
}

extension FetchIndexDescription.Collation: ExplainedChoice {
    /// The method by which an index with this collation finds values.
    package var meaning: String {
        switch self {
        case .binary: "By their order."
        case .rTree: "By the region that the numbers span."
        }
    }
}
