/// The keys of what fills attributes and relationships.
extension SpecificationMapping {
    static let fieldKeys = [
        KeyDescription(
            "from", .text, .means("the field that has the attribute's name"),
            "The path of a field, such as `owner.email`; under `by` it must be named.",
            example: "owner.email"),
        KeyDescription(
            "expr", .expression, .nothing,
            """
            Computes the value from the record, in place of `from`. `rowkey()` alone is a key for \
            records that no field tells apart: the SHA-256 of all fields, and behind it `-2` and so \
            on for equal records of one file. So these stay apart, and the same file read again \
            changes nothing.
            """,
            example: "\"coalesce(title, 'Untitled')\""),
        KeyDescription(
            "need", .boolean, .same(as: "false"), "A record without a value is refused.",
            example: "true"),
        KeyDescription(
            "default", .constant, .nothing, "Stands in for a field that is absent or null.",
            example: "Untitled"),
        KeyDescription(
            "clean", .oneOrMore(.choice(FieldMapping.Cleaning.self)), .nothing,
            "Clean-up steps for text, applied first and in this order.", example: "[trim, lower]"),
        KeyDescription(
            "date", .text, .means("ISO 8601"),
            "How a date is written, in Unicode's letters: y M d H h m s S a X.",
            example: "dd.MM.yyyy"),
        KeyDescription(
            "zone",
            .pattern(
                "^(Z|UTC|[+-](0[0-9]|1[0-8]):[0-5][0-9])$", "`Z` or an offset as `\"+02:00\"`"),
            .means("UTC"), "The offset of dates that name none.", example: "\"+02:00\""),
        KeyDescription(
            "number",
            .either([.choice(FieldMapping.NumberForm.Epoch.self), .mapping(.number)]),
            .means("as JSON has it"), "How a number is written, or the date that it tells.",
            example: "milliseconds"),
        KeyDescription(
            "split", .text, .nothing,
            #"""
            Cuts text at this into a list. Behind a backslash it is part of the text (`a\|b`), and a \#
            backslash right before it is written twice; exports write lists in tables so.
            """#, example: "\"|\""),
        KeyDescription(
            "map", .named("TEXT", .constant), .nothing,
            "Maps texts to values; any other text is rejected.",
            example: "{ done: true, open: false }"),
        KeyDescription(
            "cast", .choice(FieldMapping.CastRule.self), .same(as: "lossless"),
            "What to do with a value that does not fit the type.", example: "lossy"),
    ]

    static let constantKeys = [
        KeyDescription(
            "const", .constant, .nothing, "The value of every record, in place of a field.",
            example: "imported")
    ]

    static let numberKeys = [
        KeyDescription(
            "decimal", .character, .same(as: "."), "Stands before the fraction.",
            example: "\",\""),
        KeyDescription(
            "thousands", .character, .nothing, "The optional separator between groups of digits.",
            example: "\"'\""),
    ]

    static let linkKeys = [
        KeyDescription(
            "to", .text, .means("the relationship's destination"), "The entity that is looked up.",
            example: "Category"),
        KeyDescription(
            "by", keyForm, .error,
            """
            The attributes and to-one relationships that identify an object of that entity, and \
            what fills each: a field for an attribute, and a key of its own for a relationship. A \
            null or empty key means no link; a key is null if any part of it is. They need no \
            uniqueness constraint, so this works with models that CloudKit constrains. If several \
            objects have the key, the record is rejected with the code `key`. Or `objectID` alone: \
            the field is the primary key of an object.
            """, example: "{ name: category.name }"),
        KeyDescription(
            "missing", .choice(LinkMapping.Missing.self), .same(as: "reject"),
            "What to do if no object has the key.", example: "create"),
        KeyDescription(
            "many", .choice(LinkMapping.Many.self), .means("`replace`"),
            "How the links of a to-many relationship change.", example: "add"),
    ]

    private static let keyForm = ValueForm.named(
        "PROPERTY", .either([.text, .mapping(.keyField), .mapping(.keyLink)]))

    static let keyLinkKeys = [
        KeyDescription(
            "to", .text, .means("the relationship's destination"), "The entity that is looked up.",
            example: "Category"),
        KeyDescription(
            "by", keyForm, .error,
            "What identifies the object that the relationship leads to.",
            example: "{ name: category.name }"),
    ]

    static let nestedKeys = [
        KeyDescription(
            "each", .text, .error,
            "The path to an object inside the record, or with `[*]` to the list of them.",
            example: "\"items[*]\""),
        KeyDescription(
            "into", .text, .means("the relationship's destination"), "The entity of the objects.",
            example: "Task"),
        KeyDescription(
            "key", .oneOrMore(.text), .means("the entity's only uniqueness constraint"),
            """
            The attributes and to-one relationships that identify the objects. They need no \
            uniqueness constraint. The relationship back to the record's object is one of them if \
            the others identify an object only among those of its owner: `[order, position]`. Each \
            other relationship must be in `link`. A key that occurs several times in one record is \
            one object: each field has the value of the last one that has it.
            """, example: "[id]"),
        KeyDescription(
            "when-found", .choice(NestedMapping.WhenFound.self), .same(as: "update"),
            "What to do if an object with this key exists.", example: "append"),
        KeyDescription(
            "set", .named("ATTRIBUTE", .either([.text, .mapping(.field)])),
            .means("the field of the same name fills an attribute"),
            "What fills attributes, by paths inside the object.", example: "{ title: Subject }"),
        KeyDescription(
            "set-only", .boolean, .same(as: "false"),
            "Fields that `set` does not name fill nothing.", example: "true"),
        KeyDescription(
            "link",
            .named("RELATIONSHIP", .either([.mapping(.link), .mapping(.nested)])), .nothing,
            "What fills relationships of the objects.",
            example: "{ category: { by: { name: category } } }"),
        KeyDescription(
            "many", .choice(LinkMapping.Many.self), .means("`replace`"),
            "How the links of a to-many relationship change.", example: "add"),
    ]
}
