import GraphModel
import SQLite
import Testing

@testable import GraphStore

/// The effect of merge policies on relationships, and on objects whose rows have changed since they
/// were read.
@Suite("Merge policies and relationships") struct MergedLinkTests {
    private static let policies: [String: MergePolicy] = [
        "objectTrump": .mergeByPropertyObjectTrump, "overwrite": .overwrite,
        "storeTrump": .mergeByPropertyStoreTrump, "rollback": .rollback,
    ]

    private func pairs(_ store: TestStore) throws -> [String] {
        let join = try store.joinTable("tags", of: "Task")
        return try store.lines(
            "SELECT t.ZTITLE, g.ZNAME FROM \(join.table) j"
                + " LEFT JOIN ZTASK t ON t.Z_PK = j.\(join.ownerColumn)"
                + " LEFT JOIN ZTAG g ON g.Z_PK = j.\(join.destinationColumn) ORDER BY 1, 2")
    }

    // MARK: Rows that are gone

    @Test(
        "row 94: recreating a row restores its links",
        arguments: ["objectTrump", "overwrite"])
    func recreatedWithLinks(name: String) throws {
        try withObjects { store in
            let context = store.context()
            context.mergePolicy = Self.policies[name] ?? .error
            let tag = context.insert(Tag.self) { $0.name = "t" }
            let task = context.insert(Todo.self) { $0.tags = [tag] }
            let friend = context.insert(Todo.self) { $0.title = "friend" }
            task.add(friend, to: .toMany("related"))
            try context.save()
            let other = store.context()
            other.delete(other.object(with: task.objectID))
            try other.save()
            task.title = "mine"
            try context.save()
            #expect(task.tags == [tag])
            #expect(try pairs(store) == ["mine|t"])
            let again = try store.context().existingObject(with: task.objectID)
            #expect(try again.objectIDs(for: "related") == [friend.objectID])
            #expect(!context.hasChanges)
        }
    }

    @Test("row 94: recreating a row restores links in other rows and the order of a list")
    func recreatedWithRowsOfOthers() throws {
        try withStore(
            """
            A: { attributes: { n: String }, relationships: { bs: { to: B, many: true, ordered: true, inverse: a }, c: { to: C, inverse: a } } }
            B: { attributes: { n: String }, relationships: { a: { to: A, inverse: bs } } }
            C: { attributes: { n: String }, relationships: { a: { to: A, inverse: c } } }
            """
        ) { store in
            let context = store.context()
            context.mergePolicy = .mergeByPropertyObjectTrump
            let a = try context.insert("A")
            let bs = try (0..<4).map { number in
                let b = try context.insert("B")
                try b.setValue(.init("b\(number)"), forKey: "n")
                return b
            }
            let c = try context.insert("C")
            try a.setValue(.objects([bs[2], bs[0], bs[1], bs[3]]), forKey: "bs")
            try a.setValue(.object(c), forKey: "c")
            try context.save()
            let other = store.context()
            other.delete(other.object(with: a.objectID))
            other.delete(other.object(with: bs[1].objectID))
            // This object now belongs to another owner.
            let another = try other.insert("A")
            try other.object(with: bs[3].objectID).setValue(.object(another), forKey: "a")
            try other.save()
            try a.setValue("mine", forKey: "n")
            try context.save()
            #expect(try a.objectIDs(for: "bs") == [bs[2].objectID, bs[0].objectID])
            let fresh = try store.context().existingObject(with: a.objectID)
            #expect(try fresh.objectIDs(for: "bs") == [bs[2].objectID, bs[0].objectID])
            #expect(try fresh.objectIDs(for: "c") == [c.objectID])
            #expect(
                try store.context().existingObject(with: c.objectID).objectIDs(for: "a") == [
                    a.objectID
                ])
            try store.expect("SELECT ZN, ZA FROM ZB ORDER BY 1", ["b0|1", "b2|1", "b3|2"])
            #expect(!context.hasChanges)
        }
    }

    @Test("row 94: recreating a row omits links to deleted rows")
    func recreatedWithoutDanglingLinks() throws {
        try withObjects { store in
            let context = store.context()
            context.mergePolicy = .mergeByPropertyObjectTrump
            let tag = context.insert(Tag.self) { $0.name = "t" }
            let category = context.insert(Category.self) { $0.name = "c" }
            let task = context.insert(Todo.self) {
                $0.tags = [tag]
                $0.category = category
            }
            try context.save()
            let other = store.context()
            for id in [task.objectID, tag.objectID, category.objectID] {
                other.delete(other.object(with: id))
            }
            try other.save()
            task.title = "mine"
            try context.save()
            #expect(try pairs(store) == [])
            try store.expect("SELECT ZTITLE, ZCATEGORY FROM ZTASK", ["mine|-"])
            #expect(task.tags == [] && task.category == nil)
        }
    }

    @Test("rows 54, 94: an object that is recreated after a merge can be read, linked, and saved")
    func recreatedAfterAMerge() throws {
        try withObjects { store in
            let context = store.context()
            context.mergePolicy = .mergeByPropertyObjectTrump
            let category = context.insert(Category.self)
            let task = Todo(in: context)
            try context.save()
            let other = store.context()
            other.delete(other.object(with: task.objectID))
            task.title = "mine"
            try context.merge(try other.save().change)
            #expect(task.isDeleted)
            try context.save()
            try store.expect("SELECT ZTITLE FROM ZTASK", ["mine"])
            #expect(!task.isDeleted)
            let child = context.makeChild()
            #expect(try child.existingObject(Todo.self, with: task.objectID).title == "mine")
            try task.setValue(.object(category), forKey: "category")
            try category.setValue(.objects([task]), forKey: "tasks")
            try context.save()
            try store.expect("SELECT ZCATEGORY FROM ZTASK", ["1"])
        }
    }

    @Test("row 54: an object is no longer deleted if another context's save restores its row")
    func backAgain() throws {
        try withObjects { store in
            let (context, other) = (store.context(), store.context())
            let task = context.insert(Todo.self) { $0.title = "old" }
            try context.save()
            other.isUndoEnabled = true
            other.delete(other.object(with: task.objectID))
            task.number = 5
            try context.merge(try other.save().change)
            #expect(task.isDeleted)
            try other.undo()
            try context.merge(try other.save().change)
            #expect(!task.isDeleted)
            try context.save()
            try store.expect("SELECT ZTITLE, ZNUMBER FROM ZTASK", ["old|5"])
        }
    }

    // MARK: To-ones

    @Test(
        "rows 96-99: merge policies treat to-one relationships like attributes",
        arguments: [
            ("objectTrump", "2"), ("storeTrump", "3"), ("overwrite", "2"), ("rollback", "3"),
        ])
    func toOnes(name: String, category: String) throws {
        try withObjects { store in
            let context = store.context()
            context.mergePolicy = Self.policies[name] ?? .error
            let all = (1...3).map { n in context.insert(Category.self) { $0.name = "\(n)" } }
            let tag = context.insert(Tag.self) { $0.name = "t" }
            let task = context.insert(Todo.self) { $0.category = all[0] }
            try context.save()
            try store.foreign().execute("UPDATE ZTASK SET ZCATEGORY = 3, Z_OPT = Z_OPT + 1")
            task.category = all[1]
            task.tags = [tag]
            let change = try context.save().change
            try store.expect("SELECT ZCATEGORY FROM ZTASK", [category])
            #expect(all.map { $0.tasks == [task] } == [false, category == "2", category == "3"])
            #expect(try pairs(store) == (name == "rollback" ? [] : ["untitled|t"]))
            #expect(task.tags == (name == "rollback" ? [] : [tag]))
            #expect(!context.hasChanges)
            guard category == "3" else { return }
            #expect(!change.updated.contains(all[2].objectID))
            #expect(!change.updated.contains(all[0].objectID))
            try store.expect("SELECT Z_OPT FROM ZCATEGORY", ["1", "1", "1"])
        }
    }

    @Test(
        "rows 96-99: merge policies update both ends of one-to-one relationships",
        arguments: ["objectTrump", "storeTrump"])
    func oneToOnes(name: String) throws {
        try withStore(
            """
            A: { attributes: { n: String }, relationships: { b: { to: B, inverse: a } } }
            B: { attributes: { n: String }, relationships: { a: { to: A, inverse: b } } }
            """
        ) { store in
            let context = store.context()
            context.mergePolicy = Self.policies[name] ?? .error
            let a = try context.insert("A")
            let bs = try (0..<3).map { _ in try context.insert("B") }
            try a.setValue(.object(bs[0]), forKey: "b")
            try context.save()
            let other = store.context()
            let theirs = try other.existingObject(with: a.objectID)
            try theirs.setValue(.object(other.object(with: bs[2].objectID)), forKey: "b")
            try other.save()
            try a.setValue(.object(bs[1]), forKey: "b")
            try context.save()
            let winner = name == "objectTrump" ? 1 : 2
            #expect(try a.objectIDs(for: "b") == [bs[winner].objectID])
            for (place, b) in bs.enumerated() {
                let fresh = try store.context().existingObject(with: b.objectID)
                let ids = place == winner ? [a.objectID] : []
                #expect(try fresh.objectIDs(for: "a") == ids, "\(place)")
                #expect(try b.objectIDs(for: "a") == ids, "\(place)")
            }
            #expect(!context.hasChanges)
        }
    }

    @Test("discarding a conflict keeps the owner that the row has in the store")
    func discarded() throws {
        try withObjects { store in
            let context = store.context()
            let all = (1...3).map { n in context.insert(Category.self) { $0.name = "\(n)" } }
            let task = context.insert(Todo.self) { $0.category = all[0] }
            try context.save()
            try store.foreign().execute("UPDATE ZTASK SET ZCATEGORY = 3, Z_OPT = Z_OPT + 1")
            task.category = all[1]
            let error = try #require(storeError { try context.save() }?.mergeError)
            try context.discard(error)
            #expect(try context.save().change.isEmpty)
            #expect(all.map { $0.tasks == [task] } == [false, false, true])
            try store.expect("SELECT Z_OPT FROM ZCATEGORY", ["1", "1", "1"])
        }
    }

    // MARK: Lists

    @Test("row 94: to-many changes of two contexts do not conflict, and both are kept")
    func listsAlone() throws {
        try withObjects { store in
            let (one, two) = (store.context(), store.context())
            let tags = ["a", "b"].map { name in one.insert(Tag.self) { $0.name = name } }
            let task = one.insert(Todo.self) { $0.title = "t" }
            try one.save()
            let same = try two.existingObject(Todo.self, with: task.objectID)
            same.tags = [try two.existingObject(Tag.self, with: tags[1].objectID)]
            task.tags = [tags[0]]
            try one.save()
            try two.save()
            #expect(try pairs(store) == ["t|a", "t|b"])
        }
    }

    @Test(
        "row 94: a new join row increments the version and conflicts with another context's value")
    func listAgainstValue() throws {
        try withObjects { store in
            let (one, two) = (store.context(), store.context())
            let tag = one.insert(Tag.self) { $0.name = "a" }
            let task = one.insert(Todo.self) { $0.title = "t" }
            try one.save()
            let same = try two.existingObject(Todo.self, with: task.objectID)
            same.title = "two"
            task.tags = [tag]
            try one.save()
            let error = storeError { try two.save() }?.mergeError
            #expect(error?.conflicts.map(\.changedKeys) == [["title"]])
            two.mergePolicy = .mergeByPropertyObjectTrump
            try two.save()
            #expect(try pairs(store) == ["two|a"])
        }
    }

    // MARK: Unique values

    @Test("row 100: a new object's values win over an outdated object with the same unique value")
    func uniqueOverAStaleObject() throws {
        try withObjects { store in
            let context = store.context()
            context.mergePolicy = .mergeByPropertyObjectTrump
            let saved = context.insert(Todo.self) {
                $0.title = "saved"
                $0.number = 1
                $0.code = "k"
            }
            try context.save()
            try store.foreign().execute(
                "UPDATE ZTASK SET ZNUMBER = 9, ZISDONE = 1, Z_OPT = Z_OPT + 1")
            context.insert(Todo.self) {
                $0.title = "new"
                $0.number = 1
                $0.code = "k"
            }
            try context.save()
            #expect(saved.number == 1 && saved.isDone)
            try store.expect("SELECT ZTITLE, ZNUMBER, ZISDONE, Z_OPT FROM ZTASK", ["new|1|1|3"])
        }
    }

    @Test(
        "row 100: if saved objects share a value, the policy deletes one or reverts the change",
        arguments: [
            ("objectTrump", ["1|b"]), ("overwrite", ["1|b"]),
            ("storeTrump", ["1|a", "2|b", "3|-"]), ("rollback", ["1|a", "2|b", "3|-"]),
        ])
    func twoSaved(name: String, rows: [String]) throws {
        try withObjects { store in
            let context = store.context()
            context.mergePolicy = Self.policies[name] ?? .error
            let first = context.insert(Todo.self) { $0.code = "a" }
            let second = context.insert(Todo.self) { $0.code = "b" }
            context.insert(Todo.self) { $0.parent = second }
            try context.save()
            first.code = "b"
            try context.save()
            try store.expect("SELECT Z_PK, ZCODE FROM ZTASK ORDER BY 1", rows)
            #expect(first.code == (rows.count == 1 ? "b" : "a") && !context.hasChanges)
            #expect((second.managedObjectContext == nil) == (rows.count == 1))
        }
    }

    @Test("row 101: a closure also decides conflicts of unique values")
    func closureDecidesConstraints() throws {
        try withObjects { store in
            let context = store.context()
            let saved = context.insert(Todo.self) {
                $0.title = "saved"
                $0.code = "k"
            }
            try context.save()
            let found = LockedBox<[MergeConflict]>([])
            context.mergePolicy = MergePolicy { conflict in
                found.change { $0.append(conflict) }
                return conflict.kind == .constraint ? .objectTrump : .fail
            }
            context.insert(Todo.self) {
                $0.title = "new"
                $0.code = "k"
            }
            try context.save()
            try store.expect("SELECT Z_PK, ZTITLE FROM ZTASK", ["1|new"])
            let conflict = try #require(found.value.first)
            #expect(found.value.count == 1 && conflict.otherID == saved.objectID)
            #expect(conflict.constraint == ["code"])
            #expect(conflict.storedValues?["title"] == .text("saved"))
        }
    }
}
