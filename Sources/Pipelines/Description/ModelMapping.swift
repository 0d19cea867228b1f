/// The mappings of a model file: the complete model, and its parts.
///
/// The reader of models is in a lower module; tests check that both have the same keys.
package enum ModelMapping: String, Sendable, CaseIterable, DescribedMapping {
    case model, entity, attribute, relationship, index, indexElement, rule, fetched, request
    case composite

    /// The mapping's name under `$defs` in the editor schema, which is the name of the case.
    package var definition: String { rawValue }

    /// The keys that a model file may use in this mapping.
    package var keys: [KeyDescription] {
        switch self {
        case .model: Self.modelKeys
        case .entity: Self.entityKeys
        case .attribute: Self.attributeKeys
        case .relationship: Self.relationshipKeys
        case .index: Self.indexKeys
        case .indexElement: Self.indexElementKeys
        case .rule: Self.ruleKeys
        case .fetched: Self.fetchedKeys
        case .request: Self.requestKeys + [Self.xcode]
        case .composite: Self.compositeKeys
        }
    }

    /// The heading of the section on the model page, such as `attributes.ATTRIBUTE`.
    package var title: String {
        switch self {
        case .model: "model"
        case .entity: "entities.ENTITY"
        case .attribute: "attributes.ATTRIBUTE"
        case .relationship: "relationships.RELATIONSHIP"
        case .index: "indexes.INDEX"
        case .indexElement: "indexes.INDEX.properties"
        case .rule: "validate"
        case .fetched: "fetched.PROPERTY"
        case .request: "requests.REQUEST"
        case .composite: "composites.COMPOSITE"
        }
    }

    /// The anchor of the section on the model page, with a leading `#`.
    package var address: String { Self.anchor(title) }

    /// The explanation at the start of the section, in Markdown, with any short form.
    package var purpose: String {
        switch self {
        case .model: "The whole file."
        case .entity: "Objects of one kind, with a table that they share with their sub-entities."
        case .attribute:
            "A value of an object. Short form: the type alone instead of the mapping: `notes: String`."
        case .relationship: "Links to objects of another entity, or of the same entity."
        case .index:
            """
            Helps requests find and order objects. Short form: the properties alone instead of the \
            mapping: `byState: [isCompleted, createdAt desc]`.
            """
        case .indexElement:
            "An index element that a property's name with `asc` or `desc` cannot describe."
        case .rule: "A rule for the complete object, checked when it is saved."
        case .fetched: "The result of a request, fetched when it is read. It has no column."
        case .request: "A named fetch request that programs can use."
        case .composite:
            """
            Elements that an attribute groups under one name, such as `magnitude.richter`. An \
            element can be a composite too. Predicates, orders, indexes, constraints, and specs \
            use these paths. Each element has its own column (`ZMAGNITUDE_RICHTER`). A composite \
            is null if no element has a value. An element with `optional: false` must have a \
            value; in an optional composite, only if another element has one. In a composite \
            attribute with `optional: false`, at least one element must have a value. Every new \
            object has the `default` of an element. The names that Apple's framework gives these \
            columns are unknown, so only `etl` and GraphStore can use stores with composites.
            """
        }
    }

    /// An excerpt of a model file, in YAML, that contains the mapping.
    package var example: String? {
        switch self {
        case .model:
            """
            model: 1
            version: tasks-2
            entities:
              Task:
                attributes:
                  title: { type: String, optional: false, length: 1..500 }
                  dueOn: Date
            """
        case .entity:
            """
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
            """
        case .attribute:
            """
            title:    { type: String, optional: false, length: 1..500 }
            priority: { type: Integer 16, default: 0, range: 0..2 }
            photo:    { type: Binary, external: true }
            openDays: { type: Integer 32, transient: true }
            """
        case .relationship:
            """
            category: { to: Category, inverse: tasks, delete: nullify }
            subtasks: { to: Task, many: true, inverse: parent, delete: cascade, ordered: true }
            tags:     { to: Tag, many: true, inverse: tasks, count: 0..10 }
            """
        case .index: "byDueDate: { properties: [dueOn desc, title], where: \"dueOn != nil\" }"
        case .indexElement: "byPlace: [{ property: latitude, collation: RTree }]"
        case .rule:
            """
            validate:
              - { rule: "completedAt == nil OR isCompleted == YES", message: "not completed yet" }
            """
        case .fetched:
            "related: { entity: Task, where: \"category == $FETCH_SOURCE.category\" }"
        case .request: "overdue: { entity: Task, where: \"dueOn < $day\", limit: 100 }"
        case .composite: "Point: { attributes: { x: Double, y: Double } }"
        }
    }
}

extension ValueForm {
    /// Returns the form for a part of a model.
    static func model(_ mapping: ModelMapping) -> ValueForm { .described { mapping } }
}
