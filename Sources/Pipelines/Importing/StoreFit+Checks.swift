import Diagnostics
import GraphModel

/// Checks of an import into a store that exists.
extension StoreFit {
    /// New entities with only the keys of two other entities, and the names of these entities.
    ///
    /// If the store has one of them, its key is a link.
    var joinTables: [(fitted: FittedImport, entities: [String])] {
        imports.compactMap { fitted in
            guard newEntities.contains(fitted.entity), !fitted.isJoin, fitted.links.count < 2,
                fitted.links.count + fitted.attributes.count == 2
            else { return nil }
            let linked = fitted.links.filter { !$0.isToMany }.map(\.destinationEntityName)
            let entities =
                linked
                + fitted.attributes.compactMap { attribute in
                    model.entities.first { entity in
                        !newEntities.contains(entity.name) && isKey(attribute.name, of: entity.name)
                    }?.name ?? (imports.count == 1 ? unknownEntity(attribute, of: fitted) : nil)
                }
            return entities.count == 2 && entities[0] != entities[1] ? (fitted, entities) : nil
        }
    }

    /// Returns the entity that neither the store nor an input has, and to whose key a column
    /// refers: `Track` for `trackId`.
    private func unknownEntity(
        _ attribute: AttributeDescription, of fitted: FittedImport
    ) -> String? {
        var parts = InferredNames.parts(attribute.name)
        guard parts.count > 1, parts.removeLast() == "id", !fitted.hasRowKey else { return nil }
        let name = parts.map(InferredNames.capitalized).joined()
        let isOwn = [fitted.entity, InferredNames.singular(fitted.entity)].contains {
            InferredNames.folded($0) == InferredNames.folded(name)
        }
        return isOwn ? nil : name
    }

    /// Whether a column has the name of an entity's key: `trackId` for `Track.trackId` and for
    /// `Track.id`.
    private func isKey(_ name: String, of entity: String) -> Bool {
        let folded = InferredNames.folded(name)
        return model.uniquenessConstraints(of: entity).contains { key in
            guard key.count == 1 else { return false }
            let own = InferredNames.folded(key[0])
            let whole = InferredNames.folded(entity + key[0])
            return folded == whole || own != "id" && folded == own
        }
    }

    /// Throws if a file fills no property of an entity that the store has.
    ///
    /// - Parameter filled: the names of the properties that it fills.
    func checkFilled(_ filled: Set<String>, _ entity: String) throws(RunFailure) {
        guard filled.allSatisfy({ $0 == current.computed }), !current.isJoin,
            !newEntities.contains(entity)
        else { return }
        let attributes = model.attributes(of: entity).filter {
            $0.takesValues && $0.name != current.computed
        }
        let links = model.relationships(of: entity).filter { !$0.isToMany }
        let names = attributes.map(\.name) + links.map(\.name)
        guard inference.hasHeader(stage: current.stage) else {
            throw RunFailure(
                .usage, code: "import.key",
                "\(current.files.first ?? "") has no header, so no column is a property of \(entity)",
                fix: "add a first line with the names of its columns, which are properties of"
                    + " \(entity): \(FittedImport.listed(names, max: 12));"
                    + " or give --header if the first line has them")
        }
        throw RunFailure(
            .usage, code: "import.key",
            "No column of \(current.files.first ?? "") is a property of \(entity)",
            fix: "name columns as \(entity) does: "
                + "\(FittedImport.listed(names, max: 12)); or name another entity with --entity")
    }

    /// Returns the fix for a file without a column for the key of an entity.
    ///
    /// If the key is required, new records cannot do without it, whatever other columns the user
    /// names.
    ///
    /// - Parameters:
    ///   - key: the entity's key; empty if it has none.
    ///   - names: the store's property for each column and for each inferred attribute.
    func fix(
        withoutKey key: [String], of entity: String, _ names: [String: String]
    ) -> String {
        let properties = current.attributes.map(\.name) + current.links.map(\.name)
        let told = properties.filter { $0 != current.computed }.map { property in
            // `--key` takes the name of the column, which may differ.
            names[property] == property
                ? property : names.filter { $0.value == property }.keys.min() ?? property
        }
        let columns = "--key: \(FittedImport.listed(told, max: 6))"
        let missing = key.filter { !properties.contains($0) }
        guard !missing.isEmpty else {
            return "name the columns that identify a record with \(columns)"
        }
        let isRequired = missing.contains { name in
            model.attribute(name, of: entity)?.isOptional == false
                || model.relationship(name, of: entity)?.isOptional == false
        }
        let header = missing.map { "'\($0)'" }.joined(separator: ", ")
        let other = isRequired ? "import into a new store" : "name other columns with \(columns)"
        return "correct the header: name the column\(missing.count == 1 ? "" : "s") \(header);"
            + " or \(other)"
    }

    /// Throws if a file lacks a column of the row key, since each of its rows would be another
    /// object.
    mutating func checkRowKey(
        _ origin: PropertyOrigin, _ fields: RowKeyFields, _ block: FittedBlock
    ) throws(RunFailure) {
        let sources = inference.sources(of: block.own, stage: stageName)
        func has(_ field: String) -> Bool {
            sources.contains { source in
                // An object may be null in all records, and a value may be an object in this file.
                source == field
                    || !inference.isTable(block.own, stage: stageName)
                        && (field.hasPrefix(source + ".") || source.hasPrefix(field + "."))
            }
        }
        current.hasOtherColumns = !sources.allSatisfy(fields.names.contains)
        let needed =
            inference.isTable(block.own, stage: stageName) ? fields : origin.needed ?? fields
        let missing = needed.names.filter { !has($0) }
        guard !missing.isEmpty else { return }
        let names = FittedImport.listed(missing.map { "'\($0)'" }, max: 4)
        throw RunFailure(
            .configuration, code: "import.row-key",
            "\(current.files.first ?? "") lacks \(names), and all columns of the first import"
                + " identify the objects of \(block.entity), so each row would be added again",
            fix: "add the missing columns to the file, or import into a new store")
    }

    /// Records a doubt about numbers, and throws if nothing decides it.
    mutating func note(_ doubt: DecimalDoubt?) throws(RunFailure) {
        guard let doubt else { return }
        guard !doubt.isOpen else {
            throw RunFailure(
                .dataError, code: "import.decimal-mark", doubt.message, fix: doubt.fix)
        }
        current.decimalDoubts.append(doubt)
    }

    /// Throws if the user names a type that differs from the store's, since no import changes a
    /// type.
    ///
    /// - Parameter types: the types that the user names, by column.
    func checkTypes(
        _ types: [String: AttributeType]
    ) throws(RunFailure) {
        for (column, type) in types.sorted(by: { $0.key < $1.key }) {
            for fitted in imports where !newEntities.contains(fitted.entity) {
                guard
                    let attribute = fitted.attributes.first(where: {
                        InferredNames.folded($0.name) == InferredNames.folded(column)
                    }), attribute.type != type
                else { continue }
                throw RunFailure(
                    .usage, code: "import.type",
                    "\(fitted.entity).\(attribute.name) of \(store) is \(attribute.type.rawValue), and"
                        + " an import does not change it to \(type.rawValue)",
                    fix: "leave out --type for \(column), import into a new store, or change the"
                        + " model with `etl migrate`")
            }
        }
    }
}
