import Diagnostics
import GraphModel
import YAML

/// Fits the imports that were inferred from files to the model of a store.
///
/// Inference names entities and properties after files and columns. If the store has an entity or a
/// property of that name, but for case, separators, and the singular of an entity, the import fills
/// it. A column that would be an attribute fills a to-one relationship if it has that name or the
/// name with the key of the other entity: `artistId` fills `artist`.
///
/// A file whose entity the model lacks adds the entity. A column without a property is skipped, or
/// adds the property if `addsColumns` is set.
struct StoreFit {
    /// How an inferred attribute is filled if the store has it with another type: the attribute, the
    /// entity, and the type.
    typealias Mapping = (String, String, AttributeType) -> YAMLNode?

    /// What was inferred.
    let inferred: ManagedObjectModel
    /// The model as it is to be after the import.
    private(set) var model: ManagedObjectModel
    /// Columns without a property add one.
    let addsColumns: Bool
    /// The columns that identify a record, as the user names them; empty to use the store's key.
    let toldKey: [String]
    /// The name of the store in messages.
    let store: String
    /// The names of streams, by the paths of the copies that are read.
    private let streams: [String: String]
    /// The store was created by an app, so that its model must not change.
    let isOfApp: Bool
    private let mapping: Mapping
    /// Whether the records have no value of an inferred attribute: the attribute, and the entity.
    private let isEmpty: (String, String) -> Bool
    /// What the imports fill, in their order.
    private(set) var imports: [FittedImport] = []
    /// The entities that the model lacked.
    private(set) var newEntities: [String] = []
    /// The properties that existing entities lacked, such as `Task.color String`.
    private(set) var newProperties: [String] = []
    /// What is to be told of the attributes that are new.
    private(set) var newAttributes: [(own: String, entity: String, attribute: String)] = []
    /// There are imports of other files.
    private var hasSeveral = false
    /// The import that is being fitted.
    var current = FittedImport(entity: "", files: [])

    init(
        _ inferred: ManagedObjectModel, to model: ManagedObjectModel, addsColumns: Bool,
        key: [String], store: String, isOfApp: Bool, streams: [String: String],
        mapping: @escaping Mapping, isEmpty: @escaping (String, String) -> Bool
    ) {
        self.isEmpty = isEmpty
        self.isOfApp = isOfApp
        self.streams = streams
        self.mapping = mapping
        self.inferred = inferred
        self.model = model
        self.addsColumns = addsColumns
        toldKey = key
        self.store = store
    }

    /// Returns the stages with the names of the store.
    mutating func fit(_ stages: [YAMLNode]) throws(RunFailure) -> [YAMLNode] {
        hasSeveral = stages.count > 1
        // An import may link to the entity of a later one.
        for stage in stages { _ = try entity(stage["into"]?.text ?? "") }
        var fitted: [YAMLNode] = []
        for stage in stages { fitted.append(try fit(stage)) }
        return fitted
    }

    private mutating func fit(_ stage: YAMLNode) throws(RunFailure) -> YAMLNode {
        let own = stage["into"]?.text ?? ""
        let entity = try entity(own)
        let files = stage["read"]?["files"]?.itemsOrOne.compactMap(\.text) ?? []
        current = FittedImport(
            entity: entity,
            files: files.map { streams[$0] ?? PathText.lastComponent($0) })
        current.isJoin = stage["set-only"] != nil
        var names: [String: String] = [:]
        var stage = try fit(block: stage, of: own, to: entity, &names)
        if entity != own { stage["into"] = YAMLNode(text: entity) }
        try fitKey(&stage, entity, names)
        imports.append(current)
        return stage
    }

    // MARK: Entities

    /// Returns the store's name of an inferred entity, which it adds if the store has none.
    mutating func entity(_ own: String) throws(RunFailure) -> String {
        if let name = InferredNames.match(own, model.entities.map(\.name)) {
            guard model.entity(named: name)?.isAbstract == true else { return name }
            let heirs = model.family(of: name).filter { !$0.isAbstract }.map(\.name)
            throw RunFailure(
                .usage, code: "import.entity",
                "\(name) is abstract in \(store), so no object can be one",
                fix: "name an entity with --entity: \(FittedImport.listed(heirs, max: 6))")
        }
        guard let entity = inferred.entity(named: own) else { return own }
        guard !isOfApp else {
            let names = model.entities.filter { !$0.isAbstract }.map(\.name)
            throw RunFailure(
                .usage, code: "import.app-store",
                "\(store) was created by an app and has no entity \(own); etl does not change an"
                    + " app's model",
                fix: "name one of its entities with --entity: "
                    + FittedImport.listed(names, max: 6))
        }
        newEntities.append(own)
        newAttributes += entity.ownAttributes.map { (own, own, $0.name) }
        // Links add their relationships.
        try change { model throws(ModelError) in
            try model.editing(own) {
                $0.ownAttributes = entity.ownAttributes
                $0.uniquenessConstraints = entity.uniquenessConstraints.filter { key in
                    key.allSatisfy { name in entity.ownAttributes.contains { $0.name == name } }
                }
            }
        }
        return own
    }

    mutating func change(
        _ edit: (ManagedObjectModel) throws(ModelError) -> ManagedObjectModel
    ) throws(RunFailure) {
        do {
            model = try edit(model)
        } catch {
            throw RunFailure(
                .configuration, code: "import.model",
                "The model of \(store) cannot be extended: \(error)",
                fix: "add the properties to a model yourself, and run `etl migrate`")
        }
    }

    // MARK: Attributes

    /// Fits what fills the properties of an entity: a stage, or a link with `each`.
    ///
    /// - Parameters:
    ///   - own: the inferred entity.
    ///   - names: gets the store's property for each column and for each inferred attribute.
    mutating func fit(
        block: YAMLNode, of own: String, to entity: String, _ names: inout [String: String]
    ) throws(RunFailure) -> YAMLNode {
        var block = block
        var set = block["set"] ?? YAMLNode([])
        let links = block["link"]?.entries ?? []
        let isSetOnly = block["set-only"] != nil
        let isTable = ["csv", "tsv"].contains(block["read"]?["as"]?.text)
        let ownAttributes = inferred.entity(named: own)?.ownAttributes ?? []
        let known = KnownAttributes(model.attributes(of: entity))
        var taken = model.takenNames(in: entity)
        var added: [AttributeDescription] = []
        // A file that has the column, such as an export, has the keys themselves.
        if let rowKey = rowKey(of: entity), !isSetOnly, set[rowKey.name] == nil,
            !ownAttributes.contains(where: { $0.name == rowKey.name })
        {
            set[rowKey.name] = YAMLNode([("expr", YAMLNode(text: "rowkey()"))])
            current.attributes.append(rowKey)
            current.computed = rowKey.name
        }
        for attribute in ownAttributes {
            let node = set[attribute.name]
            guard node != nil || !isSetOnly else { continue }
            let source = Self.source(node, attribute.name)
            if node?["expr"] != nil, let found = model.attribute(attribute.name, of: entity) {
                names[attribute.name] = found.name
                if !current.attributes.contains(found) { current.attributes.append(found) }
                current.computed = found.name
            } else if let found = known.attribute(attribute.name, source),
                !names.values.contains(found.name)
            {
                names[source] = found.name
                names[attribute.name] = found.name
                current.attributes.append(found)
                // A mapping of the inferred type may not be one of the store's.
                let isFit =
                    found.type == attribute.type
                    || found.type.isNumber && attribute.type.isNumber
                let fitted = isFit ? node : mapping(attribute.name, own, found.type)
                if found.name != attribute.name { set[attribute.name] = nil }
                if found.name != attribute.name || !isFit {
                    // A column of the property's name fills it by itself.
                    let isPlain = found.name == source && !isSetOnly
                    set[found.name] = fitted ?? (isPlain ? nil : YAMLNode(text: source))
                }
            } else if let link = relationship(attribute.name, source, of: entity),
                isKeyAgain(source, of: link, names)
            {
                set[attribute.name] = nil
            } else if let link = relationship(attribute.name, source, of: entity),
                !names.values.contains(link.name)
            {
                set[attribute.name] = nil
                names[source] = link.name
                names[attribute.name] = link.name
                fill(link.relationship)
                block.link(link.name, by: link.key, from: YAMLNode(text: source))
            } else if isTable, let link = listRelationship(attribute.name, of: entity),
                !names.values.contains(link.name)
            {
                set[attribute.name] = nil
                names[source] = link.name
                names[attribute.name] = link.name
                fill(link.relationship)
                block.link(
                    link.name, by: link.key,
                    from: YAMLNode([
                        ("from", YAMLNode(text: source)), ("split", YAMLNode(text: "|")),
                    ]))
            } else if node?["expr"] != nil {
                // It identifies records by all columns, which a store with another key does not need.
                set[attribute.name] = nil
            } else if addsColumns {
                let name = try add(attribute, of: own, to: entity, &taken, &added)
                names[source] = name
                names[attribute.name] = name
                if name != attribute.name {
                    set[attribute.name] = nil
                    set[name] = node ?? YAMLNode(text: source)
                }
            } else {
                set[attribute.name] = nil
                if isEmpty(attribute.name, own) { continue }
                if holdsObjects(attribute.name, of: entity) {
                    current.withoutKey.append(source)
                } else {
                    current.skipped.append(source)
                }
            }
        }
        if !added.isEmpty {
            try change { model throws(ModelError) in
                try model.editing(entity) { $0.ownAttributes += added }
            }
        }
        for entry in links {
            try fit(link: entry, in: &block, &set, of: own, to: entity, &names)
        }
        block["set"] = set.entries.isEmpty ? nil : set
        if block["link"]?.entries.isEmpty == true { block["link"] = nil }
        if newEntities.contains(entity) { try addConstraints(of: own, to: entity, names) }
        return block
    }

    /// Whether a name is that of a relationship that lists of objects fill.
    private func holdsObjects(_ name: String, of entity: String) -> Bool {
        let folded = InferredNames.folded(name)
        return model.relationships(of: entity).contains {
            $0.isToMany && InferredNames.folded($0.name) == folded
        }
    }

    /// Adds the constraints of a new entity, when it has its relationships.
    private mutating func addConstraints(
        of own: String, to entity: String, _ names: [String: String]
    ) throws(RunFailure) {
        let properties = Set(
            model.attributes(of: entity).map(\.name) + model.relationships(of: entity).map(\.name))
        let keys = inferred.uniquenessConstraints(of: own).map { $0.map { names[$0] ?? $0 } }
        let known = keys.filter(properties.isSuperset)
        try change { model throws(ModelError) in
            try model.editing(entity) { $0.uniquenessConstraints = known }
        }
    }

    /// Returns the attribute that identifies an object by all columns, if it is the store's key.
    private func rowKey(of entity: String) -> AttributeDescription? {
        let name = InferredNames.rowKey
        guard model.uniquenessConstraints(of: entity).contains([name]) else { return nil }
        return model.attribute(name, of: entity)
    }

    /// The column that fills an attribute.
    static func source(_ node: YAMLNode?, _ name: String) -> String {
        node?.text ?? node?["from"]?.text ?? name
    }

    /// Returns the attribute of an inferred name, or else of the column's.
    func property(
        _ name: String, _ source: String, of entity: String
    ) -> AttributeDescription? {
        KnownAttributes(model.attributes(of: entity)).attribute(name, source)
    }

    /// Adds an attribute to those that the model is to get.
    ///
    /// - Parameters:
    ///   - own: the inferred entity.
    ///   - taken: the names of the properties of the entity's family.
    /// - Returns: its name, which is another one if an entity of the family has that.
    private mutating func add(
        _ attribute: AttributeDescription, of own: String, to entity: String,
        _ taken: inout TakenNames, _ added: inout [AttributeDescription]
    ) throws(RunFailure) -> String {
        newAttributes.append((own, entity, attribute.name))
        var attribute = attribute
        attribute.name = taken.claim(attribute.name)
        attribute.isOptional = true
        try add(property: "\(entity).\(attribute.name) \(attribute.type.rawValue)")
        current.attributes.append(attribute)
        added.append(attribute)
        return attribute.name
    }

    /// Notes a property that an existing entity gets.
    mutating func add(property: String) throws(RunFailure) {
        guard !isOfApp else {
            throw RunFailure(
                .usage, code: "import.app-store",
                "\(store) was created by an app, and etl does not change an app's model to add"
                    + " \(property)",
                fix: "leave out --add-columns to skip such columns")
        }
        newProperties.append(property)
    }

    // MARK: Keys

    /// Sets the key of a stage to the store's, or to the one that the user names.
    private mutating func fitKey(
        _ stage: inout YAMLNode, _ entity: String, _ names: [String: String]
    ) throws(RunFailure) {
        let own = (stage["key"]?.itemsOrOne ?? []).compactMap(\.text)
        let key = try key(own.map { names[$0] ?? $0 }, entity, names)
        current.key = key
        current.hasRowKey = key == [InferredNames.rowKey]
        stage["when-found"] = nil
        guard key != own else { return }
        let nodes = key.map { YAMLNode(text: $0) }
        let value = nodes.count == 1 ? nodes[0] : YAMLNode(.sequence(nodes), at: stage.mark)
        guard stage["key"] == nil else { return stage["key"] = value }
        var entries = stage.entries.filter { $0.key != "set" && $0.key != "link" }
            .map { ($0.key, $0.value) }
        entries.append(("key", value))
        for key in ["set", "link"] {
            if let node = stage[key] { entries.append((key, node)) }
        }
        stage = YAMLNode(entries)
    }

    /// - Parameter own: the inferred key, by the store's names.
    private func key(
        _ own: [String], _ entity: String, _ names: [String: String]
    ) throws(RunFailure) -> [String] {
        let file = current.files.first ?? ""
        let keys = model.uniquenessConstraints(of: entity)
        let filled = Set(current.attributes.map(\.name) + current.links.map(\.name))
        try checkFilled(filled, entity)
        // As at the first import, the key is that of the files that have its columns.
        let isOfOthers =
            hasSeveral
            && !toldKey.allSatisfy { names[$0] != nil || current.skipped.contains($0) }
        guard toldKey.isEmpty || current.isJoin || newEntities.contains(entity) || isOfOthers else {
            let told = try toldKey.map { column throws(RunFailure) in
                if let name = names[column] { return name }
                throw RunFailure(
                    .usage, code: "import.key",
                    "\(file) has no column '\(column)' that fills a property of \(entity)",
                    fix: "name columns with --key: \(Self.columns(current))")
            }
            // By another key, records would change the one that identifies their objects.
            if let key = keys.first(where: filled.isSuperset),
                !keys.contains(where: { Set($0) == Set(told) })
            {
                guard key != [current.computed] else {
                    throw RunFailure(
                        .usage, code: "import.key",
                        "\(entity) of the store is identified by all columns, and not by"
                            + " \(told.joined(separator: ", "))",
                        fix: "leave out --key, or import into a new store")
                }
                throw RunFailure(
                    .usage, code: "import.key",
                    "\(entity) of the store is identified by \(key.joined(separator: ", ")), which"
                        + " \(file) has, and not by \(told.joined(separator: ", "))",
                    fix: "leave out --key, or the column \(key.joined(separator: ", "))")
            }
            return told
        }
        let isNew = newEntities.contains(entity)
        if keys.contains(own) || current.isJoin || isNew && !own.isEmpty { return own }
        if let key = keys.first(where: filled.isSuperset) { return key }
        if let key = keys.first {
            throw RunFailure(
                .usage, code: "import.key",
                "No column of \(file) fills the key of \(entity): \(key.joined(separator: ", "))",
                fix: "name other columns with --key: \(Self.columns(current))")
        }
        throw RunFailure(
            .usage, code: "import.key",
            isNew
                ? "No column of \(file) identifies its records, so a second import would add them"
                    + " again"
                : "\(entity) has no key in \(store), so a second import would add its objects again",
            fix: "name the columns that identify a record with --key: \(Self.columns(current))")
    }

    private static func columns(_ fitted: FittedImport) -> String {
        FittedImport.listed(fitted.attributes.map(\.name) + fitted.links.map(\.name), max: 6)
    }
}

extension YAMLNode {
    /// Adds a link that looks objects up by one key.
    fileprivate mutating func link(_ relationship: String, by key: String, from node: YAMLNode) {
        var all = self["link"] ?? YAMLNode([])
        all[relationship] = YAMLNode([("by", YAMLNode([(key, node)]))])
        self["link"] = all
    }
}

/// The attributes of an entity by their names, exact and folded.
private struct KnownAttributes {
    private var exact: [String: AttributeDescription] = [:]
    private var folded: [String: AttributeDescription] = [:]

    init(_ attributes: [AttributeDescription]) {
        for attribute in attributes where attribute.takesValues {
            exact[attribute.name] = attribute
            let name = InferredNames.folded(attribute.name)
            if folded[name] == nil { folded[name] = attribute }
        }
    }

    /// The attribute of the column's name, or else of the inferred one.
    func attribute(_ name: String, _ source: String) -> AttributeDescription? {
        exact[source] ?? exact[name] ?? folded[InferredNames.folded(name)]
    }
}

extension AttributeType {
    /// Whether its values are numbers, which are written alike.
    fileprivate var isNumber: Bool {
        switch self {
        case .integer16, .integer32, .integer64, .decimal, .double, .float: true
        default: false
        }
    }
}
