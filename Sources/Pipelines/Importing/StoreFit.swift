import Diagnostics
import GraphModel
import YAML

/// Fits the imports that were inferred from files to the model of a store.
///
/// Inference names entities and properties after files and columns. If the store has an entity of
/// that name, ignoring case, separators, and plural, its model decides. It decides which property a
/// column fills (`ColumnMatch`), whether that is an attribute or a relationship, its type, and the
/// format of its values. A column of keys fills a relationship if it has its name, or the name with
/// the key of the other entity: `artistId` fills `artist`. The inference decides only what the
/// model does not.
///
/// A file whose entity the model lacks adds the entity. A column without a property is skipped, or
/// adds the property if `addsColumns` is set.
struct StoreFit {
    /// The model that was inferred from the files.
    let inferred: ManagedObjectModel
    /// The store's model after the import.
    private(set) var model: ManagedObjectModel
    /// Whether columns without a property add one.
    let addsColumns: Bool
    /// The columns that identify a record, as the user names them; empty to use the store's key.
    let givenKey: [String]
    /// The name of the store for messages.
    let store: String
    /// The names of streams for messages, by the paths of the temporary copies that are read.
    private let streams: [String: String]
    /// Whether the store was created by an app, so that its model must not change.
    let isOfApp: Bool
    /// The facts about the files.
    let inference: Inference
    /// The name of the import stage that is being fitted.
    ///
    /// Its files may lack columns that other files of the same entity have.
    private(set) var stageName: String?
    /// The store's model before the import.
    let original: ManagedObjectModel
    /// Whether a text that meant null in a column's first import means null again.
    let keepsNulls: Bool
    /// The fitted imports, in their order.
    private(set) var imports: [FittedImport] = []
    /// The entities that the model lacked.
    private(set) var newEntities: [String] = []
    /// The properties that existing entities lacked, such as `Task.color String`.
    private(set) var newProperties: [String] = []
    /// The relationships that the import adds to the store's model.
    var newLinks: [(entity: String, relationship: String)] = []
    /// The attributes that the import adds to the store's model, with their inferred entities.
    private(set) var newAttributes: [(own: String, entity: String, attribute: String)] = []
    /// The attributes whose dates do not show whether the day or the month is first, with a fix.
    private(set) var openDates: [(entity: String, attribute: String, fix: String)] = []
    /// Whether there are several imports.
    private var hasSeveral = false
    /// The import that is being fitted, which is added to `imports` when it is complete.
    var current = FittedImport(entity: "", files: [])

    init(
        _ inferred: ManagedObjectModel, to model: ManagedObjectModel, addsColumns: Bool,
        key: [String], store: String, isOfApp: Bool, streams: [String: String],
        inference: Inference, keepsNulls: Bool
    ) {
        original = model
        self.keepsNulls = keepsNulls
        self.inference = inference
        self.isOfApp = isOfApp
        self.streams = streams
        self.inferred = inferred
        self.model = model
        self.addsColumns = addsColumns
        givenKey = key
        self.store = store
    }

    /// Returns the stages, renamed so that they fill the entities and properties of the store.
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
        stageName = stage["import"]?.text
        current.stage = stageName ?? ""
        var names: [String: String] = [:]
        var stage = try fit(block: stage, of: own, to: entity, &names)
        if entity != own { stage["into"] = YAMLNode(text: entity) }
        if !current.isJoin { fitNulls(&stage, of: own, names) }
        if current.clearsParts { stage["unmet"] = YAMLNode(text: "ignore") }
        try fitKey(&stage, entity, names)
        imports.append(current)
        return stage
    }

    // MARK: Entities

    /// Returns the store's name of an inferred entity, and adds the entity if the store has none.
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
        // Fitting the links adds the relationships.
        try change { model throws(ModelError) in
            try model.editing(own) {
                $0.ownAttributes = entity.ownAttributes
                $0.userInfo = entity.userInfo
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

    /// Fits the mappings of an entity's properties in a stage or in a link with `each`.
    ///
    /// - Parameters:
    ///   - own: the inferred entity.
    ///   - names: receives the store's property for each column and for each inferred attribute.
    mutating func fit(
        block: YAMLNode, of own: String, to entity: String, _ names: inout [String: String]
    ) throws(RunFailure) -> YAMLNode {
        var block = FittedBlock(block, of: own, to: entity)
        var taken = model.takenNames(in: entity)
        var added: [AttributeDescription] = []
        let attributes = (inferred.entity(named: own)?.ownAttributes ?? []).filter {
            !inference.lacks($0.name, of: own, stage: stageName)
                && (!block.isSetOnly || block.inferred[$0.name] != nil)
        }
        let match = match(attributes, block)
        try setRowKey(of: &block, match)
        for attribute in attributes {
            let node = block.inferred[attribute.name]
            let source = Self.source(node, attribute.name)
            if node?["expr"] != nil {
                fit(computed: attribute.name, in: &block, &names)
            } else if let name = match.properties[source] {
                try fit(attribute, from: source, to: name, in: &block, &names)
            } else if isKeyAgain(source, names, of: entity)
                || fill(wholeOf: source, in: &block, &names)
                || fill(
                    partsOf: source, inference.content(of: attribute.name, in: own), in: &block,
                    &names)
            {
                continue
            } else if addsColumns {
                let name = try add(attribute, from: source, of: own, to: entity, &taken, &added)
                names[source] = name
                names[attribute.name] = name
                block.fill(name, by: node, source)
            } else if inference.content(of: attribute.name, in: own) != .nothing {
                current.skipped.append(source)
            }
        }
        if !added.isEmpty {
            try change { model throws(ModelError) in
                try model.editing(entity) { $0.ownAttributes += added }
            }
        }
        for entry in block.inferredLinks.entries {
            try fit(link: entry, match.properties, in: &block, &names)
        }
        // The objects of the other records may lack fields that earlier files had.
        for path in inference.nullObjects(of: block.own)
        where fill(partsOf: path, .nothing, in: &block, &names) {
            current.clearsParts = true
        }
        let filled = Set(names.values)
        if model.attributes(of: entity).contains(where: {
            names[$0.name] != nil && !filled.contains($0.name)
        }) {
            block.fillNothingElse()
        }
        if newEntities.contains(entity) { try addConstraints(of: own, to: entity, names) }
        return block.node
    }

    /// Returns the match between the columns of a block and the properties of the store.
    private func match(_ attributes: [AttributeDescription], _ block: FittedBlock) -> ColumnMatch {
        var columns = attributes.filter { block.inferred[$0.name]?["expr"] == nil }.map {
            ColumnMatch.Column(source: Self.source(block.inferred[$0.name], $0.name), name: $0.name)
        }
        columns += block.inferredLinks.entries.map {
            ColumnMatch.Column(source: Self.column(of: $0), name: $0.key)
        }
        return ColumnMatch(columns, properties(of: block.entity))
    }

    /// Returns the properties of an entity that columns may fill.
    func properties(of entity: String) -> [ColumnMatch.Property] {
        let attributes = model.attributes(of: entity).filter(\.takesValues).map {
            ColumnMatch.Property(name: $0.name, column: PropertyOrigin($0.userInfo).column)
        }
        let links = model.relationships(of: entity).map { link in
            let name = InferredNames.folded(link.name)
            let key = link.isToMany ? nil : self.key(of: link.destinationEntityName)
            return ColumnMatch.Property(
                name: link.name, column: PropertyOrigin(link.userInfo).column,
                keys: key.map { [name + "id", name + InferredNames.folded($0)] } ?? [])
        }
        return attributes + links
    }

    /// Computes the key from all columns if the store's key is computed that way.
    ///
    /// The key includes the same columns as in the first import, so a row with one more column is
    /// the same object. A file with the key's own column, such as an export, contains the keys
    /// themselves.
    private mutating func setRowKey(
        of block: inout FittedBlock, _ match: ColumnMatch
    ) throws(RunFailure) {
        guard let rowKey = rowKey(of: block.entity), !block.isSetOnly,
            !match.properties.values.contains(rowKey.name)
        else { return }
        let origin = PropertyOrigin(rowKey.userInfo)
        let fields = origin.rowKey ?? RowKeyFields([])
        let isFitting = !newEntities.contains(block.entity) && !match.properties.isEmpty
        if isFitting, !fields.names.isEmpty {
            try checkRowKey(origin, fields, block)
        }
        block.set[rowKey.name] = YAMLNode([("expr", YAMLNode(text: fields.expression))])
        current.attributes.append(rowKey)
        current.computed = rowKey.name
    }

    /// Fits an attribute that identifies records by all columns, unless the store has another key.
    private mutating func fit(
        computed name: String, in block: inout FittedBlock, _ names: inout [String: String]
    ) {
        guard let found = model.attribute(name, of: block.entity) else { return }
        names[name] = found.name
        if block.set[found.name] == nil { block.set[found.name] = block.inferred[name] }
        if !current.attributes.contains(found) { current.attributes.append(found) }
        current.computed = found.name
    }

    /// Fills a property of the store from a column.
    private mutating func fit(
        _ attribute: AttributeDescription, from source: String, to name: String,
        in block: inout FittedBlock, _ names: inout [String: String]
    ) throws(RunFailure) {
        guard let found = model.attribute(name, of: block.entity) else {
            let content = inference.content(of: attribute.name, in: block.own)
            guard let link = model.relationship(name, of: block.entity),
                let node = keys(from: source, content, to: link, of: block.own)
            else {
                if content != .nothing { current.withoutKey.append(source) }
                return
            }
            names[source] = name
            names[attribute.name] = name
            fill(link)
            block.links[name] = node
            return
        }
        names[source] = found.name
        names[attribute.name] = found.name
        current.attributes.append(found)
        if let fix = inference.fix(ofOpenDates: attribute.name, of: block.own, for: found) {
            openDates.append((block.entity, found.name, fix))
        }
        try note(inference.decimalDoubt(on: attribute.name, of: block.own, for: found))
        // A mapping for the inferred type may be invalid for the store's type.
        let isAlike = found.type == attribute.type || found.type.isNumber && attribute.type.isNumber
        let isFit = isAlike && !PropertyOrigin(found.userInfo).hasFormat
        let node =
            isFit || block.isSetOnly
            ? block.inferred[attribute.name]
            : inference.mapping(of: attribute.name, in: block.own, as: found, stage: stageName)
        block.fill(found.name, by: node, source)
    }

    /// Fills an attribute in which the store keeps a complete object as JSON.
    ///
    /// The column is one field of that object.
    ///
    /// - Returns: whether the store has such an attribute.
    mutating func fill(
        wholeOf source: String, in block: inout FittedBlock, _ names: inout [String: String]
    ) -> Bool {
        guard !inference.isTable(block.own, stage: stageName) else { return false }
        for attribute in model.attributes(of: block.entity) where attribute.type == .transformable {
            let path = PropertyOrigin(attribute.userInfo).column ?? attribute.name
            guard source.hasPrefix(path + ".") else { continue }
            if !names.values.contains(attribute.name) {
                names[path] = attribute.name
                current.attributes.append(attribute)
                block.fill(attribute.name, by: nil, path)
            }
            return true
        }
        return false
    }

    /// Adds the constraints of a new entity after its relationships have been added.
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

    /// Returns the column that a mapping reads; without a mapping, the attribute's name.
    static func source(_ node: YAMLNode?, _ name: String) -> String {
        node?.text ?? node?["from"]?.text ?? name
    }

    /// Adds an attribute to the attributes that the model gets.
    ///
    /// - Parameters:
    ///   - source: the column that fills it.
    ///   - own: the inferred entity.
    ///   - taken: the names of the properties of the entity's family.
    /// - Returns: its name, which is changed if a property of the family already has it.
    private mutating func add(
        _ attribute: AttributeDescription, from source: String, of own: String, to entity: String,
        _ taken: inout TakenNames, _ added: inout [AttributeDescription]
    ) throws(RunFailure) -> String {
        newAttributes.append((own, entity, attribute.name))
        var attribute = attribute
        attribute.name = taken.claim(attribute.name)
        attribute.userInfo = PropertyOrigin.userInfo(
            attribute.userInfo, of: source, fills: attribute.name)
        attribute.isOptional = true
        try add(property: "\(entity).\(attribute.name) \(attribute.type.rawValue)")
        current.attributes.append(attribute)
        added.append(attribute)
        return attribute.name
    }

    /// Records a property that an existing entity gets; throws if the store is an app's.
    mutating func add(property: String) throws(RunFailure) {
        guard !isOfApp else {
            throw RunFailure(
                .usage, code: "import.app-store",
                "\(store) was created by an app, and etl does not change an app's model to add"
                    + " \(property)",
                fix: "leave out --add-columns to skip these columns")
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
        // An export has the row keys in a column.
        let rowKey = InferredNames.rowKey
        current.hasRowKey =
            key == [rowKey]
            && (stage["set"]?[rowKey]?["expr"] != nil || !names.values.contains(rowKey))
        stage["when-found"] = nil
        guard key != own else { return }
        let value = YAMLNode(names: key)
        guard stage["key"] == nil else { return stage["key"] = value }
        var entries = stage.entries.filter { $0.key != "set" && $0.key != "link" }
            .map { ($0.key, $0.value) }
        entries.append(("key", value))
        for key in ["set", "link"] {
            if let node = stage[key] { entries.append((key, node)) }
        }
        stage = YAMLNode(entries)
    }

    /// Returns the key of a stage.
    ///
    /// - Parameter own: the inferred key, by the store's names.
    private func key(
        _ own: [String], _ entity: String, _ names: [String: String]
    ) throws(RunFailure) -> [String] {
        let file = current.files.first ?? ""
        let keys = model.uniquenessConstraints(of: entity)
        let filled = Set(current.attributes.map(\.name) + current.links.map(\.name))
        try checkFilled(filled, entity)
        // As in the first import, `--key` applies to the files that have its columns.
        let isOfOthers =
            hasSeveral
            && !givenKey.allSatisfy { names[$0] != nil || current.skipped.contains($0) }
        guard givenKey.isEmpty || current.isJoin || newEntities.contains(entity) || isOfOthers
        else {
            let told = try givenKey.map { column throws(RunFailure) in
                if let name = names[column] { return name }
                let hasKey = keys.contains(where: filled.isSuperset)
                throw RunFailure(
                    .usage, code: "import.key",
                    "The column '\(column)' of \(file) fills no property of \(entity)",
                    fix: hasKey
                        ? "leave out --key" : fix(withoutKey: keys.first ?? [], of: entity, names))
            }
            // With another key, records would change the key that identifies their objects.
            if let key = keys.first(where: filled.isSuperset),
                !keys.contains(where: { Set($0) == Set(told) })
            {
                let own =
                    key == [current.computed]
                    ? "all columns" : "\(key.joined(separator: ", ")), which \(file) has"
                throw RunFailure(
                    .usage, code: "import.key",
                    "\(entity) of the store is identified by \(own), and not by"
                        + " \(told.joined(separator: ", "))",
                    fix: "leave out --key, or import into a new store")
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
                fix: fix(withoutKey: key, of: entity, names))
        }
        throw RunFailure(
            .usage, code: "import.key",
            isNew
                ? "No column of \(file) identifies its records, so a second import would add them"
                    + " again"
                : "\(entity) has no key in \(store), so a second import would add its objects again",
            fix: fix(withoutKey: [], of: entity, names))
    }
}

extension AttributeType {
    /// Whether its values are numbers, which share one format.
    fileprivate var isNumber: Bool {
        switch self {
        case .integer16, .integer32, .integer64, .decimal, .double, .float: true
        default: false
        }
    }
}
