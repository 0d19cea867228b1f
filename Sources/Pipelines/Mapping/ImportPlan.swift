package import GraphModel
package import GraphStore
package import RecordStreams

/// The mapping from the records of one import to rows, computed once before the first record.
package struct ImportPlan {
    /// The source of one attribute; a class, so that using it for a record copies nothing.
    final class Column {
        let name: String
        /// The field's index in the records, or `nil` for a constant or an expression.
        let slot: Int?
        /// The expression that computes the field.
        let expression: RecordExpression?
        /// The fields of the record that form the row key, or `nil` for other values.
        let rowKey: RowKeyFields?
        /// Whether the value is the row key: a hash of fields of the record.
        let isRowKey: Bool
        let sourceText: String
        /// The constant of the spec: the value if there is no field, and the replacement of null.
        ///
        /// Its kind is `absent` if the spec sets none.
        let constant: BulkCell
        /// The value if the field is absent.
        let absentValue: BulkCell
        let caster: ValueCaster
        let validator: AttributeValidator
        /// Whether the attribute must not be null.
        let isRequired: Bool
        /// Whether the spec requires a value in every record.
        let isNeeded: Bool
        /// The reject code of a missing value: `key` for a key, otherwise `required`.
        var absenceCode: String { isKey ? "key" : "required" }
        /// The reason why the attribute needs a value, for messages.
        var need: String { "'\(name)' is \(isKey ? "part of the key" : "required")" }
        /// The value of an empty field: the constant of the spec, or else null.
        var emptyValue: BulkCell { constant.kind == .absent ? .null : constant }
        private let isKey: Bool

        init(
            _ attribute: AttributeDescription, slot: Int?, expression: RecordExpression?,
            sourceText: String, constant: BulkCell, absentValue: BulkCell, caster: ValueCaster,
            isKey: Bool, isNeeded: Bool, rowKey: RowKeyFields? = nil
        ) {
            self.rowKey = rowKey
            isRowKey = rowKey != nil
            name = attribute.name
            self.slot = slot
            self.expression = expression
            self.sourceText = sourceText
            self.constant = constant
            self.absentValue = absentValue
            self.caster = caster
            validator = AttributeValidator(attribute)
            isRequired = !attribute.isOptional || isKey
            self.isNeeded = isNeeded || isKey
            self.isKey = isKey
        }
    }

    /// The source of one attribute of a link's key.
    final class LinkPart {
        /// The field's index in the records, or `nil` for an expression.
        let slot: Int?
        /// The expression that computes the field.
        let expression: RecordExpression?
        let sourceText: String
        /// The constant of the spec that replaces a missing key or null.
        let fallback: BulkCell
        let caster: ValueCaster
        let separator: [UInt8]?
        let isNeeded: Bool

        init(
            slot: Int?, expression: RecordExpression?, field: FieldMapping, fallback: BulkCell,
            caster: ValueCaster
        ) {
            self.slot = slot
            self.expression = expression
            self.fallback = fallback
            sourceText = field.source.text
            self.caster = caster
            separator = field.separator.map { Array($0.text.utf8) }
            isNeeded = field.isNeeded
        }

        /// Creates the source of objects inside the record, which have no key to cast.
        convenience init(objectsIn slot: Int, _ each: PlacedText) {
            // The caster has no attribute of the entity, since the entity may have none.
            self.init(
                slot: slot, expression: nil, field: FieldMapping(source: each), fallback: .absent,
                caster: ValueCaster(AttributeDescription(name: each.text, type: .undefined)))
        }
    }

    /// The source of one relationship.
    final class Link {
        let name: String
        /// The first attribute of the key, usually the only one.
        let part: LinkPart
        /// The other attributes of the key, in the order of the destination's constraint.
        let otherParts: [LinkPart]
        let isToMany: Bool
        let isRequired: Bool
        /// Whether the link is part of the import's key.
        let isKey: Bool
        /// The reject code for a record without a value for a required link: `key` or `required`.
        var absenceCode: String { isKey ? "key" : "required" }
        /// The plan for objects inside the record, or `nil`; if set, `part` is the field that holds
        /// them.
        let nested: Nested?

        init(
            _ relationship: RelationshipDescription, _ part: LinkPart, others: [LinkPart] = [],
            nested: Nested? = nil, isKey: Bool
        ) {
            name = relationship.name
            self.isKey = isKey
            self.part = part
            otherParts = others
            self.nested = nested
            isToMany = relationship.isToMany
            isRequired = !relationship.isOptional
        }
    }

    /// The plan for objects inside the record.
    final class Nested {
        let columns: [Column]
        let links: [Link]
        let selection: FieldSelection
        /// The path to the objects, without `[*]`.
        let label: String
        let wholes: [Whole]
        /// The paths that the spec names in the objects and in objects inside them.
        private(set) var namedPaths: [NamedPath] = []
        /// The memory that keeps the bytes of constants alive.
        private let constants: ConstantMemory

        /// Creates the plan from a builder.
        ///
        /// - Parameter each: The path to the objects.
        init(_ builder: ImportPlanBuilder, label: String, each: PlacedText) {
            columns = builder.columns
            links = builder.links
            selection = FieldSelection(builder.paths, optional: builder.optionalSlots)
            constants = builder.constants
            wholes = builder.wholes
            self.label = label
            namedPaths = builder.namedPaths.map { path in
                var path = path
                path.name = "\(each.text).\(path.name)"
                path.nested = path.nested ?? ObjectIdentifier(self)
                return path
            }
        }
    }

    /// A field that must be an object because elements of a composite are read from inside it.
    ///
    /// For the source `magnitude.richter` of an element, it is the field `magnitude`.
    struct Whole: Hashable {
        var slot: Int
        var text: String
        /// The indexes of the columns that elements in this object fill.
        var columns: [Int]
    }

    /// A path into records that the spec names.
    struct NamedPath {
        /// The indexes of the fields that the path selects in each record; one with a value is
        /// enough.
        var slots: [Int]
        var text: PlacedText
        /// The path from the record itself, also for a path inside nested objects, such as
        /// `lines[*].sku`.
        var name: String
        /// The objects in the record that the path leads into, or `nil` for the record itself.
        var nested: ObjectIdentifier?
        /// Whether the path is a composite attribute, whose slots are the parts.
        var isOfParts = false
        /// Whether `keep-if` uses the path, so that a filtered record may also lack it.
        let isOfFilter: Bool
        /// Whether a record had the path.
        var isSeen = false

        init(
            slots: [Int], text: PlacedText, isOfParts: Bool = false, isOfFilter: Bool = false
        ) {
            self.slots = slots
            self.text = text
            self.isOfParts = isOfParts
            self.isOfFilter = isOfFilter
            name = text.text
        }

        /// The path for messages: a composite attribute may have other parts in other records.
        var shown: String { (isOfParts ? "any part of " : "") + "'\(name)'" }
    }

    /// Returns the paths in the spec that may be misspelled.
    ///
    /// - Parameters:
    ///   - names: The names of paths that are missing in some record and present in no record.
    ///   - isAnyKept: Whether at least one record was not filtered out.
    func unmet(_ names: some Sequence<String>, isAnyKept: Bool) -> [NamedPath] {
        let names = Set(names)
        var told: Set<String> = []
        return namedPaths.filter { path in
            names.contains(path.name) && (isAnyKept || path.isOfFilter)
                && told.insert(path.name).inserted
        }
    }

    /// Returns the attributes that would be filled by a column of their name, which a table lacks.
    func unfilledAttributes(columns: [String]) -> [String] {
        guard !plainAttributes.isEmpty else { return [] }
        let names = Set(columns.map { Array($0.utf8) })
        return plainAttributes.filter { !selection.paths[$0.slot].isAmong(names) }.map(\.name)
    }

    /// Returns the likely intended names of a path: unmapped fields, and other paths that records
    /// have.
    ///
    /// - Parameter unseen: The paths that no record has.
    func likelyNames(_ extra: some Sequence<String>, besides unseen: [String]) -> [String] {
        let unseen = Set(unseen)
        return extra + namedPaths.map(\.name).filter { !unseen.contains($0) }
    }

    /// Returns the input field that fills an attribute or a relationship, or `nil` if none does.
    func source(of property: String) -> (slot: Int, text: String)? {
        if let column = columns.first(where: { $0.name == property }) {
            return column.slot.map { ($0, column.sourceText) }
        }
        let part = links.first { $0.name == property }?.part
        return part?.slot.map { ($0, part?.sourceText ?? property) }
    }

    /// Returns the fix for a reject that ends the stage, or `nil` if the code does not end it.
    func fixForStop(_ code: String) -> String? {
        switch code {
        case "extra" where extra == .stop: "map it, or say `extra: ignore`"
        case "duplicate-key" where duplicateKeys == .stop:
            "correct the record, or set `on: { duplicate-key: ignore }`"
        default:
            stops.contains(code) ? "correct the record, or set `on: { \(code): reject }`" : nil
        }
    }

    /// The instructions to the store for the rows.
    package var bulk: BulkPlan
    let columns: [Column]
    /// The index of the cell with the row key, or `nil` if there is no row key.
    var rowKeyCell: Int? { columns.firstIndex(where: \.isRowKey) }
    /// The fields that form the row key.
    var rowKey: RowKeyFields? { rowKeyCell.flatMap { columns[$0].rowKey } }
    let links: [Link]
    let filter: CompiledPredicate?
    let wholes: [Whole]
    /// The fields to read from each record.
    package let selection: FieldSelection
    /// The action for records with unmapped fields.
    let extra: ImportSpec.Extra
    /// The action for records with an object that repeats a key.
    let duplicateKeys: ImportSpec.Extra
    /// The codes of rejects that end the stage.
    private let stops: [String]
    /// Whether a value that cannot be cast becomes null, if the attribute is optional.
    let nullsCasts: Bool
    /// The paths in the spec that at least one record should have.
    let namedPaths: [NamedPath]
    /// The attributes that are filled by a field of the same name, with the slot of that field.
    private let plainAttributes: [(name: String, slot: Int)]
    /// The memory that keeps the bytes of constants alive.
    private let constants: ConstantMemory

    /// Creates the plan of an import.
    ///
    /// - Parameter leavesArchives: Whether the store belongs to an app; attributes that only the
    ///   app can write are then not mapped by name.
    package init(
        _ spec: ImportSpec, _ model: ManagedObjectModel, _ values: ParameterValues,
        now: Double, leavesArchives: Bool = false
    ) throws {
        var builder = ImportPlanBuilder(
            spec: spec.withElements(in: model), model: model, values: values, now: now,
            leavesArchives: leavesArchives)
        try builder.addColumns()
        try builder.addLinks()
        try builder.addFilter()
        builder.addWholes()
        var bulk = BulkPlan(
            entity: spec.into.text, key: builder.key, attributes: builder.columns.map(\.name),
            links: builder.bulkLinks,
            duplicates: spec.duplicates)
        bulk.found = BulkPlan.FoundPolicy(rawValue: spec.whenFound.rawValue) ?? .update
        bulk.absent = spec.whenMissing
        bulk.touchesSame = spec.whenSame == .touch
        bulk.sparesTargets = spec.mirror != nil
        self.bulk = bulk
        columns = builder.columns
        links = builder.links
        extra = spec.extra
        duplicateKeys = spec.duplicateKeys
        stops = spec.stops
        nullsCasts = spec.nullsCasts != nil
        namedPaths = builder.namedPaths
        plainAttributes = builder.plainAttributes
        filter = builder.filter
        wholes = builder.wholes
        selection = FieldSelection(builder.paths, optional: builder.optionalSlots)
        constants = builder.constants
    }
}
