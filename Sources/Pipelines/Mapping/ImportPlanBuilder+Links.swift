import GraphModel
import GraphStore

/// The links of a plan: to objects identified by a key, and to objects inside the record.
extension ImportPlanBuilder {
    mutating func addLinks() throws {
        for mapping in spec.link {
            let name = mapping.relationship.text
            guard let relationship = model.relationship(name, of: spec.into.text) else { continue }
            let destination = mapping.to?.text ?? relationship.destinationEntityName
            if let nested = mapping.nested {
                try addNested(nested, mapping, relationship, into: destination)
                continue
            }
            let by = mapping.by.resolved(of: destination, in: model)
            var parts: [ImportPlan.LinkPart] = []
            let key = try keyParts(by, of: destination, filling: name, &parts)
            guard let first = parts.first else { continue }
            links.append(
                ImportPlan.Link(
                    relationship, first, others: Array(parts.dropFirst()),
                    isKey: self.key.contains(name)))
            var link = BulkPlan.Link(
                relationship: name, destination: destination, key: key,
                missing: mapping.missing.policy,
                many: mapping.many
                    ?? .replace)
            link.notesMissed = [.null, .report].contains(mapping.missing)
            bulkLinks.append(link)
        }
    }

    /// Returns the parts of a key.
    ///
    /// - Parameter found: Receives the sources of the key's values, in order.
    private mutating func keyParts(
        _ by: [LinkMapping.KeyPart], of entity: String, filling path: String,
        _ found: inout [ImportPlan.LinkPart]
    ) throws -> [BulkPlan.KeyPart] {
        var key: [BulkPlan.KeyPart] = []
        for part in by {
            let name = part.property.text
            switch part.content {
            case .field(let field):
                let isNumber = by.count == 1 && model.isObjectNumber(name, of: entity)
                guard
                    let attribute = isNumber
                        ? ObjectNumber.attribute : model.attribute(name, of: entity)
                else { continue }
                found.append(
                    try linkPart(field, attribute, filling: "\(path).\(attribute.name)"))
                key.append(BulkPlan.KeyPart(isNumber ? ObjectNumber.explicitKey : name))
            case .object(let to, let parts):
                guard let relationship = model.relationship(name, of: entity) else { continue }
                let destination = to?.text ?? relationship.destinationEntityName
                let inner = try keyParts(
                    parts.resolved(of: destination, in: model), of: destination,
                    filling: "\(path).\(name)", &found)
                key.append(BulkPlan.KeyPart(name, to: destination, by: inner))
            }
        }
        return key
    }

    /// Adds a link to objects inside the record, which have their own plan.
    private mutating func addNested(
        _ nested: NestedMapping, _ mapping: LinkMapping, _ relationship: RelationshipDescription,
        into entity: String
    ) throws {
        var builder = ImportPlanBuilder(
            spec: nested.importSpec(into: entity).withElements(in: model), model: model,
            values: values, now: now,
            leavesArchives: leavesArchives)
        try builder.addColumns()
        try builder.addLinks()
        builder.addWholes()
        let key = builder.key
        let slot = slot(nested.each.text)
        namedPaths.append(.init(slots: [slot], text: nested.each))
        let objects = ImportPlan.Nested(builder, label: nested.label, each: nested.each)
        namedPaths += objects.namedPaths
        links.append(
            ImportPlan.Link(
                relationship,
                ImportPlan.LinkPart(objectsIn: slot, nested.each), nested: objects,
                isKey: self.key.contains(relationship.name)))
        var link = BulkPlan.Link(
            relationship: relationship.name, destination: entity,
            key: key.map { BulkPlan.KeyPart($0) },
            many: mapping.many ?? .replace)
        var plan = BulkPlan(
            entity: entity, key: key, attributes: builder.columns.map(\.name),
            links: builder.bulkLinks)
        if nested.isAppended { plan.found = .append }
        plan.owner = relationship.inverseName.flatMap { owner in
            key.contains(owner) && plan.cell(of: owner) == nil ? owner : nil
        }
        link.nested = plan
        link.label = nested.label
        bulkLinks.append(link)
    }

    private mutating func linkPart(
        _ field: FieldMapping, _ attribute: AttributeDescription, filling name: String
    ) throws -> ImportPlan.LinkPart {
        let (slot, expression) = try input(field, filling: name)
        return ImportPlan.LinkPart(
            slot: slot, expression: expression, field: field,
            fallback: try fallback(field, attribute), caster: try linkCaster(attribute, field))
    }

    /// Returns a caster for one key at a time: the link itself splits texts.
    private func linkCaster(
        _ attribute: AttributeDescription, _ field: FieldMapping
    ) throws -> ValueCaster {
        var single = field
        single.separator = nil
        return try caster(attribute, single)
    }
}

extension LinkMapping.Missing {
    /// The policy of the store's loader that corresponds to this action for a missing object.
    fileprivate var policy: BulkPlan.MissingPolicy {
        switch self {
        case .create: .create
        // The stage writes the report.
        case .null, .report: .null
        case .skip: .skip
        case .reject: .reject
        }
    }
}
