import Diagnostics
import GraphModel
import GraphStore
import RecordStreams

/// The bytes of constants, which live as long as the plan.
final class ConstantMemory {
    var arena = ByteArena()
}

/// Builds an `ImportPlan`.
struct ImportPlanBuilder {
    let spec: ImportSpec
    let model: ManagedObjectModel
    let values: ParameterValues
    let now: Double
    /// Whether transformable attributes with an app's archives are filled only if `set` names them.
    ///
    /// Other programs cannot create such archives.
    let leavesArchives: Bool
    let constants = ConstantMemory()
    var columns: [ImportPlan.Column] = []
    var links: [ImportPlan.Link] = []
    var bulkLinks: [BulkPlan.Link] = []
    var filter: CompiledPredicate?
    var paths: [FieldPath] = []
    /// The index of each path in `paths`.
    var slots: [FieldPath: Int] = [:]
    var optionalSlots: Set<Int> = []
    var namedPaths: [ImportPlan.NamedPath] = []
    /// The attributes that a field of their name fills, with the slot of the field.
    private(set) var plainAttributes: [(name: String, slot: Int)] = []
    var wholes: [ImportPlan.Whole] = []
    /// The columns of the elements in each object that may be a composite, by its path.
    var columnsByWhole: [String: [Int]] = [:]

    /// The attributes of the key, or an empty array.
    var key: [String] { spec.resolvedKey(in: model) ?? [] }

    /// Returns the path for the search in records.
    ///
    /// A column of a table is named literally, so a text that is not a valid path may still name
    /// one.
    private static func path(_ text: String) -> FieldPath {
        (try? FieldPath(parsing: text)) ?? FieldPath(name: text)
    }

    mutating func slot(_ text: String) -> Int {
        let path = Self.path(text)
        if let known = slots[path] { return known }
        slots[path] = paths.count
        paths.append(path)
        return paths.count - 1
    }

    /// Records the objects that contain the source of the last column, if it fills a composite's
    /// element.
    private mutating func noteWholes(of attribute: AttributeDescription, from source: String) {
        let depth = attribute.name.compositesAround.count
        for whole in source.compositesAround.suffix(depth) {
            columnsByWhole[whole, default: []].append(columns.count - 1)
        }
    }

    /// Adds the fields that must be objects because they contain elements of composites.
    ///
    /// Call it last: an object that something else reads as a value need not be an object.
    mutating func addWholes() {
        let known = Set(paths)
        for (text, columns) in columnsByWhole.sorted(by: { $0.key < $1.key })
        where !known.contains(Self.path(text)) {
            let slot = optionalSlot(text, unless: false)
            wholes.append(ImportPlan.Whole(slot: slot, text: text, columns: columns))
        }
    }

    /// Returns the slot of a field whose column may be missing, unless something else requires it.
    private mutating func optionalSlot(_ text: String, unless isNeeded: Bool) -> Int {
        let isNew = slots[Self.path(text)] == nil
        let slot = slot(text)
        if isNew, !isNeeded { optionalSlots.insert(slot) }
        return slot
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
        guard !spec.isSetOnly else {
            guard spec.whenFound == .replace else { return }
            for attribute in model.attributes(of: spec.into.text)
            where !named.contains(attribute.name) && attribute.takesValues {
                columns.append(
                    column(
                        attribute, slot: nil, source: attribute.name,
                        constant: defaultValue(attribute)))
            }
            return
        }
        for attribute in model.attributes(of: spec.into.text)
        where !named.contains(attribute.name) && !attribute.isTransient
            && !(leavesArchives && attribute.isArchive)
        {
            guard attribute.takesValues else {
                // An export contains this field, so it is not unknown. The report lists it among
                // the unmapped fields.
                if spec.extra != .ignore { _ = optionalSlot(attribute.name, unless: false) }
                continue
            }
            // The spec does not name this field, so an input may omit it.
            let slot = optionalSlot(attribute.name, unless: key.contains(attribute.name))
            columns.append(column(attribute, slot: slot, source: attribute.name))
            plainAttributes.append((attribute.name, slot))
            noteWholes(of: attribute, from: attribute.name)
        }
    }

    /// Returns the value of an attribute that the record does not fill.
    ///
    /// The attribute is unchanged, unless `when-found: replace` resets it to its default.
    private func defaultValue(_ attribute: AttributeDescription) -> BulkCell {
        guard spec.whenFound == .replace, !key.contains(attribute.name) else { return .absent }
        if let value = attribute.defaultValue { return constants.arena.cell(value) }
        return attribute.isOptional ? .null : .absent
    }

    private func column(
        _ attribute: AttributeDescription, slot: Int?, expression: RecordExpression? = nil,
        source: String, isNeeded: Bool = false, caster: ValueCaster? = nil,
        constant: BulkCell = .absent, rowKey: RowKeyFields? = nil
    ) -> ImportPlan.Column {
        ImportPlan.Column(
            attribute, slot: slot, expression: expression, sourceText: source, constant: constant,
            absentValue: constant.kind == .absent ? defaultValue(attribute) : constant,
            caster: caster ?? ValueCaster(attribute), isKey: key.contains(attribute.name),
            isNeeded: isNeeded, rowKey: rowKey)
    }

    private mutating func add(
        _ mapping: AttributeMapping, _ attribute: AttributeDescription
    ) throws {
        switch mapping.origin {
        case .unreadable: break
        case .constant(let value, let location):
            columns.append(
                column(
                    attribute, slot: nil, source: mapping.attribute.text,
                    constant: try cell(value, attribute, at: location)))
        case .element(let source, let whole):
            let slot = optionalSlot(source.text, unless: key.contains(attribute.name))
            if let place = namedPaths.firstIndex(where: { $0.text == whole }) {
                namedPaths[place].slots.append(slot)
            } else {
                namedPaths.append(.init(slots: [slot], text: whole, isOfParts: true))
            }
            columns.append(column(attribute, slot: slot, source: source.text))
            noteWholes(of: attribute, from: source.text)
        case .field(let field):
            let rowKey = field.rowKey
            let (slot, expression) =
                rowKey != nil ? (nil, nil) : try input(field, filling: attribute.name)
            columns.append(
                column(
                    attribute, slot: slot, expression: expression, source: field.source.text,
                    isNeeded: field.isNeeded, caster: try caster(attribute, field),
                    constant: try fallback(field, attribute), rowKey: rowKey))
        }
    }

    /// Returns the source of a mapping's field: a slot of the records, or an expression.
    mutating func input(
        _ field: FieldMapping, filling name: String
    ) throws -> (Int?, RecordExpression?) {
        guard let text = field.expression else {
            let slot = slot(field.source.text)
            // With a default, the spec itself expects records that lack the field.
            if field.fallback == nil {
                namedPaths.append(.init(slots: [slot], text: field.source))
            }
            return (slot, nil)
        }
        do throws(GraphPredicateError) {
            let parsed = try ParsedExpression(format: text.text)
            let generated = spec.read.generated
            var expression =
                generated == nil ? parsed.expression : try parsed.expression.withRows()
            expression = expression.replacingLeaves(spec.read.columnLength)
            for path in expression.keyPaths {
                let slots = addSlots(of: path)
                guard generated == nil, field.fallback == nil else { continue }
                namedPaths.append(Self.named(path, slots, at: text.location))
            }
            if generated != nil { _ = slot(GeneratedSpec.rowName) }
            let known = paths
            let compiled = try CompiledExpression(
                expression, source: parsed.source, variables: values.graphValues,
                lists: values.listTexts, now: now,
                drawing: generated?.drawing(spec.into.text, name),
                keepsDigits: model.attribute(name, of: spec.into.text)?.isExactDecimal ?? false
            ) { path in
                known.firstIndex(of: Self.path(Self.text(path)))
            }
            return (nil, RecordExpression(compiled))
        } catch {
            throw Diagnostic(predicateError: error, at: text.location)
        }
    }

    func fallback(
        _ field: FieldMapping, _ attribute: AttributeDescription
    ) throws -> BulkCell {
        try field.fallback.map { try cell($0.value, attribute, at: $0.location) } ?? .absent
    }

    /// Returns a constant as a cell, validated here and not again for every record.
    private func cell(
        _ value: ConstantValue, _ attribute: AttributeDescription, at location: SourceLocation
    ) throws -> BulkCell {
        let cell = constants.arena.cell(try stored(value, attribute, at: location))
        if let problem = AttributeValidator(attribute).problem(with: cell) {
            throw Diagnostic(
                code: "spec.constant", problem, at: .source(location),
                fix: "give a value that the model allows")
        }
        return cell
    }

    func caster(
        _ attribute: AttributeDescription, _ field: FieldMapping
    ) throws -> ValueCaster {
        var rules = ValueCaster.Rules()
        if let text = field.datePattern {
            do {
                rules.datePattern = try DatePattern(parsing: text.text)
            } catch {
                throw Diagnostic(
                    code: "spec.date-pattern", error.description, at: .source(text.location))
            }
        }
        rules.map = try field.map?.map { entry in
            ValueCaster.MapEntry(
                from: Array(entry.from.utf8),
                to: constants.arena.cell(try stored(entry.to, attribute, at: entry.location)))
        }
        rules.separator = field.separator.map { Array($0.text.utf8) }
        rules.zoneSeconds = field.zone?.seconds ?? 0
        switch field.number?.kind {
        case .seconds: rules.epochPerSecond = 1
        case .milliseconds: rules.epochPerSecond = 1000
        case .text, nil: break
        }
        rules.preparation = TextPreparation(field)
        rules.isLossy = field.isLossy
        return ValueCaster(attribute, rules)
    }

    /// Returns a constant of the spec as the value of the attribute's column.
    private func stored(
        _ constant: ConstantValue, _ attribute: AttributeDescription,
        at location: SourceLocation
    ) throws -> StoredValue {
        let resolved: StoredValue? = ConstantCast.value(constant, for: attribute, values)
        guard let resolved else {
            throw Diagnostic(
                code: "spec.constant",
                "The constant does not fit '\(attribute.name)' (\(attribute.type.rawValue))",
                at: .source(location))
        }
        return resolved
    }

    // MARK: Filter

    mutating func addFilter() throws {
        guard let text = spec.keepIf else { return }
        do {
            let parsed = try ParsedPredicate(format: text.text)
            let predicate = parsed.predicate.replacingLeaves(spec.read.columnLength)
            for path in predicate.keyPaths {
                let slots = addSlots(of: path)
                guard spec.read.generated == nil else { continue }
                namedPaths.append(Self.named(path, slots, at: text.location, isOfFilter: true))
            }
            let known = paths
            filter = try CompiledPredicate(
                predicate, source: parsed.source,
                variables: values.graphValues, lists: values.listTexts, now: now
            ) { path in
                known.firstIndex(of: Self.path(Self.text(path)))
            }
        } catch {
            throw Diagnostic(predicateError: error, at: text.location)
        }
    }

    /// Adds slots for a key path, and for the text whose length it may be.
    private mutating func addSlots(of path: [String]) -> [Int] {
        let whole = slot(Self.text(path))
        guard let base = Self.lengthBase(path) else { return [whole] }
        return [whole, slot(Self.text(base))]
    }

    /// Returns the path of the text whose length a key path may be.
    private static func lengthBase(_ path: [String]) -> [String]? {
        path.count > 1 && path.last == "length" ? path.dropLast() : nil
    }

    private static func named(
        _ path: [String], _ slots: [Int], at location: SourceLocation, isOfFilter: Bool = false
    ) -> ImportPlan.NamedPath {
        ImportPlan.NamedPath(
            slots: slots, text: PlacedText(text(lengthBase(path) ?? path), location),
            isOfFilter: isOfFilter)
    }

    /// Converts a key path of a predicate to a path into records.
    private static func text(_ path: [String]) -> String {
        path.map { $0.replacing(".", with: "\\.") }.joined(separator: ".")
    }
}
