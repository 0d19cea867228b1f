/// A readable description of a model: one block for each entity, with names in columns.
///
/// ```
/// Task : Item  (renamed from Todo)
///   attributes
///     title        String, required, 1..500 characters
///   relationships
///     category     → Category.tasks, to one, on delete nullify
///   unique
///     id
/// ```
public struct ModelText: Sendable {
    private let model: ManagedObjectModel
    private let showsHashes: Bool

    /// Returns the text of a model.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - hashes: Whether to show each entity's version hash, the digest, and the checksum.
    public static func text(of model: ManagedObjectModel, hashes: Bool = false) -> String {
        ModelText(model: model, showsHashes: hashes).text()
    }

    private func text() -> String {
        var blocks = [header()]
        let all = model.versionHashes
        let own = Set(model.entityNamesWithOwnHashes)
        for entity in model.entities {
            let hash = all[entity.name].map { own.contains(entity.name) ? nil : $0 } ?? nil
            blocks.append(block(entity, hash: hash))
        }
        blocks += model.composites.map { composite in
            let lines = composite.attributes.map { line($0.name, Self.text(of: $0)) }
            return (["Composite \(composite.name)"] + lines).joined(separator: "\n")
        }
        if !model.fetchRequestTemplates.isEmpty {
            let lines = model.fetchRequestTemplates.map {
                "  " + padded($0.name) + Self.text(of: $0)
            }
            blocks.append((["Requests"] + lines).joined(separator: "\n"))
        }
        if !model.configurations.isEmpty {
            let lines = model.configurations.sorted { $0.key < $1.key }
                .map { "  " + padded($0.key) + $0.value.joined(separator: ", ") }
            blocks.append((["Configurations"] + lines).joined(separator: "\n"))
        }
        return blocks.joined(separator: "\n\n") + "\n"
    }

    private func header() -> String {
        var lines: [String] = []
        let relationships = model.entities.flatMap(\.ownRelationships).count
        let attributes = model.entities.flatMap(\.ownAttributes).count
        lines.append(
            Self.count(model.entities.count, "entity", "entities") + ", "
                + Self.count(attributes, "attribute", "attributes") + ", "
                + Self.count(relationships, "relationship", "relationships"))
        if !model.versionIdentifiers.isEmpty {
            lines.append("version   " + model.versionIdentifiers.joined(separator: ", "))
        }
        guard showsHashes else { return lines.joined(separator: "\n") }
        let own = model.entityNamesWithOwnHashes
        guard own.isEmpty else {
            lines.append(
                "digest    cannot be verified: derived or composite attributes in "
                    + own.joined(separator: ", "))
            return lines.joined(separator: "\n")
        }
        lines.append("digest    " + model.versionHashesDigest)
        lines.append("checksum  " + model.versionChecksum)
        return lines.joined(separator: "\n")
    }

    // MARK: Entities

    private func block(_ entity: EntityDescription, hash: [UInt8]?) -> String {
        var title = entity.name
        if let parent = entity.superentityName { title += " : \(parent)" }
        var notes: [String] = []
        if entity.isAbstract { notes.append("abstract") }
        if let name = entity.managedObjectClassName { notes.append("class \(name)") }
        if let name = entity.renamingIdentifier { notes.append("renamed from \(name)") }
        if let modifier = entity.versionHashModifier { notes.append("hash modifier \(modifier)") }
        var lines = [title + (notes.isEmpty ? "" : "  (\(notes.joined(separator: ", ")))")]
        if showsHashes {
            lines.append("  hash      " + (hash.map(\.hexText) ?? "cannot be verified"))
        }
        lines += section(
            "attributes", entity.ownAttributes.map { line($0.name, Self.text(of: $0)) })
        lines += section(
            "relationships", entity.ownRelationships.map { line($0.name, Self.text(of: $0)) })
        lines += section(
            "fetched", entity.fetchedProperties.map { line($0.name, Self.text(of: $0.request)) })
        lines += section(
            "unique", entity.uniquenessConstraints.map { "    " + $0.joined(separator: ", ") })
        lines += section("indexes", entity.indexes.map(line))
        lines += section("rules", entity.validationRules.map { "    \($0.predicate)" })
        let info = entity.userInfo.sorted { $0.key < $1.key }
        lines += section("info", info.map { line($0.key, $0.value) })
        return lines.joined(separator: "\n")
    }

    private func section(_ title: String, _ lines: [String]) -> [String] {
        lines.isEmpty ? [] : ["  \(title)"] + lines
    }

    private func line(_ index: FetchIndexDescription) -> String {
        let elements = index.elements.map {
            $0.propertyName + ($0.isAscending ? "" : " desc")
                + ($0.collation == .rTree ? " (R-tree)" : "")
        }
        let predicate = index.partialIndexPredicate.map { " where \($0)" } ?? ""
        return line(index.name, elements.joined(separator: ", ") + predicate)
    }

    private func line(_ name: String, _ text: String) -> String { "    " + padded(name) + text }

    // MARK: Words

    /// Returns a property's name padded to the next column.
    private func padded(_ name: String) -> String {
        name + String(repeating: " ", count: max(1, 20 - name.count))
    }

    private static func count(_ number: Int, _ one: String, _ many: String) -> String {
        "\(number) \(number == 1 ? one : many)"
    }

    /// Returns an attribute's type and rules as text.
    static func text(of attribute: AttributeDescription) -> String {
        var words = [attribute.compositeName ?? attribute.type.rawValue]
        if !attribute.isOptional { words.append("required") }
        if attribute.isTransient { words.append("transient") }
        if let expression = attribute.derivationExpression { words.append("derived \(expression)") }
        if let value = attribute.defaultValue {
            words.append("default \(ModelYAMLWriter.text(of: value, type: attribute.type))")
        }
        if let range = attribute.range {
            words.append(ModelYAMLWriter.text(of: range, type: attribute.type))
        }
        if let length = attribute.length {
            words.append(ModelYAMLWriter.text(of: length, type: .integer64) + " characters")
        }
        if let pattern = attribute.pattern { words.append("pattern \(pattern)") }
        if attribute.allowsExternalBinaryDataStorage { words.append("external") }
        if attribute.preservesValueInHistoryOnDeletion { words.append("kept in history") }
        if let name = attribute.transformerName { words.append("transformer \(name)") }
        if attribute.isSearchable { words.append("searchable") }
        if let name = attribute.renamingIdentifier { words.append("renamed from \(name)") }
        if let modifier = attribute.versionHashModifier {
            words.append("hash modifier \(modifier)")
        }
        return words.joined(separator: ", ")
    }

    /// Returns a relationship's destination and rules as text.
    static func text(of relationship: RelationshipDescription) -> String {
        let inverse = relationship.inverseName.map { ".\($0)" } ?? ""
        var words = ["→ \(relationship.destinationEntityName)\(inverse)"]
        words.append(relationship.isToMany ? "to many" : "to one")
        if relationship.isOrdered { words.append("ordered") }
        if relationship.isTransient { words.append("transient") }
        if !relationship.isOptional { words.append("required") }
        let maximum = relationship.maximumCount
        if relationship.minimumCount > 0 || maximum != (relationship.isToMany ? 0 : 1) {
            words.append(
                "\(relationship.minimumCount)..\(maximum <= 0 ? "" : "\(maximum)") objects")
        }
        words.append("on delete \(relationship.deleteRule.rawValue)")
        if relationship.inverseName == nil { words.append("no inverse") }
        if let name = relationship.renamingIdentifier { words.append("renamed from \(name)") }
        if let modifier = relationship.versionHashModifier {
            words.append("hash modifier \(modifier)")
        }
        return words.joined(separator: ", ")
    }

    private static func text(of template: FetchRequestTemplate) -> String {
        template.entityName + (template.predicate.map { " where \($0)" } ?? "")
            + (template.fetchLimit.map { ", at most \($0)" } ?? "")
    }
}
