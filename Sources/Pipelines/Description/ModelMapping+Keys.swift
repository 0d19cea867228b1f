import GraphModel

/// The keys of a model file.
extension ModelMapping {
    /// The key that several parts of a model have in common, for other Xcode settings.
    static let xcode = KeyDescription(
        "xcode", texts, .nothing,
        "Other Xcode settings, under Xcode's own names, kept unchanged.",
        example: "{ customClassName: NSColor }")

    private static let texts = ValueForm.named("KEY", .scalar)
    private static let counts = ValueForm.pattern(
        #"^\s*[0-9]*\s*\.\.\s*[0-9]*\s*$"#, "a range such as 1..500, open ends allowed")

    private static func renamedFrom(_ what: String) -> KeyDescription {
        KeyDescription(
            "renamed-from", .text, .nothing,
            "The \(what)'s name in the version before, by which a migration knows it.",
            example: "old")
    }

    private static let hashModifier = KeyDescription(
        "hash-modifier", .scalar, .nothing,
        "Makes it a different version although its shape is the same.", example: "v2")
    private static let info = KeyDescription(
        "info", texts, .nothing, "Free text for tools.", example: "{ owner: sync }")
    private static let optional = KeyDescription(
        "optional", .boolean, .same(as: "true"), "Whether it may be nil or empty.",
        example: "false")

    static let modelKeys = [
        KeyDescription(
            "model", .integer(1...ModelFile.version), .error, "The version of the format.",
            example: "1"),
        KeyDescription(
            "version", .oneOrMore(.scalar), .nothing,
            "Names this version of the model (`NSStoreModelVersionIdentifiers`).",
            example: "tasks-2"),
        KeyDescription(
            "entities", .named("ENTITY", .model(.entity)), .error, "The kinds of objects.",
            example: "{ Task: { attributes: { title: String } } }"),
        KeyDescription(
            "configurations", .named("NAME", .list(.text)), .nothing,
            "Sets of entities that a store may hold in place of all.",
            example: "{ Local: [Task] }"),
        KeyDescription(
            "composites", .named("COMPOSITE", .model(.composite)), .nothing,
            "Types that consist of several attributes.",
            example: "{ Point: { attributes: { x: Double } } }"),
        KeyDescription(
            "requests", .named("REQUEST", .model(.request)), .nothing, "Requests under names.",
            example: "{ all: { entity: Task } }"),
        KeyDescription(
            "history", .list(.path), .nothing,
            "The files of older versions, oldest first, from which a store can be migrated.",
            example: "[tasks-1.yaml]"),
        xcode,
    ]

    static let entityKeys = [
        KeyDescription(
            "parent", .text, .nothing,
            "The entity whose properties it has, too, and whose table it shares.", example: "Item"),
        KeyDescription(
            "abstract", .boolean, .same(as: "false"), "No object is of this entity itself.",
            example: "true"),
        KeyDescription(
            "class", .text, .means("a class of the entity's name"),
            "The class that represents the entity in code.", example: "TaskObject"),
        renamedFrom("entity"), hashModifier,
        KeyDescription(
            "attributes",
            .named("ATTRIBUTE", .either([types, .model(.attribute)])), .nothing,
            "Its values.", example: "{ title: String }"),
        KeyDescription(
            "relationships", .named("RELATIONSHIP", .model(.relationship)), .nothing,
            "Its links.", example: "{ next: { to: Task } }"),
        KeyDescription(
            "unique", .list(.list(.text)), .nothing,
            "Sets of attributes and to-one relationships whose values together no two objects share.",
            example: "[[title]]"),
        KeyDescription(
            "indexes",
            .named(
                "INDEX",
                .either([.oneOrMore(.either([.text, .model(.indexElement)])), .model(.index)])),
            .nothing, "What requests look for and order by.", example: "{ byTitle: [title desc] }"),
        KeyDescription(
            "validate", .list(.model(.rule)), .nothing, "Rules over the whole object.",
            example: "[{ rule: \"title != nil\", message: a title is missing }]"),
        KeyDescription(
            "fetched", .named("PROPERTY", .model(.fetched)), .nothing,
            "Properties that are requests.", example: "{ others: { entity: Task } }"),
        info, xcode,
    ]

    /// The types that may be given without other keys.
    private static let types = ValueForm.words(
        AttributeType.allCases.filter { ![.undefined, .composite].contains($0) }.map {
            ValueForm.Word(text: $0.rawValue, meaning: $0.meaning)
        })

    static let attributeKeys = [
        KeyDescription(
            "type", .choice(AttributeType.self), .error, "The type of its values.",
            example: "String"),
        optional,
        KeyDescription(
            "default", .constant, .nothing,
            "The value of new objects, in the form of the attribute's type.", example: "none yet"),
        KeyDescription(
            "transient", .boolean, .same(as: "false"), "It is kept with objects, and never stored.",
            example: "true"),
        KeyDescription(
            "range", .pattern(#"\.\."#, "a range such as 0..2 or 2020-01-01.., ends included"),
            .nothing, "The numbers or dates allowed.", example: "0..2"),
        KeyDescription(
            "length", counts, .nothing, "The allowed length of text, in UTF-16 units.",
            example: "1..500"),
        KeyDescription(
            "pattern", .text, .nothing, "A regular expression that the whole text must match.",
            example: "\"[A-Z]{2}[0-9]{4}\""),
        KeyDescription(
            "derived", .expression, .nothing,
            "The expression that computes it at each save, such as `tasks.@count`. No stage can set it.",
            example: "\"lowercase:(title)\""),
        KeyDescription(
            "searchable", .boolean, .same(as: "false"),
            "A folded copy is kept, so that `[c]` and `[cd]` comparisons use an index.",
            example: "true"),
        KeyDescription(
            "external", .boolean, .same(as: "false"),
            "Large values are in files next to the store. Imports keep new values in the store.",
            example: "true"),
        KeyDescription(
            "external-threshold", .integer(0...Int64(Int32.max)), .means("128 KiB"),
            "A value of more bytes goes to a file when the library saves its object. Imports keep it in"
                + " the store.", example: "4096"),
        KeyDescription(
            "preserve-on-delete", .boolean, .same(as: "false"),
            "The history of a deletion keeps the value.", example: "true"),
        KeyDescription(
            "transformer", .text, .means("an archive of the app's"),
            "What makes bytes of a Transformable's values: `json`, `plist`, `secure-archive` or a"
                + " registered name.", example: "json"),
        KeyDescription(
            "value-type", .text, .nothing,
            "The Swift type of a Transformable's values, which generated classes use.",
            example: "Point"),
        KeyDescription(
            "composite", .text, .nothing, "The composite type: a name under `composites`.",
            example: "Point"),
        renamedFrom("attribute"), hashModifier, info, xcode,
    ]

    static let relationshipKeys = [
        KeyDescription("to", .text, .error, "The entity at the other end.", example: "Task"),
        KeyDescription(
            "many", .boolean, .same(as: "false"), "Whether there may be several.", example: "true"),
        KeyDescription(
            "inverse", .text, .nothing, "The same relationship seen from the other end.",
            example: "previous"),
        KeyDescription(
            "delete", .choice(DeleteRule.self), .same(as: "nullify"),
            "What the deletion of an object does at the other end.", example: "cascade"),
        KeyDescription(
            "ordered", .boolean, .same(as: "false"),
            "The objects of a to-many relationship are ordered.",
            example: "true"),
        KeyDescription(
            "transient", .boolean, .same(as: "false"),
            "It is known to the model, and never stored; objects do not have it.",
            example: "true"),
        KeyDescription(
            "count", counts, .nothing, "How many there may be, where there are any.",
            example: "0..10"),
        optional, renamedFrom("relationship"), hashModifier, info, xcode,
    ]

    static let indexKeys = [
        KeyDescription(
            "properties", .oneOrMore(.either([.text, .model(.indexElement)])), .error,
            "The indexed properties in order, each optionally followed by `asc` or `desc`.",
            example: "[title desc]"),
        KeyDescription(
            "where", .predicate, .nothing, "The objects that are in it: comparisons with values.",
            example: "\"title != nil\""),
    ]

    static let indexElementKeys = [
        KeyDescription(
            "property", .text, .means("`expression` must be there"),
            "An attribute or a relationship to one.", example: "title"),
        KeyDescription(
            "expression", .expression, .nothing, "A computed value, in place of a property.",
            example: "\"lowercase:(title)\""),
        KeyDescription(
            "order",
            .words([
                ValueForm.Word(text: "asc", meaning: "From the smallest."),
                ValueForm.Word(text: "desc", meaning: "From the largest."),
            ]), .same(as: "asc"), "The order of the values.", example: "desc"),
        KeyDescription(
            "collation", .choice(FetchIndexDescription.Collation.self), .same(as: "Binary"),
            "How values are found.", example: "Binary"),
    ]

    static let ruleKeys = [
        KeyDescription(
            "rule", .predicate, .error, "The condition that every object must meet.",
            example: "\"title != nil\""),
        KeyDescription(
            "message", .text, .error, "The error message if the condition is not met.",
            example: "a title is missing"),
    ]

    static let requestKeys = [
        KeyDescription("entity", .text, .error, "Whose objects are fetched.", example: "Task"),
        KeyDescription(
            "where", .predicate, .means("all"),
            "Which objects; `$NAME` is a variable that is set later.",
            example: "\"title == $name\""),
        KeyDescription(
            "limit", .integer(0...Int64(Int32.max)), .means("no limit"),
            "Maximum number of objects.",
            example: "100"),
    ]

    static let fetchedKeys =
        requestKeys + [
            KeyDescription(
                "request", .text, .same(as: FetchedPropertyDescription.requestName),
                "What Xcode calls the request.", example: "mine"),
            optional, renamedFrom("property"), info, xcode,
            KeyDescription(
                "xcode-property", texts, .nothing,
                "The same as `xcode`, of the property beside its request.",
                example: "{ syncable: NO }"),
        ]

    static let compositeKeys = [
        KeyDescription(
            "attributes", .named("ATTRIBUTE", .either([types, .model(.attribute)])), .error,
            "The elements of the composite.", example: "{ x: Double, y: Double }"),
        xcode,
    ]
}

extension AttributeType: ExplainedChoice {
    package var meaning: String {
        switch self {
        case .integer16: "A whole number of 16 bits."
        case .integer32: "A whole number of 32 bits."
        case .integer64: "A whole number of 64 bits."
        case .decimal: "A number by its decimal digits."
        case .double: "A number of 64 bits with a fraction."
        case .float: "A number of 32 bits with a fraction."
        case .string: "Text."
        case .boolean: "True or false."
        case .date: "A moment."
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
    package var meaning: String {
        switch self {
        case .binary: "By their order."
        case .rTree: "By the region of space that numbers span."
        }
    }
}
