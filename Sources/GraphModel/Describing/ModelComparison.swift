/// Finds the differences between two models, entity by entity.
struct ModelComparison {
    private typealias Change = ModelDiff.Change

    let old: ManagedObjectModel
    let new: ManagedObjectModel
    private let pairing: ModelPairing
    private var found: [ModelDiff.Change] = []

    init(_ pairing: ModelPairing) {
        old = pairing.old
        new = pairing.new
        self.pairing = pairing
    }

    mutating func changes() -> [ModelDiff.Change] {
        compareEntities()
        compareWhole("version differs", old.versionIdentifiers, new.versionIdentifiers)
        compareWhole("configurations differ", old.configurations, new.configurations)
        compareWhole("composites differ", old.composites, new.composites)
        compareWhole("requests differ", old.fetchRequestTemplates, new.fetchRequestTemplates)
        compareWhole("Xcode-only settings differ", old.extras, new.extras)
        return found
    }

    private mutating func add(
        _ subject: String, _ text: String, _ effect: ModelDiff.Effect,
        _ kind: ModelDiff.Change.Kind = .changed
    ) {
        found.append(Change(subject: subject, text: text, effect: effect, kind: kind))
    }

    private mutating func addOptionality(_ subject: String, _ isOptional: Bool, needs: Bool) {
        add(
            subject, isOptional ? "is optional now" : "is required now",
            needs ? .mapping : .lightweight)
    }

    private mutating func compareWhole<Value: Equatable>(
        _ what: String, _ before: Value, _ after: Value
    ) {
        if before != after { add("", what, .none) }
    }

    // MARK: Entities

    private mutating func compareEntities() {
        let sorted = new.entities.sorted { $0.name < $1.name }
        for entity in sorted {
            guard
                let before = pairing.oldName(of: entity.name).flatMap({ old.entity(named: $0) })
            else {
                add(entity.name, "new entity", .lightweight, .added)
                continue
            }
            compare(before, entity)
        }
        for entity in old.entities.sorted(by: { $0.name < $1.name })
        where pairing.newName(of: entity.name) == nil {
            add(entity.name, "entity is removed, with its objects", .lightweight, .removed)
        }
    }

    private mutating func compare(_ before: EntityDescription, _ after: EntityDescription) {
        let name = after.name
        if before.name != name { add(name, "renamed from '\(before.name)'", .lightweight) }
        if before.superentityName != after.superentityName {
            let parents = [before.superentityName, after.superentityName].map { $0 ?? "none" }
            add(name, "parent is \(parents[1]), was \(parents[0])", .lightweight)
        }
        if before.isAbstract != after.isAbstract {
            add(name, after.isAbstract ? "is abstract now" : "is no longer abstract", .lightweight)
        }
        compareProperties(before, after)
        if before.uniquenessConstraints != after.uniquenessConstraints {
            let lists = [before, after].map { entity in
                entity.uniquenessConstraints.map { "(" + $0.joined(separator: ", ") + ")" }
                    .joined(separator: " ")
            }
            add(name, "unique \(Self.or(lists[1])), was \(Self.or(lists[0]))", .lightweight)
        }
        let quiet: [(String, Bool)] = [
            ("class differs", before.managedObjectClassName != after.managedObjectClassName),
            ("indexes differ", before.indexes != after.indexes),
            ("rules differ", before.validationRules != after.validationRules),
            ("fetched properties differ", before.fetchedProperties != after.fetchedProperties),
            ("info differs", before.userInfo != after.userInfo),
            ("Xcode-only settings differ", before.extras != after.extras),
        ]
        for (what, differs) in quiet where differs { add(name, what, .none) }
        if before.versionHashModifier != after.versionHashModifier {
            add(name, "hash modifier differs", .lightweight)
        }
    }

    private static func or(_ text: String) -> String { text.isEmpty ? "nothing" : text }

    // MARK: Properties

    private mutating func compareProperties(
        _ before: EntityDescription, _ after: EntityDescription
    ) {
        let attributes = pairing.attributes(of: after.name, from: before.name)
        let relationships = pairing.relationships(of: after.name, from: before.name)
        compareComposites(before, after)
        for attribute in new.ownAttributes(of: after) {
            let path = "\(after.name).\(attribute.name)"
            if let partner = attributes[attribute.name] {
                compare(partner, attribute, path)
            } else {
                // If no old object has the composite, none of its elements is required.
                let others = attribute.requiredBeside.flatMap {
                    new.elements(of: $0, in: after.name)
                }
                let isNeeded = others?.contains { attributes[$0.name] != nil } ?? false
                addNew(attribute, path, isNeeded: isNeeded || !attribute.isOptional)
            }
        }
        for relationship in new.ownRelationships(of: after) {
            let path = "\(after.name).\(relationship.name)"
            if let partner = relationships[relationship.name] {
                compare(partner, relationship, path)
            } else {
                add(
                    path, "new relationship \(ModelText.text(of: relationship))",
                    relationship.isOptional ? .lightweight : .mapping, .added)
            }
        }
        let kept = Set(attributes.values.map(\.name) + relationships.values.map(\.name))
        let gone =
            old.ownAttributes(of: before).map(\.name) + old.ownRelationships(of: before).map(\.name)
        for name in gone where !kept.contains(name) {
            add("\(after.name).\(name)", "is removed, with its values", .lightweight, .removed)
        }
    }

    /// Compares composite attributes themselves; their elements are compared as attributes.
    private mutating func compareComposites(
        _ before: EntityDescription, _ after: EntityDescription
    ) {
        let known = before.ownAttributes.filter { $0.type == .composite }
        let required = new.ownRequiredComposites(of: after)
        for attribute in after.ownAttributes where attribute.type == .composite {
            // A default of one element gives the composite a value.
            let needsValue =
                required.contains { $0.path == attribute.name }
                && new.elements(of: attribute.name, in: after.name)?
                    .allSatisfy { $0.defaultValue == nil } == true
            let name = attribute.renamingIdentifier ?? attribute.name
            let partner =
                known.first { [$0.name, $0.renamingIdentifier].contains(name) }
                ?? known.first { $0.name == attribute.name }
            let path = "\(after.name).\(attribute.name)"
            guard let partner else {
                if needsValue { add(path, "needs a value", .mapping, .added) }
                continue
            }
            if partner.isOptional != attribute.isOptional {
                addOptionality(path, attribute.isOptional, needs: needsValue)
            }
            if partner.versionHashModifier != attribute.versionHashModifier {
                add(path, "hash modifier differs", .lightweight)
            }
            addQuiet(partner, attribute, path)
        }
    }

    private mutating func addNew(
        _ attribute: AttributeDescription, _ path: String, isNeeded: Bool
    ) {
        let hasValue =
            !isNeeded || attribute.isTransient || attribute.defaultValue != nil
            || attribute.derivationExpression != nil
        var attribute = attribute
        // The previous name of an element follows from that of its composite.
        if attribute.name.contains(".") { attribute.renamingIdentifier = nil }
        add(
            path, "new attribute \(ModelText.text(of: attribute))",
            hasValue ? .lightweight : .mapping, .added)
    }

    private mutating func compare(
        _ before: AttributeDescription, _ after: AttributeDescription, _ path: String
    ) {
        if before == after { return }
        if before.name != after.name { add(path, "renamed from '\(before.name)'", .lightweight) }
        if before.type != after.type {
            add(
                path, "type is \(after.type.rawValue), was \(before.type.rawValue)",
                after.type.holdsEveryValue(of: before.type) ? .lightweight : .mapping)
        }
        if before.isOptional != after.isOptional {
            let needs = !after.isOptional && after.defaultValue == nil && !after.isTransient
            addOptionality(path, after.isOptional, needs: needs)
        }
        if before.isOptional, after.isOptional,
            (before.requiredBeside == nil) != (after.requiredBeside == nil)
        {
            if let whole = after.requiredBeside {
                add(
                    path, "is required now where '\(whole)' has a value",
                    after.defaultValue == nil ? .mapping : .lightweight)
            } else {
                add(path, "is no longer required", .lightweight)
            }
        }
        if before.isTransient != after.isTransient {
            let isLost = before.isTransient && !after.isOptional && after.defaultValue == nil
            add(
                path, after.isTransient ? "is transient now" : "is stored now",
                isLost ? .mapping : .lightweight)
        }
        let loud: [(String, Bool)] = [
            ("derivation", before.derivationExpression != after.derivationExpression),
            (
                "external storage",
                before.allowsExternalBinaryDataStorage != after.allowsExternalBinaryDataStorage
            ),
            (
                "preservation in history",
                before.preservesValueInHistoryOnDeletion != after.preservesValueInHistoryOnDeletion
            ),
            ("hash modifier", before.versionHashModifier != after.versionHashModifier),
        ]
        for (what, differs) in loud where differs { add(path, "\(what) differs", .lightweight) }
        addQuiet(before, after, path)
    }

    private mutating func addQuiet(
        _ before: AttributeDescription, _ after: AttributeDescription, _ path: String
    ) {
        let quiet: [(String, Bool)] = [
            ("default differs", before.defaultValue != after.defaultValue),
            (
                "rules differ",
                before.range != after.range || before.length != after.length
                    || before.pattern != after.pattern
            ),
            ("transformer differs", before.transformerName != after.transformerName),
            ("search differs", before.isSearchable != after.isSearchable),
            ("info differs", before.userInfo != after.userInfo),
            ("Xcode-only settings differ", before.extras != after.extras),
        ]
        for (what, differs) in quiet where differs { add(path, what, .none) }
    }

    private mutating func compare(
        _ before: RelationshipDescription, _ after: RelationshipDescription, _ path: String
    ) {
        if before == after { return }
        if before.name != after.name { add(path, "renamed from '\(before.name)'", .lightweight) }
        if before.destinationEntityName != after.destinationEntityName {
            let renamed = pairing.oldName(of: after.destinationEntityName)
            add(
                path,
                "leads to \(after.destinationEntityName), was \(before.destinationEntityName)",
                renamed == before.destinationEntityName ? .lightweight : .mapping)
        }
        if before.isToMany != after.isToMany {
            add(
                path, after.isToMany ? "is to many now" : "is to one now",
                after.isToMany ? .lightweight : .mapping)
        }
        if before.isOptional != after.isOptional {
            addOptionality(path, after.isOptional, needs: !after.isOptional)
        }
        let loud: [(String, Bool)] = [
            ("order", before.isOrdered != after.isOrdered),
            ("inverse", before.inverseName != after.inverseName),
            (
                "count",
                before.isToMany == after.isToMany
                    && (before.minimumCount != after.minimumCount
                        || before.maximumCount != after.maximumCount)
            ),
            ("hash modifier", before.versionHashModifier != after.versionHashModifier),
        ]
        for (what, differs) in loud where differs { add(path, "\(what) differs", .lightweight) }
        let quiet: [(String, Bool)] = [
            ("delete rule differs", before.deleteRule != after.deleteRule),
            ("info differs", before.userInfo != after.userInfo),
            ("Xcode-only settings differ", before.extras != after.extras),
        ]
        for (what, differs) in quiet where differs { add(path, what, .none) }
    }
}
