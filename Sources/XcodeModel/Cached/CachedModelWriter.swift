package import GraphModel

/// A writer that archives a model as Core Data does in `Z_MODELCACHE`, for `CachedModel` to read.
///
/// The classes and keys are those of 19 stores that apps wrote, in their newest form (framework
/// versions 1044 to 1344). These stores show:
///
/// - `NSEntities` is a dictionary whose sorted keys are in a separate mapping.
/// - Every entity contains copies of the properties that it inherits.
/// - Flags such as `NSIsOptional` are written only if they are true.
/// - `_P` repeats the flags of a property. Its bits 0x10 to 0x80 mean that the property has no
///   validation predicates, no warnings, no user info, and no hash modifier.
/// - If any entity has a fetch index, all entities have `NSFetchIndexDescriptions` and
///   `NSCompoundIndexes`. An attribute with an index over it alone then has `NSIsIndexed`, and a
///   second index with the attribute's name.
/// - A class without a name is `NSManagedObject`.
package final class CachedModelWriter {
    /// The parts of the model that the archive omits, one sentence each.
    package private(set) var leftOut: [String] = []

    private let model: ManagedObjectModel
    private let archive = ArchiveWriter()
    private let predicates: PredicateArchive
    private let root: Int
    private let noUserInfo: Int
    private let hasFetchIndexes: Bool
    private var entities: [String: Int] = [:]
    /// The number in the archive of each property, by entity and name; includes inherited
    /// properties.
    private var properties: [String: [String: Int]] = [:]

    /// Returns the bytes of the column: a compressed archive.
    ///
    /// - Throws: `ArchiveFault` if the model has composites, whose archived form is not known.
    package static func content(
        of model: ManagedObjectModel
    ) throws(ArchiveFault) -> (bytes: [UInt8], leftOut: [String]) {
        guard model.storedComposites.isEmpty, model.composites.isEmpty else {
            throw ArchiveFault("the model has composites, whose form in an archive is not known")
        }
        let writer = CachedModelWriter(model)
        let archive = try writer.bytes()
        guard let bytes = Deflation.deflate(archive) else {
            throw ArchiveFault("the archive cannot be deflated")
        }
        return (bytes, writer.leftOut)
    }

    /// Returns the uncompressed archive, as in a `.mom` file.
    ///
    /// The form of a composite attribute in it is a guess.
    package static func archive(of model: ManagedObjectModel) throws(ArchiveFault) -> [UInt8] {
        try CachedModelWriter(model).bytes()
    }

    private init(_ model: ManagedObjectModel) {
        self.model = model
        predicates = PredicateArchive(archive)
        root = archive.reserve()
        noUserInfo = archive.dictionary([], kind: "NSDictionary")
        hasFetchIndexes = model.entities.contains { !$0.indexes.isEmpty }
        for entity in model.entities {
            entities[entity.name] = archive.reserve()
            var numbers: [String: Int] = [:]
            for ancestor in model.lineage(of: entity.name) {
                for name in Self.propertyNames(of: ancestor) { numbers[name] = archive.reserve() }
            }
            properties[entity.name] = numbers
        }
    }

    private static func propertyNames(of entity: EntityDescription) -> [String] {
        entity.ownAttributes.map(\.name) + entity.ownRelationships.map(\.name)
            + entity.fetchedProperties.map(\.name)
    }

    /// Returns the uncompressed archive.
    private func bytes() throws(ArchiveFault) -> [UInt8] {
        for entity in model.entities { add(entity) }
        var entries: [(String, BinaryPlist)] = [
            ("NSEntities", .uid(entitiesByName())),
            ("NSFetchRequestTemplates", .uid(templates())),
            (
                "NSVersionIdentifiers",
                .uid(archive.list(model.versionIdentifiers.map(archive.text), kind: "NSSet"))
            ),
        ]
        if !model.configurations.isEmpty {
            let sets = model.configurations.sorted { $0.key < $1.key }.map { name, members in
                (
                    archive.text(name),
                    archive.list(members.compactMap { entities[$0] }, kind: "NSSet")
                )
            }
            entries.append(("NSConfigurations", .uid(archive.dictionary(sets))))
        }
        archive.fill(root, "NSManagedObjectModel", entries)
        return archive.archive(root: root)
    }

    private func entitiesByName() -> Int {
        let names = entities.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        let mapping = archive.object(
            "NSKnownKeysMappingStrategy1",
            [
                ("length", .integer(names.count)),
                ("keys", .uid(archive.list(names.map(archive.text)))), ("version", .integer(1)),
            ])
        return archive.object(
            "NSKnownKeysDictionary1",
            [
                ("values", .uid(archive.list(names.compactMap { entities[$0] }))),
                ("searchMapping", .uid(mapping)),
                ("emptyToken", text("__empty_slot_token_4c24_98dc_ac1e_b773__")),
                ("version", .integer(1)),
            ])
    }

    /// Writes a part of the model, and returns its number; `nil` if the part is left out.
    ///
    /// A part that the archive cannot express is recorded in `leftOut`.
    private func part(
        _ what: String, _ write: () throws(ArchiveFault) -> Int
    ) -> Int? {
        do throws(ArchiveFault) {
            return try write()
        } catch {
            leftOut.append("\(what) is left out: \(error.message)")
            return nil
        }
    }

    /// Returns a reference to a string, or to `nil`.
    private func text(_ text: String?) -> BinaryPlist { .uid(text.map(archive.text) ?? 0) }

    // MARK: Entities

    private func add(_ entity: EntityDescription) {
        for ancestor in model.lineage(of: entity.name) {
            for attribute in ancestor.ownAttributes { add(attribute, of: ancestor, to: entity) }
            for relationship in ancestor.ownRelationships { add(relationship, to: entity) }
            for property in ancestor.fetchedProperties { add(property, to: entity) }
        }
        let numbers = (properties[entity.name] ?? [:]).sorted { $0.key < $1.key }
        let children = model.entities.filter { $0.superentityName == entity.name }
        let className = entity.managedObjectClassName ?? entity.name
        var entries: [(String, BinaryPlist)] = [
            ("NSEntityName", text(entity.name)),
            ("NSClassNameForEntity", text(className == "NSManagedObject" ? nil : className)),
            ("NSManagedObjectModel", .uid(root)),
            (
                "NSProperties",
                .uid(archive.dictionary(numbers.map { (archive.text($0.key), $0.value) }))
            ),
            (
                "NSSubentities",
                .uid(
                    archive.dictionary(
                        children.map { (archive.text($0.name), entities[$0.name] ?? 0) }))
            ),
            ("NSSuperentity", .uid(entity.superentityName.flatMap { entities[$0] } ?? 0)),
            ("NSUserInfo", .uid(userInfo(entity.userInfo))),
            ("NSRenamingIdentifier", text(entity.renamingIdentifier ?? entity.name)),
            ("NSVersionHashModifier", text(entity.versionHashModifier)),
        ]
        if entity.isAbstract { entries.append(("NSIsAbstract", .boolean(true))) }
        if !entity.uniquenessConstraints.isEmpty {
            entries.append(("NSUniqueTuples", .uid(tuples(entity.uniquenessConstraints))))
        }
        entries += indexes(of: entity)
        archive.fill(entities[entity.name] ?? 0, "NSEntityDescription", entries)
    }

    private func userInfo(_ info: [String: String]) -> Int {
        guard !info.isEmpty else { return noUserInfo }
        return archive.dictionary(
            info.sorted { $0.key < $1.key }.map { (archive.text($0.key), archive.text($0.value)) },
            kind: "NSDictionary")
    }

    private func tuples(_ names: [[String]]) -> Int {
        archive.list(
            names.map { archive.list($0.map(archive.text), kind: "NSMutableArray") },
            kind: "NSMutableArray")
    }

    // MARK: Properties

    /// Returns the entries that properties of all kinds have.
    private func common(
        _ name: String, in entity: EntityDescription, isOptional: Bool, isReadOnly: Bool = false,
        isTransient: Bool = false, isOrdered: Bool = false, hasRules: Bool = false,
        userInfo info: [String: String], renaming: String?, modifier: String?
    ) -> [(String, BinaryPlist)] {
        var flags = 0x01
        if isOptional { flags |= 0x02 }
        if isReadOnly { flags |= 0x04 }
        if isTransient { flags |= 0x08 }
        if !hasRules { flags |= 0x30 }
        if info.isEmpty { flags |= 0x40 }
        if modifier == nil { flags |= 0x80 }
        if isOrdered { flags |= 0x400 }
        var entries: [(String, BinaryPlist)] = [
            ("NSPropertyName", text(name)),
            ("NSEntity", .uid(entities[entity.name] ?? 0)), ("_P", .integer(flags)),
            ("NSRenamingIdentifier", text(renaming ?? name)),
        ]
        if isOptional { entries.append(("NSIsOptional", .boolean(true))) }
        if isReadOnly { entries.append(("NSIsReadOnly", .boolean(true))) }
        if isTransient { entries.append(("NSIsTransient", .boolean(true))) }
        if isOrdered { entries.append(("NSIsOrdered", .boolean(true))) }
        if !info.isEmpty { entries.append(("NSUserInfo", .uid(userInfo(info)))) }
        if let modifier { entries.append(("NSVersionHashModifier", text(modifier))) }
        return entries
    }

    private func add(
        _ attribute: AttributeDescription, of declaring: EntityDescription,
        to entity: EntityDescription
    ) {
        let isDerived =
            attribute.derivationExpression != nil || attribute.extras["derived"] == "YES"
        let rules = writable(ArchivedRules.rules(of: attribute), attribute, declaring, entity)
        var flags = 0
        if attribute.allowsExternalBinaryDataStorage { flags |= 4 }
        if attribute.preservesValueInHistoryOnDeletion { flags |= 16 }
        var entries = common(
            attribute.name, in: entity, isOptional: attribute.isOptional, isReadOnly: isDerived,
            isTransient: attribute.isTransient, hasRules: !rules.isEmpty,
            userInfo: attribute.userInfo, renaming: attribute.renamingIdentifier,
            modifier: attribute.versionHashModifier)
        entries += [
            ("NSAttributeType", .integer(Int(attribute.type.code))),
            ("NSFlagsKey", .integer(flags)),
            ("NSAttributeValueClassName", text(valueClass(of: attribute))),
            ("NSValueTransformerName", text(attribute.xcodeTransformerName)),
            ("NSDefaultValue", .uid(defaultValue(of: attribute) ?? 0)),
        ]
        if isIndexed(attribute, in: declaring) { entries.append(("NSIsIndexed", .boolean(true))) }
        if !rules.isEmpty {
            entries += [
                ("NSValidationPredicates", .uid(archive.list(rules.map(\.predicate)))),
                (
                    "NSValidationWarnings",
                    .uid(archive.list(rules.map { archive.text($0.message) }))
                ),
            ]
        }
        var kind = "NSAttributeDescription"
        if isDerived {
            kind = "NSDerivedAttributeDescription"
            let derivation = attribute.derivationExpression.map(predicates.number(ofDerivation:))
            entries += [
                ("NSDerivationExpression", .uid(derivation ?? 0)),
                ("NSFilteringPredicate", .uid(0)),
            ]
        }
        archive.fill(properties[entity.name]?[attribute.name] ?? 0, kind, entries)
    }

    /// Returns the archived rules of an attribute; rules that cannot be archived are left out.
    private func writable(
        _ rules: [ValidationRule], _ attribute: AttributeDescription,
        _ declaring: EntityDescription, _ entity: EntityDescription
    ) -> [(predicate: Int, message: String)] {
        var written: [(predicate: Int, message: String)] = []
        for rule in rules {
            do throws(ArchiveFault) {
                written.append((try number(ofPredicate: rule.predicate), rule.message))
            } catch  where declaring.name == entity.name {
                leftOut.append(
                    "A rule of \(entity.name).\(attribute.name) is left out: \(error.message)")
            } catch {}
        }
        return written
    }

    private func number(ofPredicate text: String) throws(ArchiveFault) -> Int {
        let predicate: GraphPredicate
        do {
            predicate = try GraphPredicate(format: text)
        } catch {
            throw ArchiveFault("the predicate '\(text)' cannot be read")
        }
        return try predicates.number(of: predicate)
    }

    private func valueClass(of attribute: AttributeDescription) -> String? {
        switch attribute.type {
        case .integer16, .integer32, .integer64, .double, .float, .boolean: "NSNumber"
        case .decimal: "NSDecimalNumber"
        case .string: "NSString"
        case .date: "NSDate"
        case .binary: "NSData"
        case .uuid: "NSUUID"
        case .uri: "NSURL"
        case .transformable: attribute.extras["customClassName"]
        case .composite, .undefined: nil
        }
    }

    private func defaultValue(of attribute: AttributeDescription) -> Int? {
        switch (attribute.defaultValue, attribute.type) {
        case (.integer(let value), .boolean): archive.add(.boolean(value != 0))
        case (.integer(let value), _): archive.add(.integer(Int(value)))
        case (.real(let value), .date): archive.object("NSDate", [("NS.time", .real(value))])
        case (.real(let value), .decimal):
            archive.decimal(ExactDecimal(value)?.text ?? "") ?? archive.add(.real(value))
        case (.real(let value), _): archive.add(.real(value))
        case (.text(let text), .uri):
            archive.object(
                "NSURL", [("NS.base", .uid(0)), ("NS.relative", self.text(text))])
        case (.text(let text), .decimal): archive.decimal(text)
        case (.text(let text), _): archive.text(text)
        case (.blob(let bytes), .uuid): archive.object("NSUUID", [("NS.uuidbytes", .data(bytes))])
        case (.blob(let bytes), _): archive.add(.data(bytes))
        case (.null, _), (nil, _): nil
        }
    }

    private func add(_ relationship: RelationshipDescription, to entity: EntityDescription) {
        let destination = relationship.destinationEntityName
        let rules: [DeleteRule] = [.noAction, .nullify, .cascade, .deny]
        let inverse = relationship.inverseName
        let entries =
            common(
                relationship.name, in: entity, isOptional: relationship.isOptional,
                isTransient: relationship.isTransient, isOrdered: relationship.isOrdered,
                userInfo: relationship.userInfo,
                renaming: relationship.renamingIdentifier,
                modifier: relationship.versionHashModifier)
            + [
                ("NSDestinationEntity", .uid(entities[destination] ?? 0)),
                ("_NSDestinationEntityName", text(destination)),
                (
                    "NSInverseRelationship",
                    .uid(inverse.flatMap { properties[destination]?[$0] } ?? 0)
                ),
                ("_NSInverseRelationshipName", text(inverse)),
                ("NSMaxCount", .integer(relationship.maximumCount)),
                ("NSMinCount", .integer(relationship.minimumCount)),
                ("NSDeleteRule", .integer(rules.firstIndex(of: relationship.deleteRule) ?? 1)),
            ]
        archive.fill(
            properties[entity.name]?[relationship.name] ?? 0, "NSRelationshipDescription", entries)
    }

    private func add(_ property: FetchedPropertyDescription, to entity: EntityDescription) {
        let what = "The fetched property \(entity.name).\(property.name)"
        let request = part(what) { () throws(ArchiveFault) in try number(of: property.request) }
        guard let request else {
            // The entity's dictionary omits properties without a number.
            properties[entity.name]?[property.name] = nil
            return
        }
        let entries =
            common(
                property.name, in: entity, isOptional: property.isOptional, isReadOnly: true,
                isTransient: true, userInfo: property.userInfo,
                renaming: property.renamingIdentifier, modifier: nil)
            + [
                ("NSFetchRequest", .uid(request)),
                ("_NSFetchRequestEntityName", text(property.request.entityName)),
            ]
        archive.fill(
            properties[entity.name]?[property.name] ?? 0, "NSFetchedPropertyDescription", entries)
    }

    // MARK: Requests

    private func templates() -> Int {
        var numbers: [(Int, Int)] = []
        for template in model.fetchRequestTemplates {
            let number = part("The request '\(template.name)'") { () throws(ArchiveFault) in
                try self.number(of: template)
            }
            if let number { numbers.append((archive.text(template.name), number)) }
        }
        return numbers.isEmpty ? 0 : archive.dictionary(numbers)
    }

    private func number(of template: FetchRequestTemplate) throws(ArchiveFault) -> Int {
        var predicate = 0
        if let text = template.predicate { predicate = try number(ofPredicate: text) }
        let sorting = template.sortDescriptors.map(number(of:))
        var entries: [(String, BinaryPlist)] = [
            ("NSEntity", .uid(entities[template.entityName] ?? 0)),
            ("NSPredicate", .uid(predicate)),
            ("NSSortDescriptors", .uid(sorting.isEmpty ? 0 : archive.list(sorting))),
            ("NSFetchLimit", .integer(template.fetchLimit ?? 0)),
            (
                "NSBatchSize",
                .integer(template.extras["fetchBatchSize"].flatMap { Int($0) } ?? 0)
            ),
            // Core Data's defaults: objects, including subentities, as faults.
            ("NSHasFetchRequestFlags", .boolean(true)), ("NSFetchRequestFlags", .integer(30)),
        ]
        for key in ["NSResultType", "NSFetchOffset", "NSAllocationType"] {
            entries.append((key, .integer(0)))
        }
        for key in [
            "NSValuesToFetch", "NSValuesToGroupBy", "NSHavingPredicate",
            "NSRelationshipKeyPathsForPrefetching",
        ] {
            entries.append((key, .uid(0)))
        }
        return archive.object("NSFetchRequest", entries)
    }

    private func number(of sorting: GraphSortDescriptor) -> Int {
        let usual: GraphSortDescriptor.NullOrder = sorting.isAscending ? .first : .last
        return archive.object(
            "NSSortDescriptor",
            [
                ("NSKey", text(sorting.keyPath.joined(separator: "."))),
                ("NSAscending", .boolean(sorting.isAscending)),
                ("NSSelector", text(sorting.textOrder.selector)),
                ("NSReverseNullOrder", .boolean(sorting.nullOrder != usual)),
            ])
    }

    // MARK: Indexes

    /// Returns whether an index of the entity covers this attribute alone.
    private func isIndexed(
        _ attribute: AttributeDescription, in entity: EntityDescription
    ) -> Bool {
        attribute.extras["indexed"] == "YES"
            || entity.indexes.contains { $0.soleAttribute(of: entity) == attribute.name }
    }

    private func indexes(of entity: EntityDescription) -> [(String, BinaryPlist)] {
        var compound = (entity.extras["compoundIndexes"] ?? "").split(separator: ";").map {
            $0.split(separator: ",").map(String.init)
        }
        guard hasFetchIndexes else {
            return compound.isEmpty ? [] : [("NSCompoundIndexes", .uid(tuples(compound)))]
        }
        let known = Set(entity.indexes.map(\.name))
        let implied = entity.ownAttributes.filter {
            isIndexed($0, in: entity) && !known.contains($0.name)
        }.map {
            FetchIndexDescription(name: $0.name, elements: [.init(propertyName: $0.name)])
        }
        var numbers: [Int] = []
        for index in implied + entity.indexes {
            let number = part("The index '\(index.name)' of '\(entity.name)'") {
                () throws(ArchiveFault) in try self.number(of: index, in: entity)
            }
            if let number { numbers.append(number) }
        }
        for index in entity.indexes where index.elements.count > 1 {
            let names = index.elements.map(\.propertyName)
            if !compound.contains(names) { compound.append(names) }
        }
        return [
            ("NSFetchIndexDescriptions", .uid(archive.list(numbers, kind: "NSMutableArray"))),
            ("NSCompoundIndexes", .uid(tuples(compound))),
        ]
    }

    private func number(
        of index: FetchIndexDescription, in entity: EntityDescription
    ) throws(ArchiveFault) -> Int {
        guard !index.elements.contains(where: \.isExpression) else {
            throw ArchiveFault("the form of an index over an expression is not known")
        }
        var predicate = 0
        if let text = index.partialIndexPredicate { predicate = try number(ofPredicate: text) }
        let number = archive.reserve()
        let elements = index.elements.map { element in
            archive.object(
                "NSFetchIndexElementDescription",
                [
                    ("NSPropertyName", text(element.propertyName)),
                    ("NSFetchIndexElementType", .integer(element.collation == .rTree ? 1 : 0)),
                    ("NSAscending", .boolean(element.isAscending)),
                    ("NSFetchIndexDescription", .uid(number)),
                ])
        }
        archive.fill(
            number, "NSFetchIndexDescription",
            [
                ("NSIndexName", text(index.name)),
                ("NSIndexElements", .uid(archive.list(elements))),
                ("NSEntity", .uid(entities[entity.name] ?? 0)),
                ("NSPartialIndexPredicate", .uid(predicate)),
            ])
        return number
    }
}
