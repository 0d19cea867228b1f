import AppStoreFixtures
import GraphModel
import SQLite
import Testing
import XcodeModel

@testable import GraphStore
@testable import RowStore

/// One-to-one relationships of which only one side's table has the column.
///
/// Every read and every write has the same result as in the same store with both columns.
@Suite("One-to-one relationships with one column") struct OneColumnTests {
    private static let layouts = [["ZITEM.ZLABEL"], ["ZLABEL.ZITEM"]]

    private static func entities(_ rule: String, required: String = "") -> String {
        """
        Item:
          attributes: { name: String }
          relationships: { label: { to: Label, inverse: item, delete: \(rule) } }
          unique: [[name]]
        Box: { parent: Item }
        Label:
          attributes: { text: String }
          relationships: { item: { to: Item, inverse: label, delete: \(rule)\(required) } }
          unique: [[text]]
        Tape: { parent: Label }
        """
    }

    /// Compares a script's results in the store with both columns and in the two stores with one
    /// column.
    private func compare(
        _ entities: String = entities("nullify"), dropped: [String],
        sourceLocation: SourceLocation = #_sourceLocation,
        _ script: (TestStore) throws -> [String]
    ) throws {
        let both = try TestStore(model(entities), without: [])
        let one = try TestStore(model(entities), without: dropped)
        let expected = try script(both) + state(of: both, dropped)
        let found = try script(one) + state(of: one, dropped)
        #expect(found == expected, sourceLocation: sourceLocation)
        try one.checkIntegrity(sourceLocation: sourceLocation)
        let findings = try PersistentContainer.verify(at: one.path, .full).findings
        #expect(findings.isEmpty, "\(findings)", sourceLocation: sourceLocation)
    }

    /// Returns the rows with their versions, and the links as read by SQL, objects, requests, and
    /// row cursors.
    private func state(of store: TestStore, _ dropped: [String]) throws -> [String] {
        var state = try store.lines("SELECT 'item', Z_PK, Z_ENT, Z_OPT, ZNAME FROM ZITEM")
        state += try store.lines("SELECT 'label', Z_PK, Z_ENT, Z_OPT, ZTEXT FROM ZLABEL")
        state += try store.lines(
            dropped == ["ZITEM.ZLABEL"]
                ? "SELECT ZITEM, Z_PK FROM ZLABEL WHERE ZITEM NOT NULL ORDER BY 1"
                : "SELECT Z_PK, ZLABEL FROM ZITEM WHERE ZLABEL NOT NULL ORDER BY 1")
        let context = store.context()
        for (entity, key, link, other) in [
            ("Item", "name", "label", "text"), ("Label", "text", "item", "name"),
        ] {
            func fetch(
                _ format: String, by order: [String] = []
            ) throws -> [ManagedObject] {
                var request = FetchRequest<ManagedObject>(
                    entityName: entity, predicate: try GraphPredicate(format: format))
                request.sortDescriptors =
                    (order.isEmpty ? [] : [GraphSortDescriptor(order)])
                    + [GraphSortDescriptor([key])]
                return try context.fetch(request)
            }
            for object in try fetch("TRUEPREDICATE") {
                let linked = object[.toOne(link)]
                let line = [
                    object[.string(key)] ?? "-",
                    linked.map { "\($0.objectID.entityNumber) \($0.objectID.primaryKey)" } ?? "-",
                    linked?[.string(other)] ?? "-",
                    linked?[.toOne(link == "label" ? "item" : "label")] === object ? "back" : "-",
                ]
                state.append(line.joined(separator: " "))
            }
            let back = link == "label" ? "item" : "label"
            for format in [
                "\(link) == nil", "\(link) != nil", "\(link).\(other) == 'a'",
                "\(link).\(other) != 'a'", "\(link).objectID == 1", "\(link).\(back).\(key) == 'b'",
                "\(link).\(back).\(link).\(other) IN {'a', 'c'}",
            ] {
                let names = try fetch(format).map { $0[.string(key)] ?? "-" }
                state.append("\(format): \(names)")
            }
            let sorted = try fetch("TRUEPREDICATE", by: [link, other])
            state.append("sorted: \(sorted.map { $0[.string(key)] ?? "-" })")
            let cursor = try context.cursor(
                RowRequest(
                    entityName: entity, fields: [[key], [link], [link, other], [link, back, key]]))
            state += try rows(of: cursor)
            let counts = try context.count(
                for: FetchRequest<ManagedObject>(
                    entityName: entity, predicate: GraphPredicate(format: "\(link) != nil")))
            state.append("\(counts)")
        }
        return state
    }

    private func rows(of cursor: RowCursor) throws -> [String] {
        var lines: [String] = []
        try cursor.forEachRow { batch, place in
            lines.append((0..<4).map { batch[place, $0].quotedText(nil) }.joined(separator: "|"))
        }
        return lines
    }

    // MARK: Objects

    /// Inserts items and labels; `a` and `b` are linked from one side, `c` from the other.
    private func fill(_ store: TestStore) throws {
        let context = store.context()
        for (position, name) in ["a", "b", "c", "d"].enumerated() {
            let item = try context.insert(position == 1 ? "Box" : "Item")
            item[.string("name")] = name
            let label = try context.insert(position == 0 ? "Tape" : "Label")
            label[.string("text")] = name
            if position < 2 { item[.toOne("label")] = label }
            if position == 2 { label[.toOne("item")] = item }
        }
        try context.save()
    }

    private func object(
        _ name: String, _ entity: String, _ context: ManagedObjectContext
    ) throws -> ManagedObject {
        let key = entity == "Item" ? "name" : "text"
        return try #require(
            context.fetch(
                FetchRequest<ManagedObject>(
                    entityName: entity, predicate: GraphPredicate(format: "%K == %@", key, name))
            ).first)
    }

    @Test("a context links, moves, and unlinks objects from either side", arguments: layouts)
    func objects(dropped: [String]) throws {
        try compare(dropped: dropped) { store in
            try fill(store)
            var lines = try state(of: store, dropped)
            let context = store.context()
            try object("a", "Item", context)[.toOne("label")] = object("b", "Label", context)
            try object("d", "Label", context)[.toOne("item")] = object("c", "Item", context)
            try context.save()
            lines += try state(of: store, dropped)
            try object("a", "Item", context)[.toOne("label")] = nil
            try object("d", "Label", context)[.toOne("item")] = nil
            try context.save()
            lines += try state(of: store, dropped)
            try object("a", "Item", context)[.toOne("label")] = object("a", "Label", context)
            try context.save()
            try object("a", "Label", context)[.toOne("item")] = object("b", "Item", context)
            try context.save()
            return lines
        }
    }

    @Test("a context merges a link that another context has saved", arguments: layouts)
    func contexts(dropped: [String]) throws {
        try compare(dropped: dropped) { store in
            try fill(store)
            let (one, other) = (store.context(), store.context())
            other.automaticallyMergesChangesFromParent = true
            let (item, label) = (
                try object("d", "Item", other), try object("d", "Label", other)
            )
            var lines = [item, label].map { "\($0[.toOne($0 === item ? "label" : "item")] == nil)" }
            try object("d", "Label", one)[.toOne("item")] = object("d", "Item", one)
            try one.save()
            try other.processPendingChanges()
            lines.append("\(item[.toOne("label")] === label) \(label[.toOne("item")] === item)")
            return lines
        }
    }

    // MARK: Deleting

    @Test(
        "deletions of objects and batches apply the delete rules of both sides", arguments: layouts,
        ["nullify", "cascade", "deny"])
    func deleteRules(dropped: [String], rule: String) throws {
        for entity in ["Item", "Label"] {
            for isBatch in [false, true] {
                try compare(Self.entities(rule), dropped: dropped) { store in
                    try fill(store)
                    let context = store.context()
                    let key = entity == "Item" ? "name" : "text"
                    do {
                        if isBatch {
                            let result = try context.execute(
                                BatchDeleteRequest(
                                    entityName: entity,
                                    predicate: GraphPredicate(format: "%K IN {'a', 'c', 'd'}", key)
                                ))
                            let cascaded = result.cascaded.sorted { $0.key < $1.key }
                            return [
                                "\(result.matched) \(result.deleted) \(result.denied)"
                                    + " \(result.nullified) \(cascaded)"
                            ]
                        }
                        for name in ["a", "c", "d"] {
                            context.delete(try object(name, entity, context))
                        }
                        try context.save()
                        return []
                    } catch {
                        return ["\(error)"]
                    }
                }
            }
        }
    }

    @Test("a batch deletion does not remove a required link", arguments: layouts)
    func requiredLinks(dropped: [String]) throws {
        try compare(
            Self.entities("nullify", required: ", optional: false"), dropped: dropped
        ) { store in
            let context = store.context()
            let (item, label) = (try context.insert("Item"), try context.insert("Label"))
            item[.string("name")] = "a"
            label[.string("text")] = "a"
            item[.toOne("label")] = label
            try context.save()
            do {
                _ = try context.execute(BatchDeleteRequest(entityName: "Item"))
                return []
            } catch {
                return ["\(error)"]
            }
        }
    }

    // MARK: Loading

    private func plan(_ entity: String, _ missing: BulkPlan.MissingPolicy = .create) -> BulkPlan {
        let isItem = entity == "Item"
        return BulkPlan(
            entity: entity, key: [isItem ? "name" : "text"],
            attributes: [isItem ? "name" : "text"],
            links: [
                .init(
                    relationship: isItem ? "label" : "item",
                    destination: isItem ? "Label" : "Item",
                    attribute: isItem ? "text" : "name", missing: missing)
            ])
    }

    @Test("imports link, move, and unlink from either side", arguments: layouts, ["Item", "Label"])
    func imports(dropped: [String], entity: String) throws {
        for batchSize in [1, 1000] {
            try compare(dropped: dropped) { store in
                try fill(store)
                var lines: [String] = []
                let loads: [[[TestValue]]] = [
                    [["a", "a"], ["b", "b"], ["c", "c"], ["d", nil]],
                    [["a", "b"], ["d", "d"], ["e", "e"]],
                    [["a", nil], ["b", .absent], ["c", "d"]],
                    [["a", "x"], ["b", "x"], ["a", "x"]], [["f", "y"], ["g", "y"], ["f", nil]],
                ]
                for load in loads {
                    let outcome = try store.container.load(
                        plan(entity), load, batchSize: batchSize)
                    lines.append(outcome.counts)
                    lines += outcome.changes.map {
                        "\($0.inserted.ids) \($0.updated.ids) \($0.deleted.ids)"
                    }
                    lines += try state(of: store, dropped)
                    let again = try store.container.load(
                        plan(entity), Array(load.suffix(1)), batchSize: batchSize)
                    lines.append(again.counts)
                }
                return lines
            }
        }
    }

    @Test("an import enforces a required link on the side without the column", arguments: layouts)
    func requiredImports(dropped: [String]) throws {
        try compare(
            Self.entities("nullify", required: ", optional: false"), dropped: dropped
        ) { store in
            let outcome = try store.container.load(
                plan("Label"), [["a", "a"], ["b", nil], ["c", .absent], ["a", nil]])
            return [outcome.counts] + outcome.rejectedCodes
        }
    }

    @Test("an import rejects a key with a link that is stored in the other row")
    func keys() throws {
        let store = try TestStore(model(Self.entities("nullify")), without: ["ZITEM.ZLABEL"])
        var plan = plan("Item", .reject)
        plan.key = ["name", "label"]
        #expect {
            try store.container.load(plan, [["a", "a"]])
        } throws: { error in
            "\(error)".contains(
                "'Item.label' cannot be part of a key in this store, which keeps the relationship as"
                    + " 'Label.item' only; use other properties as the key, or import 'Label'")
        }
    }

    // MARK: Damage

    /// If two rows hold the same object's key, the first row owns the object, and `verify` reports
    /// it.
    @Test("verify reports two rows that refer to one object, and a repair keeps the first")
    func severalRows() throws {
        let store = try TestStore(model(Self.entities("nullify")), without: ["ZITEM.ZLABEL"])
        try fill(store)
        try store.foreign().execute("UPDATE ZLABEL SET ZITEM = 1 WHERE Z_PK = 3")
        let context = store.context()
        #expect(try object("a", "Item", context)[.toOne("label")]?.objectID.primaryKey == 1)
        #expect(try object("c", "Item", context)[.toOne("label")] == nil)
        let findings = try PersistentContainer.verify(at: store.path, .full).findings.map(\.message)
        #expect(findings == ["Label.item: 1 object that it leads to does not lead back"])
        let repaired = store.folder.file("repaired.sqlite")
        _ = try PersistentContainer.salvage(at: store.path, to: repaired)
        let connection = try Connection(path: repaired, mode: .readOnly)
        let links = try lines("SELECT Z_PK, ZITEM, Z1_ITEM FROM ZLABEL", on: connection)
        #expect(links == ["1|1|1", "2|2|2", "3|-|-", "4|-|-"])
        let columns = try lines("SELECT name FROM pragma_table_info('ZITEM')", on: connection)
        #expect(columns == ["Z_PK", "Z_ENT", "Z_OPT", "ZNAME"])
    }

    // MARK: Models of apps

    /// A store of an app's model with one column for each one-to-one relationship.
    @Test(
        "a store of an app's model opens with one column per one-to-one relationship",
        .enabled(if: CoreDataSpecimens.arePresent, "../shared/specimens is absent"),
        arguments: [false, true])
    func specimens(dropsFirst: Bool) throws {
        var count = 0
        for path in CoreDataSpecimens.models {
            let model = try ManagedObjectModel(xcodeModel: path)
            guard model.storedComposites.isEmpty else { continue }
            let layout = StoreLayout(model)
            var dropped: Set<String> = []
            for entity in layout.entities {
                for relationship in model.ownRelationships(named: entity.name) {
                    guard let place = entity.toOnes[relationship.name],
                        let inverse = model.inverse(of: relationship),
                        !inverse.relationship.isToMany,
                        (entity.name, relationship.name)
                            < (inverse.owner, inverse.relationship.name),
                        let other = layout.entity(named: inverse.owner),
                        let back = other.toOnes[inverse.relationship.name]
                    else { continue }
                    dropped.insert(
                        dropsFirst
                            ? "\(entity.table).\(place.column ?? "")"
                            : "\(other.table).\(back.column ?? "")")
                }
            }
            guard !dropped.isEmpty else { continue }
            count += 1
            let both = try TestStore(model, without: [])
            let store = try TestStore(model, without: dropped.sorted())
            let found = store.container.schema.entities.flatMap(\.toOnes.values)
            let elsewhere = found.filter { $0.columns == nil }
            #expect(elsewhere.count >= dropped.count, "\(path)")
            #expect(
                store.container.model.entities.flatMap(\.ownRelationships).count
                    == model.entities.flatMap(\.ownRelationships).count)
            let findings = try PersistentContainer.verify(at: store.path).findings
            #expect(findings == (try PersistentContainer.verify(at: both.path).findings), "\(path)")
        }
        #expect(count == 5)
    }

    /// If both columns are missing, both are reported.
    @Test("opening fails for a one-to-one relationship without any column")
    func noColumn() throws {
        #expect {
            try TestStore(
                model(Self.entities("nullify")), without: ["ZITEM.ZLABEL", "ZLABEL.ZITEM"])
        } throws: { error in
            "\(error)".contains("ZITEM.ZLABEL") && "\(error)".contains("ZLABEL.ZITEM")
        }
    }
}
