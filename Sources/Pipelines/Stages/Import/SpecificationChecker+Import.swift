import Diagnostics
package import GraphModel
import GraphStore

extension ImportSpec {
    /// Returns the attributes and to-one relationships that identify objects.
    ///
    /// They are those in the spec, or the entity's only uniqueness constraint, or `nil` if neither
    /// exists. If the names form a constraint, they are in its order, which is also the order of
    /// its index.
    package func resolvedKey(in model: ManagedObjectModel) -> [String]? {
        let constraints = model.uniquenessConstraints(of: into.text)
        guard whenFound != .append else { return [] }
        guard key.isEmpty else {
            let names = key.map(\.text)
            return constraints.first { $0.count == names.count && Set($0) == Set(names) } ?? names
        }
        return constraints.count == 1 ? constraints[0] : nil
    }
}

/// The checks of import stages.
extension SpecificationChecker {
    /// Checks an import.
    ///
    /// - Parameter owner: The relationship that the object around the objects fills.
    mutating func checkImport(_ spec: ImportSpec, from owner: String? = nil) {
        guard let entity = entity(spec.into) else { return }
        if entity.isAbstract {
            let concrete = model.family(of: entity.name).filter { !$0.isAbstract }.map(\.name)
            error(
                "abstract-entity", "'\(entity.name)' is abstract, so no object can be one",
                spec.into.location,
                fix: concrete.isEmpty ? nil : "import into \(concrete.joined(separator: " or "))")
        } else {
            checkKey(spec, entity, from: owner)
        }
        for mapping in spec.set {
            if let elements = model.elements(of: mapping.attribute.text, in: entity.name) {
                checkWhole(mapping, elements, of: spec, entity)
            }
        }
        let spec = spec.withElements(in: model)
        for mapping in spec.set {
            checkMapping(mapping, entity)
            if owner != nil { rejectRowKey(mapping) }
            if spec.read.escape != nil { rejectRowKeyOfColumns(mapping) }
        }
        for link in spec.link { checkLink(link, entity) }
        checkUnmapped(spec, entity, besides: owner)
        checkNesting(spec)
        if let place = spec.nullsCasts { checkNulls(spec, entity, place) }
        if let mirror = spec.mirror { checkMirror(mirror, spec) }
    }

    /// Reports settings that would leave objects without a record, so that `mirror` would delete
    /// them.
    private mutating func checkMirror(_ mirror: MirrorSpec, _ spec: ImportSpec) {
        if spec.whenFound == .append {
            error(
                "rule", "`when-found: append` finds no object again, so 'mirror' would delete all",
                mirror.location, fix: "remove 'mirror', or import with a key")
        }
        if spec.read.isOnce {
            error(
                "rule",
                "`once` leaves out inputs that were read before, so 'mirror' would delete their "
                    + "objects",
                mirror.location, fix: "remove one of the two")
        }
        for link in spec.link where link.missing == .skip {
            error(
                "rule",
                "`missing: skip` leaves records out, so 'mirror' would delete their objects",
                link.missingLocation, fix: "use create, null, or reject")
        }
        for link in spec.link {
            guard let nested = link.nested else { continue }
            checkMirror(of: spec.into.text, nested, link, of: spec.into.text)
        }
    }

    /// Reports nested mappings that write or create objects of the mirrored hierarchy.
    ///
    /// Only records of the stage count as naming an object, so `mirror` would delete these objects in
    /// the run after the one that creates them.
    private mutating func checkMirror(
        of mirrored: String, _ nested: NestedMapping, _ link: LinkMapping, of entity: String
    ) {
        func target(_ link: LinkMapping, of entity: String) -> String? {
            link.to?.text
                ?? model.relationship(link.relationship.text, of: entity)?.destinationEntityName
        }
        func isMirrored(_ entity: String) -> Bool {
            model.lineage(of: entity).last?.name == model.lineage(of: mirrored).last?.name
        }
        guard let destination = target(link, of: entity) else { return }
        if isMirrored(destination) {
            error(
                "rule", "'mirror' would delete the objects of this list, which are no records",
                nested.location, fix: "import them in a stage of their own, or remove 'mirror'")
        }
        for inner in nested.link {
            if let deeper = inner.nested {
                checkMirror(of: mirrored, deeper, inner, of: destination)
            } else if inner.missing == .create, let made = target(inner, of: destination),
                isMirrored(made)
            {
                error(
                    "rule", "'mirror' would delete the objects that this link creates",
                    inner.missingLocation, fix: "use null or reject, or remove 'mirror'")
            }
        }
    }

    /// Reports the rule `null` if no filled attribute is optional.
    private mutating func checkNulls(
        _ spec: ImportSpec, _ entity: EntityDescription, _ place: SourceLocation
    ) {
        let set = Set(spec.set.map(\.attribute.text))
        let key = spec.resolvedKey(in: model) ?? []
        let mayBeNull = model.attributes(of: entity.name).contains { attribute in
            attribute.isOptional && attribute.takesValues && !key.contains(attribute.name)
                && (!spec.isSetOnly || set.contains(attribute.name))
        }
        guard !mayBeNull else { return }
        error(
            "rule", "Nothing that this import fills may be null", place, fix: "use reject or stop")
    }

    /// Checks the key.
    ///
    /// - Parameter owner: The relationship that leads to the object around the objects.
    private mutating func checkKey(
        _ spec: ImportSpec, _ entity: EntityDescription, from owner: String?
    ) {
        if spec.whenFound == .append { return checkAppending(spec) }
        let constraints = model.uniquenessConstraints(of: entity.name)
        let listed = constraints.map { "[\($0.joined(separator: ", "))]" }.joined(separator: " or ")
        if spec.key.isEmpty {
            guard constraints.count != 1 else { return }
            if constraints.isEmpty {
                error(
                    "no-key",
                    "'\(entity.name)' has no uniqueness constraint, so an import cannot "
                        + "distinguish new records from existing ones",
                    spec.into.location,
                    fix: "add `key:` with the attributes that identify its objects, or "
                        + "`when-found: append`")
            } else {
                error(
                    "no-key", "'\(entity.name)' has several uniqueness constraints",
                    spec.into.location, fix: "add `key:` with \(listed)")
            }
            return
        }
        let known = spec.key.filter { checkKeyPart($0, spec, entity, from: owner) }
        let names = spec.key.map(\.text)
        guard known.count == names.count, Set(names).count == names.count,
            !constraints.contains(where: { $0.count == names.count && Set($0) == Set(names) })
        else { return }
        note(
            "key",
            "No uniqueness constraint of '\(entity.name)' covers [\(names.joined(separator: ", "))]; "
                + "records whose key several objects share are rejected", spec.key[0].location)
    }

    /// Returns whether an attribute or a relationship may be part of the key, and reports it if
    /// not.
    private mutating func checkKeyPart(
        _ part: PlacedText, _ spec: ImportSpec, _ entity: EntityDescription, from owner: String?
    ) -> Bool {
        guard let relationship = model.relationship(part.text, of: entity.name) else {
            return attribute(part, of: entity, or: "key") != nil
        }
        guard !relationship.isToMany else {
            error(
                "rule",
                "'\(part.text)' leads to many objects, so it cannot be part of a key",
                part.location, fix: "use attributes and to-one relationships")
            return false
        }
        // The link of the owner fills the relationship.
        if part.text == owner { return true }
        guard let link = spec.link.first(where: { $0.relationship.text == part.text }) else {
            error(
                "unmapped-key", "Nothing fills '\(part.text)', which is part of the key",
                part.location, fix: "add it to `link`")
            return false
        }
        guard link.nested == nil else {
            error(
                "rule",
                "'each' creates the object of '\(part.text)', so it cannot be part of the key",
                part.location, fix: "look it up: `link: { \(part.text): { by: … } }`")
            return false
        }
        return true
    }

    /// Reports settings for existing objects, because `append` looks up no objects.
    private mutating func checkAppending(_ spec: ImportSpec) {
        if let key = spec.key.first {
            error(
                "rule",
                "`when-found: append` looks for no object, so 'key' has no effect",
                key.location, fix: "remove it, or use another `when-found`")
        }
        if spec.whenMissing == .reject {
            error(
                "rule",
                "`when-found: append` inserts an object for each record, so `when-missing: reject`"
                    + " has no effect", spec.location,
                fix: "remove it, or use another `when-found`")
        }
    }

    private mutating func checkMapping(_ mapping: AttributeMapping, _ entity: EntityDescription) {
        let found = attribute(mapping.attribute, of: entity, or: "import")
        guard let found else { return }
        switch mapping.origin {
        case .unreadable, .element: break
        case .constant(let constant, let place): checkConstant(constant, for: found, at: place)
        case .field(let field):
            if let separator = field.separator, found.type != .transformable {
                error(
                    "rule",
                    "'split' makes a list, and '\(found.name)' is \(found.type.rawValue)",
                    separator.location)
            }
            checkField(field, found)
            if field.isRowKey, found.type != .string, let place = field.expression?.location {
                error(
                    "rule",
                    "`rowkey()` gives text, and '\(found.name)' is \(found.type.rawValue)", place,
                    fix: "make it a String")
            }
        }
    }

    /// Reports a row key for objects inside a record, because they have no row in the input.
    private mutating func rejectRowKey(_ mapping: AttributeMapping) {
        guard case .field(let field) = mapping.origin, field.isRowKey,
            let place = field.expression?.location
        else { return }
        error(
            "rule", "`rowkey()` needs a complete record, and these objects are inside one", place,
            fix: "use a field that distinguishes the objects, with the relationship to their owner")
    }

    /// Reports a row key of some columns, because rows with an escape character are hashed
    /// completely.
    private mutating func rejectRowKeyOfColumns(_ mapping: AttributeMapping) {
        guard case .field(let field) = mapping.origin, field.rowKey?.names.isEmpty == false,
            let place = field.expression?.location
        else { return }
        error(
            "rule", "With `read.escape`, `rowkey` covers all columns and not some", place,
            fix: "write `rowkey()`")
    }

    mutating func checkField(_ field: FieldMapping, _ attribute: AttributeDescription) {
        if let pattern = field.datePattern, attribute.type != .date {
            error(
                "rule", "'date' is for Date, and '\(attribute.name)' is \(attribute.type.rawValue)",
                pattern.location)
        }
        if let zone = field.zone, attribute.type != .date {
            error(
                "rule", "'zone' is for Date, and '\(attribute.name)' is \(attribute.type.rawValue)",
                zone.location)
        }
        if let number = field.number { checkNumber(number, attribute) }
        for entry in field.map ?? [] {
            if case .null = entry.to { continue }
            checkConstant(entry.to, for: attribute, at: entry.location)
        }
        if let fallback = field.fallback {
            checkConstant(fallback.value, for: attribute, at: fallback.location)
        }
    }

    private mutating func checkNumber(
        _ number: FieldMapping.NumberForm, _ attribute: AttributeDescription
    ) {
        if number.isEpoch, attribute.type != .date {
            error(
                "rule",
                "Seconds since 1970 are for Date, and '\(attribute.name)' is "
                    + attribute.type.rawValue, number.location)
        } else if !number.isEpoch,
            ![.integer16, .integer32, .integer64, .double, .float, .decimal].contains(
                attribute.type)
        {
            error(
                "rule",
                "The signs of a number are for numbers, and '\(attribute.name)' is "
                    + attribute.type.rawValue, number.location)
        }
    }

    private mutating func checkUnmapped(
        _ spec: ImportSpec, _ entity: EntityDescription, besides owner: String?
    ) {
        let set = Set(spec.set.map(\.attribute.text))
        let isFilled = { (name: String) in
            if set.contains(name) { return true }
            if spec.isSetOnly { return false }
            return spec.read.columns?.contains(name) ?? true
        }
        for missing in spec.resolvedKey(in: model) ?? []
        where model.attribute(missing, of: entity.name) != nil && !isFilled(missing) {
            error(
                "unmapped-key", "Nothing fills '\(missing)', which is part of the key",
                spec.into.location, fix: "add it to `set`")
        }
        let key = spec.resolvedKey(in: model) ?? []
        for attribute in model.attributes(of: entity.name)
        where Self.isDemanding(attribute) && !isFilled(attribute.name)
            && !key.contains(attribute.name)
        {
            warn(
                "unmapped",
                "Nothing fills '\(attribute.name)', which is not optional and has no default",
                spec.into.location, fix: "add it to `set`")
        }
        for composite in model.requiredComposites(of: entity.name)
        where composite.dependent == nil && !composite.elements.contains(where: isFilled)
            && !composite.elements.contains(where: {
                model.attribute($0, of: entity.name)?.defaultValue != nil
            })
        {
            warn(
                "unmapped",
                "Nothing fills an element of '\(composite.path)', which is not optional",
                spec.into.location, fix: "add one to `set`")
        }
        let linked = Set(spec.link.map(\.relationship.text))
        for relationship in model.relationships(of: entity.name)
        where !relationship.isOptional && !linked.contains(relationship.name)
            && relationship.name != owner
        {
            warn(
                "unmapped", "Nothing fills '\(relationship.name)', which is not optional",
                spec.into.location, fix: "add it to `link`")
        }
    }

    /// Returns whether a new object cannot be saved unless the attribute is filled.
    static func isDemanding(_ attribute: AttributeDescription) -> Bool {
        attribute.needsValue
    }
}
