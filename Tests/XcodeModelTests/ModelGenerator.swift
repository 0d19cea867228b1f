import GraphModel
import TestSeeds

/// A generator of random models that both YAML and Xcode's files can express.
struct ModelGenerator {
    private var random: SeededGenerator
    private var entities: [EntityDescription] = []
    /// Whether to omit features without a known hash, for comparisons of hashes.
    private let isHashable: Bool

    static func model(seed: UInt64, isHashable: Bool = false) throws -> ManagedObjectModel {
        var generator = ModelGenerator(
            random: SeededGenerator(seed: seed), isHashable: isHashable)
        return try generator.model()
    }

    private init(random: SeededGenerator, isHashable: Bool) {
        self.random = random
        self.isHashable = isHashable
    }

    private mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    private mutating func flip(_ one: Int = 2) -> Bool { pick(one) == 0 }

    private mutating func text() -> String? {
        guard flip(4) else { return nil }
        let texts = [
            "a", "YES", "no", "1", "x < y & \"z\"", "größe – 火", "two\nlines\tand a tab", " ",
            "null", "- a: b # c", "'", "\\n", "\u{1F600}",
        ]
        return texts[pick(texts.count)]
    }

    private mutating func texts() -> [String: String] {
        guard flip(4) else { return [:] }
        return Dictionary(
            (0..<pick(3)).map { index in ("key.\(index)", text() ?? "") },
            uniquingKeysWith: { first, _ in first })
    }

    private mutating func extras() -> [String: String] {
        flip(4) ? ["customClassName": text() ?? "NSArray", "storedInTruthFile": "YES"] : [:]
    }

    // MARK: Models

    private mutating func model() throws -> ManagedObjectModel {
        for index in 0...pick(6) { entities.append(entity(index)) }
        for index in entities.indices { addRelationships(index) }
        for index in entities.indices { addIndexes(index) }
        let names = entities.map(\.name)
        let hasComposite = !isHashable && flip()
        if hasComposite {
            entities[0].ownAttributes.append(
                AttributeDescription(name: "place0", type: .composite, compositeName: "Place"))
        }
        return try ManagedObjectModel(
            entities: entities, versionIdentifiers: text().map { [$0] } ?? [],
            configurations: flip() ? ["Local": Array(names.prefix(2)), "Rest": []] : [:],
            composites: hasComposite
                ? [
                    CompositeDescription(
                        name: "Place",
                        attributes: [
                            AttributeDescription(name: "latitude", type: .double),
                            AttributeDescription(name: "city", type: .string, isOptional: false),
                        ])
                ] : [],
            fetchRequestTemplates: flip() ? [template("recent")] : [], extras: modelExtras())
    }

    private mutating func modelExtras() -> [String: String] {
        flip() ? ["systemVersion": "23E224", "usedWithCloudKit": "YES"] : [:]
    }

    private mutating func entity(_ index: Int) -> EntityDescription {
        let classes = [nil, "NSManagedObject", "App.Thing"]
        var entity = EntityDescription(
            name: "Entity\(index)", isAbstract: flip(5), managedObjectClassName: classes[pick(3)],
            renamingIdentifier: text().map { "Old" + $0 }, versionHashModifier: text(),
            userInfo: texts(), extras: extras())
        if index > 0, flip(3) { entity.superentityName = "Entity\(pick(index))" }
        if flip(4) { entity.extras["codeGenerationType"] = "class" }
        if flip(4) { entity.extras["element.positionX"] = "-\(pick(400))" }
        entity.ownAttributes = (0..<pick(6)).map { attribute("attribute\(index)x\($0)") }
        if flip(3) {
            entity.fetchedProperties = [
                FetchedPropertyDescription(
                    name: "fetched\(index)",
                    request: template(flip() ? FetchedPropertyDescription.requestName : "own"),
                    isOptional: flip(), userInfo: texts(), extras: extras())
            ]
        }
        return entity
    }

    private mutating func template(_ name: String) -> FetchRequestTemplate {
        FetchRequestTemplate(
            name: name, entityName: "Entity0", predicate: flip() ? "name == $NAME" : nil,
            fetchLimit: flip() ? pick(100) : nil,
            extras: flip() ? ["includeSubentities": "YES"] : [:])
    }

    // MARK: Properties

    private mutating func attribute(_ name: String) -> AttributeDescription {
        let types = AttributeType.allCases.filter { $0 != .composite && $0 != .undefined }
        var attribute = AttributeDescription(
            name: name, type: types[pick(types.count)], isOptional: flip(), isTransient: flip(8),
            preservesValueInHistoryOnDeletion: flip(6),
            renamingIdentifier: text().map { "old" + $0 },
            versionHashModifier: text(), userInfo: texts(), extras: extras())
        if attribute.isTransient, flip() { attribute.type = .undefined }
        let isBytes = attribute.type == .binary || attribute.type == .transformable
        attribute.allowsExternalBinaryDataStorage = isBytes && flip()
        if attribute.type == .transformable, flip() {
            attribute.transformerName = ["json", "secure-archive", "App.Transformer"][pick(3)]
        }
        if attribute.type == .boolean, flip(3) { attribute.extras["usesScalarValueType"] = "NO" }
        if attribute.type == .date, flip(3) { attribute.extras["usesScalarValueType"] = "YES" }
        if !isHashable, attribute.type == .integer64, flip(3) {
            attribute.derivationExpression = "tasks.@count"
        }
        addRules(&attribute)
        if flip() { attribute.defaultValue = defaultValue(attribute.type) }
        return attribute
    }

    private mutating func addRules(_ attribute: inout AttributeDescription) {
        guard flip() else { return }
        let range = NumberRange(minimum: flip() ? -5 : nil, maximum: flip() ? 1000.5 : 700_000_000)
        switch attribute.type {
        case .double, .float, .decimal: attribute.range = range
        case .date: attribute.range = NumberRange(minimum: range.minimum, maximum: 1e9)
        case .integer16, .integer32, .integer64:
            attribute.range = NumberRange(minimum: range.minimum, maximum: 30000)
        case .string:
            attribute.length = NumberRange(minimum: nil, maximum: 100)
            attribute.pattern = flip() ? "[^\\x00]*" : nil
        default: break
        }
    }

    private mutating func defaultValue(_ type: AttributeType) -> StoredValue? {
        switch type {
        case .integer16, .integer32, .integer64: .integer(Int64(pick(100)))
        case .boolean: .integer(Int64(pick(2)))
        case .double, .float, .decimal: .real(Double(pick(1000)) / 8)
        case .date: .real(Double(pick(1_000_000)) / 4)
        case .string: .text(text() ?? "")
        case .uri: .text("https://example.org/?a=1&b=2")
        case .uuid: .blob((0..<16).map { _ in UInt8(pick(256)) })
        case .binary, .transformable, .composite, .undefined: nil
        }
    }

    /// Adds pairs of inverse relationships, reflexive relationships, and relationships without an
    /// inverse.
    private mutating func addRelationships(_ index: Int) {
        for number in 0..<pick(3) {
            let other = pick(entities.count)
            var there = relationship("rel\(index)x\(number)", to: entities[other].name)
            let kind = pick(4)
            if kind == 0, other == index {
                there.inverseName = there.name
            } else if kind != 1 {
                var back = relationship("back\(index)x\(number)", to: entities[index].name)
                (there.inverseName, back.inverseName) = (back.name, there.name)
                entities[other].ownRelationships.append(back)
            }
            entities[index].ownRelationships.append(there)
        }
    }

    private mutating func relationship(
        _ name: String, to destination: String
    ) -> RelationshipDescription {
        let isToMany = flip()
        let rules: [DeleteRule] = [.cascade, .nullify, .noAction]
        return RelationshipDescription(
            name: name, destinationEntityName: destination, isToMany: isToMany,
            isOrdered: isToMany && flip(), isOptional: flip(), deleteRule: rules[pick(3)],
            minimumCount: pick(2), maximumCount: isToMany && flip() ? 2 + pick(9) : nil,
            renamingIdentifier: text().map { "old" + $0 }, versionHashModifier: text(),
            userInfo: texts(), extras: flip(4) ? ["storedInTruthFile": "YES"] : [:])
    }

    private mutating func addIndexes(_ index: Int) {
        let stored = entities[index].ownAttributes.filter { !$0.isTransient }.map(\.name)
        guard let first = stored.first else { return }
        if entities[index].superentityName == nil, flip() {
            // The hash of more than one constraint is not proven.
            entities[index].uniquenessConstraints = [Array(stored.prefix(2))]
        }
        guard flip() else { return }
        var elements = [FetchIndexDescription.Element(propertyName: first, isAscending: flip())]
        if flip(3) { elements[0].collation = .rTree }
        if flip(3) {
            elements.append(.init(propertyName: "length:(\(first))", isExpression: true))
        }
        entities[index].indexes = [
            FetchIndexDescription(
                name: "by", elements: elements,
                partialIndexPredicate: flip(3) ? "\(first) != nil" : nil)
        ]
    }
}
