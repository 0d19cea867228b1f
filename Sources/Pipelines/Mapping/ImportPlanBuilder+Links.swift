import Diagnostics
import GraphModel
import GraphStore
import RecordStreams

/// Links of a plan: to objects told by a key, and to those inside the record.
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
            let key = mapping.resolvedKey(of: destination, in: model)
            guard !key.isEmpty else { continue }
            let isByNumber = mapping.isByNumber(of: destination, in: model)
            var parts: [ImportPlan.LinkPart] = []
            for part in key {
                guard
                    let attribute = isByNumber
                        ? ObjectNumber.attribute
                        : model.attribute(part.attribute.text, of: destination)
                else { continue }
                parts.append(
                    try linkPart(part.field, attribute, filling: "\(name).\(attribute.name)"))
            }
            links.append(
                ImportPlan.Link(relationship, parts[0], others: Array(parts.dropFirst())))
            var link = BulkPlan.Link(
                relationship: name, destination: destination,
                attribute: isByNumber ? ObjectNumber.explicitKey : key[0].attribute.text,
                missing: BulkPlan.MissingPolicy(rawValue: mapping.missing.rawValue) ?? .reject,
                many: mapping.many.flatMap { BulkPlan.ManyPolicy(rawValue: $0.rawValue) }
                    ?? .replace)
            link.otherAttributes = key.dropFirst().map(\.attribute.text)
            bulkLinks.append(link)
        }
    }

    /// Objects inside the record are mapped by a plan of their own.
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
        // The caster is not used: the field holds objects.
        guard let attribute = model.attributes(of: entity).first else { return }
        let key = builder.key
        let slot = slot(nested.each.text)
        namedPaths.append(.init(slots: [slot], text: nested.each))
        links.append(
            ImportPlan.Link(
                relationship,
                ImportPlan.LinkPart(
                    slot: slot, expression: nil, field: FieldMapping(source: nested.each),
                    fallback: .absent, caster: ValueCaster(attribute)),
                nested: ImportPlan.Nested(builder, label: nested.label)))
        var link = BulkPlan.Link(
            relationship: relationship.name, destination: entity, attribute: key.first ?? "",
            many: mapping.many.flatMap { BulkPlan.ManyPolicy(rawValue: $0.rawValue) } ?? .replace)
        link.otherAttributes = Array(key.dropFirst())
        var plan = BulkPlan(
            entity: entity, key: key, attributes: builder.columns.map(\.name),
            links: builder.bulkLinks)
        if nested.isAppended { plan.found = .append }
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

    /// A link cuts texts itself, so that its caster sees one key at a time.
    private func linkCaster(
        _ attribute: AttributeDescription, _ field: FieldMapping
    ) throws -> ValueCaster {
        var single = field
        single.separator = nil
        return try caster(attribute, single)
    }
}
