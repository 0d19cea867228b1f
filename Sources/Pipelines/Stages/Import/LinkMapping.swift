package import Diagnostics
package import GraphStore
import RecordStreams
import YAML

/// The keys of a link to objects that are looked up by key.
enum LinkKeys {
    static let to = Key(
        "to", .text, without: "the relationship's destination", "The entity to look up.",
        example: "Category")
    static let by = Key(
        required: "by", LinkMapping.KeyPart.form,
        """
        The attributes and to-one relationships that identify an object of that entity, and what \
        fills each: a field for an attribute, and a separate key for a relationship. A null or \
        empty key means no link; a key is null if any part of it is. They need no uniqueness \
        constraint, so this works with models that CloudKit constrains. If several objects have the \
        key, the record is rejected with the code `key`. Or `objectID` alone: the field is the \
        primary key of an object.
        """, example: "{ name: category.name }")
    static let missing = Key(
        "missing", .choice(LinkMapping.Missing.self), default: .reject,
        "What to do if no object has the key.", example: "create")
    static let many = Key(
        "many", .choice(BulkPlan.ManyPolicy.self), without: "`replace`",
        "How the links of a to-many relationship change.", example: "add")
    static let mapping = DescribedMapping(
        "link", title: "link.RELATIONSHIP", "Looks up objects by their key.",
        keys: [to, by, missing, many])

    /// The key `by` of a relationship that is itself a part of another key.
    static let keyBy = Key(
        required: "by", LinkMapping.KeyPart.form,
        "The key of the object that the relationship leads to.",
        example: "{ name: category.name }")
    static let keyMapping = DescribedMapping(
        "keyLink", title: "link.RELATIONSHIP.by.RELATIONSHIP",
        """
        A to-one relationship as a part of a key, such as the album of a track: \
        `by: { number: n, album: { by: { title: album } } }`. The record names the object that the \
        relationship leads to by that object's own key. If no object has that key, no object has the \
        outer key either, and `missing` applies. If several objects have it, the record is rejected \
        with the code `key`.
        """, keys: [to, keyBy])
}

/// The keys of a link to objects inside the record.
enum NestedKeys {
    static let each = Key(
        required: "each", NestedMapping.pathForm,
        "The path to an object inside the record, or with `[*]` to the list of them.",
        example: "\"items[*]\"")
    static let into = Key(
        "into", .text, without: "the relationship's destination", "The entity of the objects.",
        example: "Task")
    static let key = Key(
        "key", .oneOrMore(.text).distinct("in the key"),
        without: "the entity's only uniqueness constraint",
        """
        The attributes and to-one relationships that identify the objects. They need no uniqueness \
        constraint. The relationship back to the record's object is one of them if the others \
        identify an object only among the objects of its owner: `[order, position]`. Each other \
        relationship must be in `link`. A key that occurs several times in one record is one object: \
        each field has the value of the last one that has it.
        """, example: "[id]")
    static let whenFound = Key(
        "when-found", .choice(NestedMapping.WhenFound.self), default: .update,
        "What to do if an object with this key exists.", example: "append")
    static let set = Key(
        "set", AttributeMapping.form, without: "the field of the same name fills an attribute",
        "The source of attributes, by paths inside the object.", example: "{ title: Subject }")
    static let link = Key(
        "link", LinkMapping.form, "The source of relationships of the objects.",
        example: "{ category: { by: { name: category } } }")
    static let mapping = DescribedMapping(
        "nested", title: "link.RELATIONSHIP with each",
        "Objects inside the record, which become separate objects.",
        keys: [each, into, key, whenFound, set, ImportKeys.setOnly, link, LinkKeys.many])
}

/// The source of one relationship.
package struct LinkMapping: Sendable, Hashable {
    /// The action for a key that no object has.
    package enum Missing: String, ExplainedChoice {
        case create, null, report, skip, reject

        /// The effect of a missing target, as in the generated reference.
        package var meaning: String {
            switch self {
            case .create: "Creates an object with that key."
            case .null: "Sets no link, and counts this in the report."
            case .report:
                """
                The same, and writes the link to `STAGE.INPUT.links.ndjson` next to the rejects: file, \
                record, relationship, and key. It is not a reject, and `etl replay` ignores it.
                """
            case .skip: "Skips and counts the record."
            case .reject: "Rejects the record."
            }
        }
    }

    /// One part of the other object's key.
    package struct KeyPart: Sendable, Hashable {
        /// The source of the part.
        package enum Content: Sendable, Hashable {
            /// A field that fills an attribute.
            case field(FieldMapping)
            /// A relationship to the object with this key.
            case object(to: PlacedText?, by: [KeyPart])
        }

        /// The name of the attribute or relationship, with its location.
        package var property: PlacedText
        /// The source of the part.
        package var content: Content

        /// The fields that fill the part.
        var fields: [FieldMapping] {
            switch content {
            case .field(let field): [field]
            case .object(_, let parts): parts.flatMap(\.fields)
            }
        }
    }

    /// The relationship's name, with the location of its key.
    package var relationship: PlacedText
    /// The entity to search; `nil` for the relationship's destination.
    package var to: PlacedText?
    /// The attributes and to-one relationships that identify an object of that entity, with their
    /// sources.
    package var by: [KeyPart]
    /// The action for a key that no object has.
    package var missing = LinkKeys.missing.default
    /// The location of `missing`.
    package var missingLocation: SourceLocation
    /// The change to a to-many relationship; `nil` if the spec omits it, which means `replace`.
    package var many: BulkPlan.ManyPolicy?
    /// The mapping of objects inside the record, or `nil`; if set, `by` is empty.
    package var nested: NestedMapping?
}

/// Objects inside the records that become separate objects: a link with `each`.
package struct NestedMapping: Sendable, Hashable {
    /// The action for an object that has the key.
    package enum WhenFound: String, ExplainedChoice {
        case update, append

        /// The effect on an object with the key, as in the generated reference.
        package var meaning: String {
            switch self {
            case .update: "Overwrites the attributes that the record sets."
            case .append:
                "Inserts a new object without a lookup. A second run inserts the objects again."
            }
        }
    }

    /// The path to the object, or with a final `[*]` to the list of objects.
    ///
    /// It is empty if it cannot be parsed, which has been reported.
    package var each: PlacedText
    /// The entity; `nil` for the relationship's destination.
    package var into: PlacedText?
    /// The attributes that identify the objects; empty for the entity's uniqueness constraint.
    package var key: [PlacedText] = []
    /// Whether each object is inserted without a lookup.
    package var isAppended = false
    /// The sources of attributes, in the order of the file.
    package var set: [AttributeMapping] = []
    /// Whether only the attributes in `set` are filled.
    package var isSetOnly = ImportKeys.setOnly.default
    /// The sources of the objects' relationships.
    package var link: [LinkMapping] = []
    /// The location of the mapping.
    package var location: SourceLocation

    /// Returns an import with the same mappings, as if the nested objects were records of a file.
    func importSpec(into entity: String) -> ImportSpec {
        ImportSpec(
            read: ReadSpec(), into: PlacedText(entity, into?.location ?? each.location), key: key,
            set: set, isSetOnly: isSetOnly, link: link,
            whenFound: isAppended ? .append : .update, location: location)
    }

    /// The parsed path, which was validated when the spec was read.
    var path: FieldPath? { try? FieldPath(parsing: each.text) }

    /// Whether the path leads to a list.
    var isList: Bool { path?.steps.last == .each }

    /// The path without `[*]`, for messages about the list.
    var label: String { isList ? String(each.text.dropLast(3)) : each.text }
}

extension LinkMapping {
    /// The allowed values of `link`: for each relationship, a key to look up, or nested objects.
    static let form: Form<[LinkMapping]> = .named(
        "RELATIONSHIP", .either([.mapping(LinkKeys.mapping), .mapping(NestedKeys.mapping)])
    ) { relationship, value, reader in
        guard value.isMapping, let source = value.mapping() else {
            value.fail(
                "type", "'\(value.label)' must be a mapping, not \(value.kind)",
                fix: "say how the objects are found: `{ by: { email: owner.email } }`")
            return LinkMapping(
                relationship: relationship, by: [], missingLocation: relationship.location)
        }
        let keys = KeyedMapping(source: source, reader: reader)
        let isNested = source.has(NestedKeys.each.name)
        let link = isNested ? nested(relationship, keys) : lookedUp(relationship, keys)
        source.finish(isNested ? NestedKeys.mapping : LinkKeys.mapping)
        return link
    }

    private static func lookedUp(_ relationship: PlacedText, _ keys: KeyedMapping) -> LinkMapping {
        for name in ["into", "key", "set", "set-only", "link"] {
            keys.source.reject(
                name, "'\(name)' is about objects inside the record",
                fix: "name them: `each: \"items[*]\"`")
        }
        return LinkMapping(
            relationship: relationship, to: keys[LinkKeys.to], by: keys[LinkKeys.by] ?? [],
            missing: keys[LinkKeys.missing],
            missingLocation: keys.source(of: LinkKeys.missing)?.location ?? relationship.location,
            many: keys[LinkKeys.many])
    }

    private static func nested(_ relationship: PlacedText, _ keys: KeyedMapping) -> LinkMapping {
        for name in ["to", "by", "missing"] {
            keys.source.reject(
                name, "'\(name)' is about looking an object up, and 'each' makes it of the record",
                fix: name == "to" ? "write `into`" : "remove it")
        }
        let into = keys[NestedKeys.into]
        return LinkMapping(
            relationship: relationship, to: into, by: [], missingLocation: relationship.location,
            many: keys[LinkKeys.many],
            nested: NestedMapping(
                each: keys[NestedKeys.each] ?? PlacedText("", keys.location), into: into,
                key: keys[NestedKeys.key] ?? [],
                isAppended: keys[NestedKeys.whenFound] == .append,
                set: keys[NestedKeys.set] ?? [], isSetOnly: keys[ImportKeys.setOnly],
                link: keys[NestedKeys.link] ?? [], location: keys.location))
    }
}

extension LinkMapping.KeyPart {
    /// The allowed values of `by`: for each property of the key, its source.
    fileprivate static let form: Form<[LinkMapping.KeyPart]> = Form(
        .named(
            "PROPERTY",
            .either([.text, .mapping(FieldKeys.keyMapping), .mapping(LinkKeys.keyMapping)]))
    ) { value, reader in
        guard value.isMapping, let entries = value.mapping()?.all() else {
            return value.wrong("a mapping such as { email: owner.email }")
        }
        if entries.isEmpty { value.fail("by", "'by' names no attribute") }
        return entries.map { part(PlacedText($0.key, $0.keyLocation), $0.value, reader) }
    }

    private static func part(
        _ property: PlacedText, _ value: YAMLValue, _ reader: SpecificationReader
    ) -> LinkMapping.KeyPart {
        // An unreadable part keeps its name, because the key is checked as a set of names.
        let unread = FieldMapping(source: PlacedText("", property.location))
        guard value.isMapping, let source = value.mapping() else {
            let field = FieldMapping.path(value, reader).map { FieldMapping(source: $0) }
            return LinkMapping.KeyPart(property: property, content: .field(field ?? unread))
        }
        let keys = KeyedMapping(source: source, reader: reader)
        guard !source.has(LinkKeys.keyBy.name) else {
            let content = Content.object(to: keys[LinkKeys.to], by: keys[LinkKeys.keyBy] ?? [])
            source.finish(LinkKeys.keyMapping)
            return LinkMapping.KeyPart(property: property, content: content)
        }
        let field = FieldMapping.read(keys, property: property, isNamed: false)
        source.finish(FieldKeys.keyMapping)
        return LinkMapping.KeyPart(property: property, content: .field(field ?? unread))
    }
}

extension NestedMapping {
    /// The allowed values of `each`: a path to one object, or to one list of objects.
    fileprivate static let pathForm = Form<PlacedText>(.text) { value, reader in
        guard let text = reader.placed(value) else { return nil }
        do throws(FieldPathError) {
            let steps = try FieldPath(parsing: text.text).steps
            if steps.dropLast().contains(.each) {
                value.fail(
                    "path", "'\(text.text)' leads through a list in a list",
                    fix: "take one list at a time, and put the other `each` under its `link`")
                return nil
            }
            return text
        } catch {
            reader.problems.report(Diagnostic(pathError: error, at: value.location))
            return nil
        }
    }
}

extension BulkPlan.ManyPolicy: ExplainedChoice {
    /// The effect on the existing links, as in the generated reference.
    package var meaning: String {
        switch self {
        case .replace:
            "Replaces the links with the record's links. In an ordered relationship, they have the order of"
                + " the record."
        case .add: "Adds the record's links to the existing ones."
        case .remove: "Removes the record's links."
        }
    }
}
