import RecordStreams

/// A field that may become an attribute or a relationship.
struct Leaf {
    let node: FieldNode
    /// The names from the record to the field.
    let path: [String]
    /// The path as a spec names it.
    let source: String
    /// Whether every record has a value.
    let isEverywhere: Bool

    var name: String { path.last ?? "" }

    /// Returns the path to the field in files of a form; a column name is used literally.
    func path(in form: SampleForm) -> FieldPath {
        let source = form.source(of: source) ?? source
        guard form.columns == nil else { return FieldPath(name: source) }
        // A source that is not a valid path is the name of a member.
        return (try? FieldPath(parsing: source)) ?? FieldPath(name: source)
    }

    /// Whether the field has no values, or only lists without items.
    var hasNoValue: Bool {
        node.facts.count == 0
            || node.facts.lists == node.facts.count && (node.items?.facts.count ?? 0) == 0
    }
    /// Whether the field has only scalars and lists of scalars.
    var holdsScalars: Bool {
        guard node.facts.objects == 0, let items = node.items?.facts else {
            return node.facts.objects + node.facts.lists == 0
        }
        return items.objects + items.lists == 0
    }
    /// The facts about the values, counting each item of a list.
    var valueFacts: ValueFacts { lists?.facts ?? node.facts }
    /// The facts about the lists of the field; `nil` if it has single values.
    var lists: ListFacts? {
        node.items ?? node.parts.flatMap { $0.distinct.isWhole ? $0 : nil }
    }
}
