import GraphModel
import SQLite
import Testing

@testable import GraphStore

/// Conflicts of a child's changes when its parent saves them.
@Suite("Conflicts of child contexts") struct ChildConflictTests {
    @Test("row 30: the save into the store checks unique values, and the child's save does not")
    func constraints() throws {
        try withObjects { store in
            let parent = store.context()
            let saved = parent.insert(Tag.self) { $0.name = "a" }
            try parent.save()
            let child = parent.makeChild()
            let new = child.insert(Tag.self) { $0.name = "a" }
            let old = new.objectID
            try child.save()
            #expect(storeError { try parent.save() }?.mergeError?.code == 133_021)
            #expect(parent.hasChanges)
            try store.expect("SELECT Z_PK, ZNAME FROM ZTAG", ["1|a"])
            parent.mergePolicy = .mergeByPropertyObjectTrump
            #expect(
                parent.makeChild().mergePolicy.showsConflicts == parent.mergePolicy.showsConflicts)
            try parent.save()
            try store.expect("SELECT Z_PK, ZNAME FROM ZTAG", ["1|a"])
            let found = try #require(child.object(with: old) as? Tag)
            #expect(found.objectID == saved.objectID && found.name == "a")
            #expect(new.objectID == saved.objectID)
        }
    }

    @Test("row 45: a failed saveChain does not change the store and can be retried")
    func failedChain() throws {
        try withObjects { store in
            let root = store.context()
            let saved = root.insert(Tag.self) { $0.name = "a" }
            try root.save()
            let child = root.makeChild()
            child.insert(Category.self) { $0.name = "c" }
            let tag = child.insert(Tag.self) { $0.name = "a" }
            #expect(
                storeError { try PersistentContainer.saveChain([child, root]) }?.code == .conflict)
            try store.expect("SELECT (SELECT count(*) FROM ZCATEGORY), ZNAME FROM ZTAG", ["0|a"])
            #expect(root.hasChanges && !child.hasChanges && saved.name == "a")
            tag.name = "b"
            try PersistentContainer.saveChain([child, root])
            try store.expect(
                "SELECT (SELECT count(*) FROM ZCATEGORY), ZNAME FROM ZTAG ORDER BY 2",
                ["1|a", "1|b"])
        }
    }
}
