import Diagnostics
package import GraphModel
package import GraphStore
package import RecordStreams

/// How the records of one import become rows: worked out once, before the first record.
package struct ImportPlan {
    /// What fills one attribute; a class, so that using one for a record copies nothing.
    final class Column {
        let name: String
        /// The field's place in the records; nil for a constant and for what is computed.
        let slot: Int?
        /// Computes the field.
        let expression: RecordExpression?
        /// The fields of the record of which the value is made; nil for other values.
        let rowKey: RowKeyFields?
        /// The value is a row key.
        let isRowKey: Bool
        let sourceText: String
        /// The value where there is no field; it also stands in for null.
        let constant: BulkCell
        /// The value of an absent field.
        let absentValue: BulkCell
        let caster: ValueCaster
        let validator: AttributeValidator
        /// The attribute may not be null.
        let isRequired: Bool
        /// The spec says that every record must have a value.
        let isNeeded: Bool
        /// What a missing value is called in rejects: `key` for a key, else `required`.
        var absenceCode: String { isKey ? "key" : "required" }
        /// Why the attribute needs a value, as messages say it.
        var need: String { "'\(name)' is \(isKey ? "part of the key" : "required")" }
        /// What a field without a value gives.
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

    /// What fills one attribute of a link's key.
    final class LinkPart {
        /// The field's place in the records; nil for what is computed.
        let slot: Int?
        /// Computes the field.
        let expression: RecordExpression?
        let sourceText: String
        /// The key that stands in for an absent field and for null.
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
    }

    /// What fills one relationship.
    final class Link {
        let name: String
        /// The key's first attribute, which mostly is the only one.
        let part: LinkPart
        /// The others, in the order of the destination's constraint.
        let otherParts: [LinkPart]
        let isToMany: Bool
        let isRequired: Bool
        /// The link is part of the key of the import.
        let isKey: Bool
        /// The code of a reject for a link that names no object.
        var absenceCode: String { isKey ? "key" : "required" }
        /// What fills the objects that stand in the record; `part` leads to them then.
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

    /// What fills objects that stand in the record.
    final class Nested {
        let columns: [Column]
        let links: [Link]
        let selection: FieldSelection
        /// The path to them, without `[*]`.
        let label: String
        let wholes: [Whole]
        /// The paths that the spec names in them and in objects inside them.
        private(set) var namedPaths: [NamedPath] = []
        /// Keeps the bytes of constants.
        private let constants: ConstantMemory

        /// - Parameter each: the path to them.
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

    /// A field that must be an object if it is there, since elements of a composite come from it.
    struct Whole: Hashable {
        var slot: Int
        var text: String
        /// Those of the elements in it.
        var columns: [Int]
    }

    /// A path of the spec into records.
    struct NamedPath {
        /// The slots that it fills, one of which is enough.
        var slots: [Int]
        var text: PlacedText
        /// The path from the record, which tells it from others.
        var name: String
        /// The objects in the record that it leads into; nil for the record itself.
        var nested: ObjectIdentifier?
        /// It is a composite attribute, and its slots are the parts.
        var isOfParts = false
        /// `keep-if` looks at it, so that a record that is filtered out may lack it, too.
        let isOfFilter: Bool
        /// A record had it.
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

        /// The path as messages name it: records may have a composite attribute with other parts.
        var shown: String { (isOfParts ? "any part of " : "") + "'\(name)'" }
    }

    /// Of the paths that the spec names, those that may be misspelt.
    ///
    /// - Parameters:
    ///   - names: those of the paths that some record lacks and none has.
    ///   - isAnyKept: some record was not filtered out.
    func unmet(_ names: some Sequence<String>, isAnyKept: Bool) -> [NamedPath] {
        let names = Set(names)
        var told: Set<String> = []
        return namedPaths.filter { path in
            names.contains(path.name) && (isAnyKept || path.isOfFilter)
                && told.insert(path.name).inserted
        }
    }

    /// The names that a path may have been meant to be: fields that nothing takes, and other paths that
    /// records have.
    ///
    /// - Parameter unseen: the paths that no record has.
    func likelyNames(_ extra: some Sequence<String>, besides unseen: [String]) -> [String] {
        let unseen = Set(unseen)
        return extra + namedPaths.map(\.name).filter { !unseen.contains($0) }
    }

    /// The field of the input that fills an attribute or a relationship; nil where none does.
    func source(of property: String) -> (slot: Int, text: String)? {
        if let column = columns.first(where: { $0.name == property }) {
            return column.slot.map { ($0, column.sourceText) }
        }
        let part = links.first { $0.name == property }?.part
        return part?.slot.map { ($0, part?.sourceText ?? property) }
    }

    /// What to do about a reject that ends the stage; nil where it does not.
    func fixForStop(_ code: String) -> String? {
        switch code {
        case "extra" where extra == .stop: "map it, or say `extra: ignore`"
        case "duplicate-key" where duplicateKeys == .stop:
            "correct the record, or set `on: { duplicate-key: ignore }`"
        default:
            stops.contains(code) ? "correct the record, or set `on: { \(code): reject }`" : nil
        }
    }

    /// What the store is to do with the rows.
    package var bulk: BulkPlan
    let columns: [Column]
    /// The cell with the key that is made of all fields of a record; nil where none is.
    var rowKeyCell: Int? { columns.firstIndex(where: \.isRowKey) }
    /// The fields of which that key is made.
    var rowKey: RowKeyFields? { rowKeyCell.flatMap { columns[$0].rowKey } }
    let links: [Link]
    let filter: CompiledPredicate?
    let wholes: [Whole]
    /// The fields that records are searched for.
    package let selection: FieldSelection
    /// What becomes of records with fields that nothing maps.
    let extra: ImportSpec.Extra
    /// What becomes of records with an object that has a key twice.
    let duplicateKeys: ImportSpec.Extra
    /// The codes of rejects that end the stage.
    private let stops: [String]
    /// A value that is none of its attribute becomes null, where that may be null.
    let nullsCasts: Bool
    /// The paths that the spec names, which some record should have.
    let namedPaths: [NamedPath]
    /// Keeps the bytes of constants.
    private let constants: ConstantMemory

    /// Works the plan out.
    ///
    /// - Parameter leavesArchives: the store is an app's, and what only the app can write is not
    ///   mapped by its name.
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
            duplicates: BulkPlan.DuplicatePolicy(rawValue: spec.duplicates.rawValue) ?? .last)
        bulk.found = BulkPlan.FoundPolicy(rawValue: spec.whenFound.rawValue) ?? .update
        bulk.touchesSame = spec.whenSame == .touch
        self.bulk = bulk
        columns = builder.columns
        links = builder.links
        extra = spec.extra
        duplicateKeys = spec.duplicateKeys
        stops = spec.stops
        nullsCasts = spec.nullsCasts != nil
        namedPaths = builder.namedPaths
        filter = builder.filter
        wholes = builder.wholes
        selection = FieldSelection(builder.paths, optional: builder.optionalSlots)
        constants = builder.constants
    }
}
