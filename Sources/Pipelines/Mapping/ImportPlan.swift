import Diagnostics
import GraphModel
import GraphStore
import RecordStreams

/// How the records of one import become rows: worked out once, before the first record.
struct ImportPlan {
    /// What fills one attribute; a class, so that using one for a record copies nothing.
    final class Column {
        let name: String
        /// The field's place in the records; nil for a constant.
        let slot: Int?
        let sourceText: String
        let constant: BulkCell
        let caster: ValueCaster
        let validator: AttributeValidator
        /// The attribute may not be null.
        let isRequired: Bool
        /// The spec says that every record must have a value.
        let isNeeded: Bool
        /// What a missing value is called in rejects: `key` for a key, else `required`.
        var absenceCode: String { isKey ? "key" : "required" }
        private let isKey: Bool

        init(
            _ attribute: AttributeDescription, slot: Int?, sourceText: String, constant: BulkCell,
            caster: ValueCaster, isKey: Bool, isNeeded: Bool
        ) {
            name = attribute.name
            self.slot = slot
            self.sourceText = sourceText
            self.constant = constant
            self.caster = caster
            validator = AttributeValidator(attribute)
            isRequired = !attribute.isOptional || isKey
            self.isNeeded = isNeeded || isKey
            self.isKey = isKey
        }
    }

    /// What fills one relationship.
    final class Link {
        let name: String
        let slot: Int
        let sourceText: String
        let caster: ValueCaster
        let separator: [UInt8]?
        let isToMany: Bool
        let isRequired: Bool
        let isNeeded: Bool

        init(
            _ relationship: RelationshipDescription, slot: Int, field: FieldMapping,
            caster: ValueCaster
        ) {
            name = relationship.name
            self.slot = slot
            sourceText = field.source.text
            self.caster = caster
            separator = field.separator.map { Array($0.text.utf8) }
            isToMany = relationship.isToMany
            isRequired = !relationship.isOptional
            isNeeded = field.isNeeded
        }
    }

    let bulk: BulkPlan
    let columns: [Column]
    let links: [Link]
    let filter: CompiledPredicate?
    let selection: FieldSelection
    /// Keeps the bytes of constants.
    private let constants: ConstantMemory

    init(
        _ spec: ImportSpec, _ model: ManagedObjectModel, _ values: ParameterValues,
        now: Double
    ) throws {
        var builder = Builder(spec: spec, model: model, values: values, now: now)
        try builder.addColumns()
        try builder.addLinks()
        try builder.addFilter()
        bulk = BulkPlan(
            entity: spec.into.text, key: builder.key, attributes: builder.columns.map(\.name),
            links: builder.bulkLinks,
            duplicates: BulkPlan.DuplicatePolicy(rawValue: spec.duplicates.rawValue) ?? .last)
        columns = builder.columns
        links = builder.links
        filter = builder.filter
        selection = FieldSelection(builder.paths, optional: builder.optionalSlots)
        constants = builder.constants
    }
}

/// Bytes of constants, which live as long as the plan.
private final class ConstantMemory {
    var arena = ByteArena()
}

/// Works an `ImportPlan` out.
private struct Builder {
    let spec: ImportSpec
    let model: ManagedObjectModel
    let values: ParameterValues
    let now: Double
    let constants = ConstantMemory()
    var columns: [ImportPlan.Column] = []
    var links: [ImportPlan.Link] = []
    var bulkLinks: [BulkPlan.Link] = []
    var filter: CompiledPredicate?
    var paths: [FieldPath] = []
    var optionalSlots: Set<Int> = []

    /// The attributes that tell objects apart.
    var key: [String] {
        guard spec.key.isEmpty else { return spec.key.map(\.text) }
        return model.uniquenessConstraints(of: spec.into.text).first ?? []
    }

    /// The path as records are searched for it.
    ///
    /// A column of a table is named as it stands, so a text that is no path may still name one.
    private static func path(_ text: String) -> FieldPath {
        (try? FieldPath(parsing: text)) ?? FieldPath(name: text)
    }

    private mutating func slot(_ text: String) -> Int {
        let path = Self.path(text)
        if let known = paths.firstIndex(of: path) { return known }
        paths.append(path)
        return paths.count - 1
    }

    // MARK: Attributes

    mutating func addColumns() throws {
        var named: Set<String> = []
        for mapping in spec.set {
            named.insert(mapping.attribute.text)
            guard let attribute = model.attribute(mapping.attribute.text, of: spec.into.text)
            else { continue }
            try add(mapping, attribute)
        }
        guard !spec.isSetOnly else { return }
        for attribute in model.attributes(of: spec.into.text)
        where !named.contains(attribute.name) && !attribute.isTransient {
            let isNew = !paths.contains(Self.path(attribute.name))
            let slot = slot(attribute.name)
            // Nobody named this field, so an input may do without it.
            if isNew, !key.contains(attribute.name) { optionalSlots.insert(slot) }
            columns.append(column(attribute, slot: slot, source: attribute.name))
        }
    }

    private func column(
        _ attribute: AttributeDescription, slot: Int?, source: String, isNeeded: Bool = false,
        caster: ValueCaster? = nil, constant: BulkCell = .absent
    ) -> ImportPlan.Column {
        ImportPlan.Column(
            attribute, slot: slot, sourceText: source, constant: constant,
            caster: caster ?? ValueCaster(attribute), isKey: key.contains(attribute.name),
            isNeeded: isNeeded)
    }

    private mutating func add(
        _ mapping: AttributeMapping, _ attribute: AttributeDescription
    ) throws {
        switch mapping.origin {
        case .constant(let value, let location):
            let cell = constants.arena.cell(try stored(value, attribute, at: location))
            // Once here, and not again for every record.
            if let problem = AttributeValidator(attribute).problem(with: cell) {
                throw Diagnostic(
                    code: "spec.constant", problem, at: .source(location),
                    fix: "give a value that the model allows")
            }
            columns.append(
                column(attribute, slot: nil, source: mapping.attribute.text, constant: cell))
        case .field(let field):
            let slot = slot(field.source.text)
            columns.append(
                column(
                    attribute, slot: slot, source: field.source.text, isNeeded: field.isNeeded,
                    caster: try caster(attribute, field)))
        }
    }

    private func caster(
        _ attribute: AttributeDescription, _ field: FieldMapping
    ) throws -> ValueCaster {
        var pattern: DatePattern?
        if let text = field.datePattern {
            do {
                pattern = try DatePattern(parsing: text.text)
            } catch {
                throw Diagnostic(
                    code: "spec.date-pattern", error.description, at: .source(text.location))
            }
        }
        let map = try field.map?.map { entry in
            ValueCaster.MapEntry(
                from: Array(entry.from.utf8),
                to: constants.arena.cell(try stored(entry.to, attribute, at: entry.location)))
        }
        return ValueCaster(
            attribute, datePattern: pattern, map: map,
            separator: field.separator.map { Array($0.text.utf8) })
    }

    /// A constant of the spec as the attribute's column holds it.
    private func stored(
        _ constant: ConstantValue, _ attribute: AttributeDescription,
        at location: SourceLocation
    ) throws -> StoredValue {
        let resolved: StoredValue? = ConstantCast.value(constant, for: attribute, values)
        guard let resolved else {
            throw Diagnostic(
                code: "spec.constant",
                "This is no value of '\(attribute.name)' (\(attribute.type.rawValue))",
                at: .source(location))
        }
        return resolved
    }

    // MARK: Links

    mutating func addLinks() throws {
        for mapping in spec.link {
            let name = mapping.relationship.text
            guard let relationship = model.relationship(name, of: spec.into.text) else { continue }
            let destination = mapping.to?.text ?? relationship.destinationEntityName
            guard let attribute = model.attribute(mapping.by.text, of: destination) else {
                continue
            }
            let slot = slot(mapping.field.source.text)
            links.append(
                ImportPlan.Link(
                    relationship, slot: slot, field: mapping.field,
                    caster: try caster(attribute, mapping.field)))
            bulkLinks.append(
                BulkPlan.Link(
                    relationship: name, destination: destination, attribute: attribute.name,
                    missing: BulkPlan.MissingPolicy(rawValue: mapping.missing.rawValue) ?? .reject,
                    many: mapping.many.flatMap { BulkPlan.ManyPolicy(rawValue: $0.rawValue) }
                        ?? .replace))
        }
    }

    // MARK: Filter

    mutating func addFilter() throws {
        guard let text = spec.keepIf else { return }
        do {
            let parsed = try ParsedPredicate(format: text.text)
            for path in parsed.predicate.keyPaths { _ = slot(Self.text(path)) }
            let known = paths
            filter = try CompiledPredicate(
                parsed.predicate, source: parsed.source, variables: values.graphValues, now: now
            ) { path in
                known.firstIndex(of: Self.path(Self.text(path)))
            }
        } catch {
            throw Diagnostic(predicateError: error, at: text.location)
        }
    }

    /// A key path of a predicate as a path into records.
    private static func text(_ path: [String]) -> String {
        path.map { $0.replacing(".", with: "\\.") }.joined(separator: ".")
    }
}
