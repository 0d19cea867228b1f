import GraphModel
import SQLite
import Testing

@testable import GraphStore

@Suite("Merge policies") struct MergePolicyTests {
    /// Runs a test with a task that is (theirs, 10) in the file and (mine, 10 → 20) in a context.
    private func withConflict(
        _ policy: MergePolicy, _ body: (TestStore, ManagedObjectContext, Todo) throws -> Void
    ) throws {
        try withObjects { store in
            let context = store.context()
            context.mergePolicy = policy
            let task = context.insert(Todo.self) {
                $0.title = "old"
                $0.number = 10
                $0.code = "k"
            }
            try context.save()
            try store.foreign().execute(
                "UPDATE ZTASK SET ZTITLE = 'theirs', ZCODE = 'their code', Z_OPT = Z_OPT + 1")
            task.title = "mine"
            task.number = 20
            try body(store, context, task)
        }
    }

    private let row = "SELECT ZTITLE, ZNUMBER, ZCODE, Z_OPT FROM ZTASK"

    @Test("rows 94, 95: by default, the save fails and lists the conflicts")
    func error() throws {
        try withConflict(.error) { store, context, task in
            let error = storeError { try context.save() }
            #expect(error?.code == .conflict)
            let conflict = try #require(error?.mergeError?.conflicts.first)
            #expect(error?.mergeError?.code == 133_020)
            #expect(conflict.kind == .changed && conflict.objectID == task.objectID)
            #expect((conflict.oldVersion, conflict.newVersion) == (1, 2))
            #expect(conflict.changedKeys == ["title", "number"])
            #expect(conflict.objectValues["title"] == .text("mine"))
            #expect(conflict.storedValues?["title"] == .text("theirs"))
            #expect(task.title == "mine" && task.isUpdated)
            try store.expect(row, ["theirs|10|their code|2"])
            // The fix: refresh the object and keep the changes, or drop them.
            try context.refresh(task, mergeChanges: true)
            try context.save()
            try store.expect(row, ["mine|20|their code|3"])
        }
    }

    @Test("row 96: objectTrump prefers the context's changes and keeps the store's other changes")
    func objectTrump() throws {
        try withConflict(.mergeByPropertyObjectTrump) { store, context, task in
            try context.save()
            try store.expect(row, ["mine|20|their code|3"])
            #expect(task.code == "their code" && !task.hasChanges)
        }
    }

    @Test("row 97: storeTrump prefers the store's changes and keeps the context's other changes")
    func storeTrump() throws {
        try withConflict(.mergeByPropertyStoreTrump) { store, context, task in
            try context.save()
            try store.expect(row, ["theirs|20|their code|3"])
            #expect(task.title == "theirs" && task.number == 20)
        }
    }

    @Test("row 98: overwrite writes all attributes of the object")
    func overwrite() throws {
        try withConflict(.overwrite) { store, context, _ in
            try context.save()
            try store.expect(row, ["mine|20|k|3"])
        }
    }

    @Test("row 99: rollback drops the changes and the save succeeds")
    func rollback() throws {
        try withConflict(.rollback) { store, context, task in
            try context.save()
            try store.expect(row, ["theirs|10|their code|2"])
            #expect(task.title == "theirs" && task.changedKeys == [] && !context.hasChanges)
        }
    }

    @Test("row 101: a closure chooses the policy for each conflict")
    func custom() throws {
        struct No: Error {}
        try withConflict(
            MergePolicy { conflict in
                guard conflict.objectValues["title"] == .text("mine") else { throw No() }
                return .storeTrump
            }
        ) { store, context, task in
            task.title = "other"
            #expect(storeError { try context.save() }?.code == .conflict)
            task.title = "mine"
            try context.save()
            try store.expect(row, ["theirs|20|their code|3"])
        }
    }

    @Test(
        "row 94: if the row was deleted, the policy recreates it or drops the object",
        arguments: [("objectTrump", 1), ("overwrite", 1), ("storeTrump", 0), ("rollback", 0)])
    func deletedRow(name: String, rows: Int64) throws {
        let policies: [String: MergePolicy] = [
            "objectTrump": .mergeByPropertyObjectTrump, "overwrite": .overwrite,
            "storeTrump": .mergeByPropertyStoreTrump, "rollback": .rollback,
        ]
        try withConflict(policies[name] ?? .error) { store, context, task in
            try store.foreign().execute("DELETE FROM ZTASK")
            try context.save()
            #expect(try store.integer("SELECT count(*) FROM ZTASK") == rows)
            #expect(!context.hasChanges)
            #expect((context.registeredObject(for: task.objectID) === task) == (rows == 1))
        }
    }

    @Test("row 94: if a deleted object's row has changed, the policy decides which change wins")
    func deletionAgainstChange() throws {
        for (policy, rows) in [
            (MergePolicy.overwrite, Int64(0)), (.mergeByPropertyObjectTrump, 0), (.rollback, 1),
            (.mergeByPropertyStoreTrump, 1),
        ] {
            try withObjects { store in
                let context = store.context()
                context.mergePolicy = policy
                let category = Category(in: context)
                let task = context.insert(Todo.self) { $0.category = category }
                try context.save()
                try store.foreign().execute("UPDATE ZTASK SET ZTITLE = 'theirs', Z_OPT = 2")
                context.delete(task)
                try context.save()
                #expect(try store.integer("SELECT count(*) FROM ZTASK") == rows)
                if rows == 1 {
                    #expect(task.title == "theirs" && !task.isDeleted)
                    #expect(category.tasks == [task])
                }
            }
        }
    }

    @Test("row 94: a save fails if the row of a watched, unchanged object has changed")
    func detectConflicts() throws {
        try withObjects { store in
            let context = store.context()
            let watched = Todo(in: context)
            let other = Todo(in: context)
            try context.save()
            context.detectConflicts(for: watched)
            try store.foreign().execute("UPDATE ZTASK SET Z_OPT = 2 WHERE Z_PK = 1")
            other.title = "x"
            #expect(
                storeError { try context.save() }?.mergeError?.conflicts.map(\.objectID)
                    == [watched.objectID])
        }
    }

    // MARK: Uniqueness

    /// Runs a test with a saved task with a code, and a new, linked task with the same code.
    private func withDuplicate(
        _ policy: MergePolicy, _ body: (TestStore, ManagedObjectContext, Todo) throws -> Void
    ) throws {
        try withObjects { store in
            let first = store.context()
            let tag = first.insert(Tag.self) { $0.name = "saved tag" }
            first.insert(Todo.self) {
                $0.title = "saved"
                $0.number = 1
                $0.code = "k"
                $0.tags = [tag]
            }
            try first.save()
            let context = store.context()
            context.mergePolicy = policy
            let new = context.insert(Todo.self) {
                $0.title = "new"
                $0.code = "k"
            }
            let tag2 = context.insert(Tag.self) { $0.name = "new tag" }
            new.tags = [tag2]
            context.insert(Todo.self) {
                $0.title = "child"
                $0.parent = new
            }
            try body(store, context, new)
        }
    }

    private func expectSurvivor(
        _ policy: MergePolicy, _ row: String, tags: [String], parent: String?
    ) throws {
        try withDuplicate(policy) { store, context, new in
            let old = new.objectID
            try context.save()
            try store.expect("SELECT Z_PK, ZTITLE, ZNUMBER FROM ZTASK WHERE ZCODE = 'k'", [row])
            let join = try store.joinTable("tags", of: "Task")
            try store.expect(
                "SELECT ZNAME FROM ZTAG g JOIN \(join.table) j ON j.\(join.destinationColumn)"
                    + " = g.Z_PK WHERE j.\(join.ownerColumn) = 1 ORDER BY 1", tags)
            try store.expect(
                "SELECT ZPARENT FROM ZTASK WHERE ZTITLE = 'child'", parent.map { [$0] } ?? [])
            if parent != nil {
                #expect(context.object(with: old).objectID.primaryKey == 1)
                #expect(new.managedObjectContext == nil)
            }
            #expect(!context.hasChanges)
        }
    }

    @Test("row 100: objectTrump keeps the row's key, writes the set values, and merges links")
    func uniqueObjectTrump() throws {
        try expectSurvivor(
            .mergeByPropertyObjectTrump, "1|new|1", tags: ["new tag", "saved tag"], parent: "1")
    }

    @Test("row 100: overwrite writes all columns and merges links")
    func uniqueOverwrite() throws {
        try expectSurvivor(.overwrite, "1|new|-", tags: ["new tag", "saved tag"], parent: "1")
    }

    @Test("row 100: storeTrump keeps the row's values and merges links")
    func uniqueStoreTrump() throws {
        try expectSurvivor(
            .mergeByPropertyStoreTrump, "1|saved|1", tags: ["new tag", "saved tag"], parent: "1")
    }

    @Test("row 100: rollback drops the new object and applies its delete rules")
    func uniqueRollback() throws {
        try expectSurvivor(.rollback, "1|saved|1", tags: ["saved tag"], parent: nil)
    }

    @Test("rows 10, 100: two new objects with the same unique value fail or merge, by policy")
    func pendingDuplicates() throws {
        try withObjects { store in
            let context = store.context()
            context.insert(Tag.self) { $0.name = "same" }
            let second = context.insert(Tag.self) { $0.name = "same" }
            let task = context.insert(Todo.self) { $0.tags = [second] }
            let error = storeError { try context.save() }
            #expect(error?.mergeError?.conflicts.map(\.objectID) == [second.objectID])
            #expect(task.tags == [second])
            context.mergePolicy = .mergeByPropertyObjectTrump
            try context.save()
            try store.expect("SELECT ZNAME FROM ZTAG", ["same"])
            #expect(task.tags.map(\.name) == ["same"])
            #expect(context.object(with: second.objectID).isInserted == false)
        }
    }

    @Test("row 100: unique strings are compared by bytes, not by Unicode equivalence")
    func bytes() throws {
        try withObjects { store in
            let context = store.context()
            context.insert(Tag.self) { $0.name = "\u{E9}" }
            let other = context.insert(Tag.self) { $0.name = "e\u{301}" }
            try context.save()
            #expect(try store.integer("SELECT count(*) FROM ZTAG") == 2)
            other.name = "e"
            try context.save()
            other.name = "e\u{301}"
            try context.save()
            #expect(
                try store.integer("SELECT count(*) FROM ZTAG WHERE length(CAST(ZNAME AS BLOB)) = 3")
                    == 1)
        }
    }
}
