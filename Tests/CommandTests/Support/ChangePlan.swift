import Foundation
import GraphModel

/// Specs and records that change a store of an app, chosen from its model by rules.
///
/// Each entity whose objects can be imported gets 1,000 new objects, of which 100 are changed and
/// 100 deleted later, and some objects of the app are changed. Keys are attributes that no
/// constraint covers, two of them if the entity has three or more.
struct ChangePlan {
    enum Pass { case insert, change }

    /// The numbers of the records that are inserted, changed later, and deleted later.
    static let (inserted, changed, deleted) = (0..<1_000, 100..<200, 900..<1_000)
    /// Records that link to a deleted object; the deletion sets these links to null.
    static let nullified = 0..<50

    private(set) var subjects: [ChangeSubject] = []
    /// The rows of the app that the deletions also delete, by cascade rules.
    private(set) var cascaded: Set<String> = []

    init(_ model: ManagedObjectModel, _ store: StoreRules) throws {
        for entity in model.entities {
            guard
                let subject = try ChangeSubject(
                    entity, model, store, firstValue: subjects.count * 2_000)
            else { continue }
            subjects.append(subject)
        }
        var placed: [ChangeSubject] = []
        // An entity comes after the entities to which it links.
        while let next = subjects.firstIndex(where: { subject in
            model.relationships(of: subject.entity).allSatisfy { relationship in
                relationship.isToMany
                    || !subjects.contains {
                        $0.entity != subject.entity && $0.isA(relationship.destinationEntityName)
                    }
            }
        }) {
            placed.append(subjects.remove(at: next))
            for relationship in model.relationships(of: placed[placed.count - 1].entity) {
                try placed[placed.count - 1].link(relationship, placed, subjects, model, store)
            }
        }
        subjects = placed
        cascaded = try deletedTargets(model, store)
    }

    /// Returns the targets of deleted objects that a cascade rule deletes, and the rows that they
    /// delete.
    private func deletedTargets(
        _ model: ManagedObjectModel, _ store: StoreRules
    ) throws -> Set<String> {
        var rows: Set<String> = []
        var next: [(entity: String, key: String)] = subjects.flatMap { subject in
            subject.links.filter { $0.relationship.deleteRule == .cascade }.flatMap { link in
                Self.deleted.flatMap { link.targets(of: $0, .change) }.compactMap {
                    guard case .objects(let objects) = link.target else { return nil }
                    return (link.relationship.destinationEntityName, objects[$0].primaryKey)
                }
            }
        }
        while let (entity, key) = next.popLast() {
            guard rows.insert("\(store.table(of: entity)) \(key)").inserted else { continue }
            for relationship in model.relationships(of: entity)
            where relationship.isToMany && relationship.deleteRule == .cascade {
                guard let inverse = relationship.inverseName else { continue }
                let destination = relationship.destinationEntityName
                next += try store.lines(
                    "SELECT Z_PK FROM \(store.table(of: destination))"
                        + " WHERE \(store.column(of: inverse)) = \(key)"
                ).map { (destination, $0[0]) }
            }
        }
        return rows
    }

    /// Returns the files of a pass: the spec `changes.yaml`, and the records.
    func files(of pass: Pass, store: String) -> [(name: String, text: String)] {
        var files: [(name: String, text: String)] = []
        var spec = "etl: 1\nname: changes\nstore: { at: \"\(store)\" }\nstages:\n"
        if pass == .change { spec += subjects.map(\.deletion).joined() }
        for subject in subjects {
            spec += subject.stage
            files.append((subject.entity + ".ndjson", subject.records(of: pass)))
            guard !subject.found.isEmpty else { continue }
            spec += subject.foundStage
            files.append((subject.entity + "-found.ndjson", subject.foundRecords))
        }
        return files + [("changes.yaml", spec)]
    }
}

/// An entity whose objects are imported.
struct ChangeSubject {
    /// An object that the app wrote.
    struct Found {
        var primaryKey: String
        /// The values of its key as JSON, by attribute.
        var json: [String]
    }

    /// A relationship that records fill.
    struct Link {
        enum Target {
            /// Imported objects: the same entity, or one that is imported before.
            case subject(key: [AttributeDescription], firstValue: Int)
            /// Objects of the app.
            case objects([Found])
        }

        var relationship: RelationshipDescription
        var inverse: RelationshipDescription?
        var target: Target
        /// The attributes by which objects are found.
        var by: [String]
        /// The entity that is looked up.
        var entity: String
        /// Whether a record may link to its own object.
        var isSelf: Bool

        /// Returns the numbers of the objects to which a record links.
        func targets(of number: Int, _ pass: ChangePlan.Pass) -> [Int] {
            if case .objects(let objects) = target {
                return objects.indices.filter { $0 * 475 % 1_000 == number }
            }
            let (all, kept) = (ChangePlan.inserted.count, ChangePlan.deleted.lowerBound)
            func other(_ target: Int, _ count: Int) -> Int {
                isSelf && target == number ? (target + 1) % count : target
            }
            let isChanged = pass == .change && ChangePlan.changed.contains(number)
            let count = number < kept ? kept : all
            let first = other((number * 7 + (isChanged ? 4 : 3)) % count, count)
            let isNullified =
                ChangePlan.nullified.contains(number) && inverse?.deleteRule == .nullify
            guard relationship.isToMany else {
                if isNullified { return pass == .insert ? [kept + number] : [] }
                return number % 10 == 9 ? [] : [first]
            }
            let second = other((first + 13) % count, count)
            let kind = isChanged ? [second, first] : [first, second]
            return (isNullified && pass == .insert ? [kept + number] : []) + kind
        }
    }

    let entity: String
    /// The first number for values; no two objects share a number.
    let firstValue: Int
    let key: [AttributeDescription]
    /// The attribute whose value changes.
    let changing: AttributeDescription
    private let attributes: [AttributeDescription]
    private let lineage: Set<String>
    private let table: String
    private let number: Int64
    private let largestKey: Int64
    private(set) var links: [Link] = []
    /// Objects of the app that get a new value.
    private(set) var found: [Found] = []

    /// The rows of the app that get a new value.
    var touched: [String] { found.map { "\(table) \($0.primaryKey)" } }

    /// Returns whether its objects belong to an entity.
    func isA(_ name: String) -> Bool { lineage.contains(name) }

    /// - Returns: `nil` if no object of the entity can be imported by a key.
    init?(
        _ entity: EntityDescription, _ model: ManagedObjectModel, _ store: StoreRules,
        firstValue: Int
    ) throws {
        let all = model.attributes(of: entity.name).filter {
            !$0.isTransient && $0.derivationExpression == nil
        }
        attributes = all.filter { ChangeValue($0, 0) != nil }
        let written = Set(attributes.map(\.name))
        let constraints = model.lineage(of: entity.name).flatMap(\.uniquenessConstraints)
        let keys = Self.keys(attributes, Set(constraints.flatMap(\.self)))
        let isComplete = all.allSatisfy {
            $0.isOptional || $0.defaultValue != nil || written.contains($0.name)
        }
        let chosen = Array(keys.prefix(keys.count > 2 ? 2 : 1))
        let others = (keys + attributes).filter { attribute in
            attribute.type != .boolean && !chosen.contains { $0.name == attribute.name }
        }
        guard !entity.isAbstract, isComplete, !chosen.isEmpty, let changing = others.first else {
            return nil
        }
        self.entity = entity.name
        self.firstValue = firstValue
        self.changing = changing
        key = chosen
        lineage = Set(model.lineage(of: entity.name).map(\.name))
        table = store.table(of: entity.name)
        number = store.number(of: entity.name)
        largestKey = store.allocated[model.rootName(of: entity.name)] ?? 0
        found = try Self.found(entity.name, chosen, store, most: 20)
    }

    /// Returns the possible attributes of a key, the best first; none is part of a constraint.
    private static func keys(
        _ attributes: [AttributeDescription], _ constrained: Set<String>
    ) -> [AttributeDescription] {
        let types: [AttributeType] = [.string, .uuid, .integer64, .integer32, .integer16, .date]
        func rank(_ attribute: AttributeDescription) -> (Int, Int, String) {
            (
                types.firstIndex(of: attribute.type) ?? types.count, attribute.isOptional ? 1 : 0,
                attribute.name
            )
        }
        return attributes.filter { types.contains($0.type) && !constrained.contains($0.name) }
            .sorted { rank($0) < rank($1) }
    }

    /// Returns objects of the app with a key that no other object has.
    private static func found(
        _ entity: String, _ key: [AttributeDescription], _ store: StoreRules, most: Int
    ) throws -> [Found] {
        // Real numbers have several notations.
        guard key.allSatisfy({ $0.type != .date }) else { return [] }
        let columns = key.map { store.column(of: $0.name) }
        let texts = zip(key, columns).map { $0.type == .uuid ? "hex(\($1))" : $1 }
        let rows = try store.lines(
            "SELECT min(Z_PK), \(texts.joined(separator: ", ")) FROM \(store.table(of: entity))"
                + " WHERE Z_ENT IN \(store.family(of: entity))"
                + columns.map { " AND \($0) NOT NULL" }.joined()
                + " GROUP BY \(columns.joined(separator: ", ")) HAVING count(*) = 1 ORDER BY 1")
        let plain = rows.filter { row in
            row.allSatisfy { !$0.utf8.contains { $0 < 32 || $0 > 126 || $0 == 34 || $0 == 92 } }
        }
        return plain.prefix(most).map { row in
            Found(
                primaryKey: row[0],
                json: zip(key, row.dropFirst()).map { attribute, text in
                    switch attribute.type {
                    case .string: return "\"\(text)\""
                    case .uuid: return "\"\(ChangeValue.uuid(hexadecimal: text))\""
                    default: return text
                    }
                })
        }
    }

    /// Links the relationship if there are objects to which it can link.
    mutating func link(
        _ relationship: RelationshipDescription, _ placed: [ChangeSubject],
        _ waiting: [ChangeSubject], _ model: ManagedObjectModel, _ store: StoreRules
    ) throws {
        let inverse = model.inverse(of: relationship)?.relationship
        let destination = relationship.destinationEntityName
        if relationship.isToMany, let inverse {
            if inverse.isToMany {
                // One side of a many-to-many is enough.
                let sides = [relationship, inverse].sorted {
                    ($0.isOrdered ? 0 : 1, $0.name) < ($1.isOrdered ? 0 : 1, $1.name)
                }
                guard sides[0].name == relationship.name else { return }
            } else if (placed + waiting).contains(where: { $0.isA(destination) }) {
                return
            } else {
                let attributes = model.attributes(of: destination).filter {
                    !$0.isTransient && $0.derivationExpression == nil
                        && ChangeValue($0, 0) != nil
                }
                let constraints = model.lineage(of: destination).flatMap(\.uniquenessConstraints)
                let key = Array(
                    Self.keys(attributes, Set(constraints.flatMap(\.self))).prefix(1))
                links.append(
                    Link(
                        relationship: relationship, inverse: inverse,
                        target: .objects(
                            try Self.found(destination, key, store, most: .max)),
                        by: key.map(\.name), entity: destination, isSelf: false))
                return
            }
        }
        guard let target = placed.first(where: { $0.isA(destination) }) else { return }
        links.append(
            Link(
                relationship: relationship, inverse: inverse,
                target: .subject(key: target.key, firstValue: target.firstValue),
                by: target.key.map(\.name), entity: target.entity,
                isSelf: target.entity == entity))
    }

    // MARK: Specs

    private var names: String { key.map(\.name).joined(separator: ", ") }

    /// The stage that imports its objects.
    var stage: String {
        var text = """
              - import: \(entity)
                read: { files: "\(entity).ndjson" }
                into: \(entity)
                key: [\(names)]

            """
        if !links.isEmpty { text += "    link:\n" }
        for link in links {
            let name = link.relationship.name
            let by = link.by.map {
                "\($0): \"\(name)\(link.relationship.isToMany ? "[*]" : "").\($0)\""
            }
            text += "      \(name): { to: \(link.entity), by: { \(by.joined(separator: ", ")) } }\n"
        }
        return text
    }

    /// The stage that changes objects of the app.
    var foundStage: String {
        """
          - import: \(entity)-found
            read: { files: "\(entity)-found.ndjson" }
            into: \(entity)
            key: [\(names)]

        """
    }

    /// The stage that deletes some of the imported objects.
    var deletion: String {
        let values = ChangePlan.deleted.compactMap { ChangeValue(key[0], firstValue + $0)?.literal }
        return """
              - delete: gone-\(entity)
                entity: \(entity)
                where: "\(key[0].name) IN {\(values.joined(separator: ", "))}"

            """
    }

    /// Returns the number that determines a record's value of an attribute.
    private func value(
        _ attribute: AttributeDescription, _ number: Int, _ pass: ChangePlan.Pass
    ) -> ChangeValue? {
        let isChanged =
            pass == .change && ChangePlan.changed.contains(number)
            && attribute.name == changing.name
        return ChangeValue(attribute, firstValue + number + (isChanged ? 1_000 : 0))
    }

    private func numbers(of pass: ChangePlan.Pass) -> Range<Int> {
        pass == .insert ? ChangePlan.inserted : 0..<ChangePlan.deleted.lowerBound
    }

    /// Returns the records of a pass as NDJSON.
    func records(of pass: ChangePlan.Pass) -> String {
        numbers(of: pass).map { number in
            var fields = attributes.compactMap { attribute in
                value(attribute, number, pass).map { "\"\(attribute.name)\":\($0.json)" }
            }
            for link in links {
                let targets = link.targets(of: number, pass).map { target in
                    let json: [String] =
                        switch link.target {
                        case .subject(let key, let first):
                            key.compactMap { ChangeValue($0, first + target)?.json }
                        case .objects(let objects): objects[target].json
                        }
                    return "{"
                        + zip(link.by, json).map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
                }
                let list = targets.joined(separator: ",")
                fields.append(
                    "\"\(link.relationship.name)\":"
                        + (link.relationship.isToMany
                            ? "[\(list)]" : targets.isEmpty ? "null" : list))
            }
            return "{" + fields.joined(separator: ",") + "}\n"
        }.joined()
    }

    /// The records that change objects of the app.
    var foundRecords: String {
        found.enumerated().map { position, object in
            var fields = zip(key, object.json).map { "\"\($0.name)\":\($1)" }
            let value = ChangeValue(changing, firstValue + 1_900 + position)
            fields.append("\"\(changing.name)\":\(value?.json ?? "null")")
            return "{" + fields.joined(separator: ",") + "}\n"
        }.joined()
    }

    // MARK: Rows

    /// Returns the rows that the store must have after a pass, by the number of the record.
    func expected(after pass: ChangePlan.Pass) -> [String] {
        let imported = numbers(of: pass).map { number in
            var cells = attributes.map { value($0, number, pass)?.stored ?? "-" }
            for link in links {
                var targets = link.targets(of: number, pass).map { target in
                    switch link.target {
                    case .subject(let key, let first):
                        ChangeValue(key[0], first + target)?.stored ?? "-"
                    case .objects(let objects): objects[target].primaryKey
                    }
                }
                if !link.relationship.isOrdered { targets.sort() }
                cells.append(targets.isEmpty ? "-" : targets.joined(separator: ","))
            }
            return cells.joined(separator: "|")
        }
        let changed = found.enumerated().map { position, object in
            let value = ChangeValue(changing, firstValue + 1_900 + position)
            return "\(object.primaryKey)|\(value?.stored ?? "-")"
        }
        return imported.sorted() + changed.sorted()
    }

    /// Returns the rows that plain SQL finds.
    func stored(in store: StoreRules) throws -> [String] {
        var cells = attributes.map { ChangeValue.sql($0, "t.\(store.column(of: $0.name))") }
        for link in links {
            let target = store.table(of: link.relationship.destinationEntityName)
            let text: String
            switch link.target {
            case .subject(let key, _):
                text = ChangeValue.sql(key[0], "d.\(store.column(of: key[0].name))")
            case .objects: text = "CAST(d.Z_PK AS TEXT)"
            }
            let name = link.relationship.name
            if !link.relationship.isToMany {
                cells.append(
                    "(SELECT \(text) FROM \(target) d WHERE d.Z_PK = t.\(store.column(of: name)))")
                continue
            }
            var from = "\(target) d WHERE d.\(store.column(of: link.inverse?.name ?? "")) = t.Z_PK"
            var order = "1"
            if let inverse = link.inverse, inverse.isToMany,
                let pairs = store.pairs(of: link.relationship, inverse)
            {
                from =
                    "\(pairs.table) j JOIN \(target) d ON d.Z_PK = j.\(pairs.destination)"
                    + " WHERE j.\(pairs.owner) = t.Z_PK"
                if let column = pairs.order { order = "j.\(column)" }
            }
            cells.append(
                "(SELECT group_concat(k, ',') FROM (SELECT \(text) AS k FROM \(from)"
                    + " ORDER BY \(order)))")
        }
        let imported = try store.lines(
            "SELECT \(cells.joined(separator: ", ")) FROM \(table) t"
                + " WHERE Z_ENT = \(number) AND Z_PK > \(largestKey)")
        let keys = found.map(\.primaryKey).joined(separator: ", ")
        let changed = try store.lines(
            "SELECT Z_PK, \(ChangeValue.sql(changing, store.column(of: changing.name)))"
                + " FROM \(table) WHERE Z_PK IN (\(keys))")
        return imported.map { $0.joined(separator: "|") }.sorted()
            + changed.map { $0.joined(separator: "|") }.sorted()
    }
}
