import GraphModel
import SQLite
import Testing

@testable import GraphStore
@testable import RowStore

@Suite("Verification of the model's rules") struct StoreRuleTests {
    private static func entities(_ range: String = "0..3") -> String {
        """
        Task:
          attributes:
            code: { type: String, length: 2..4, pattern: "[a-z]+" }
            level: { type: Integer 16, range: \(range) }
            due: { type: Date, range: 2001-01-01..2001-01-02 }
        Chore: { parent: Task, attributes: { size: { type: Double, range: 0.5.. } } }
        """
    }

    @Test("full verification reports values that violate a range, a length, or a pattern")
    func broken() throws {
        let store = try TestStore(Self.entities())
        let chore = try #require(store.container.schema.entity(named: "Chore")?.number)
        let task = try #require(store.container.schema.entity(named: "Task")?.number)
        try store.foreign().execute(
            """
            INSERT INTO ZTASK (Z_PK, Z_ENT, Z_OPT, ZCODE, ZLEVEL, ZDUE, ZSIZE) VALUES
                (1, \(task), 1, 'ab', 0, 0, NULL), (2, \(task), 1, NULL, NULL, NULL, NULL),
                (3, \(task), 1, 'abcde', 9, 86401, NULL), (4, \(chore), 1, 'a', -1, 1, 0.25),
                (5, \(chore), 1, 'ab1', 3, 86400, 0.5);
            UPDATE Z_PRIMARYKEY SET Z_MAX = 5
            """)
        let found = try PersistentContainer.verify(at: store.path, .full)
        #expect(
            found.findings.map(\.description) == [
                "Task.code: 3 values break the model's rule: 'code' must have from 2 to 4 characters,"
                    + " and has 5 (objects 3, 4, 5)",
                "Task.due: 1 value breaks the model's rule: 'due' must be from"
                    + " 2001-01-01T00:00:00Z to 2001-01-02T00:00:00Z, and is"
                    + " 2001-01-02T00:00:01Z (object 3)",
                "Task.level: 2 values break the model's rule: 'level' must be from 0 to 3, and is 9"
                    + " (objects 3, 4)",
                "Chore.size: 1 value breaks the model's rule: 'size' must be at least 0.5, and is"
                    + " 0.25 (object 4)",
            ])
        #expect(Set(found.findings.map(\.kind)) == [.rule])
        #expect(try PersistentContainer.verify(at: store.path, .quick).isSound)
        // Rules are not part of the hashes, so a model with other rules can be given.
        let wider = try model(Self.entities("-5..10"))
        #expect(
            try PersistentContainer.verify(at: store.path, .full, model: wider).findings
                .compactMap(\.property) == ["code", "due", "size"])
    }

    @Test("verification reports a missing column of a required composite, and no values for it")
    func missingElement() throws {
        let store = try TestStore(
            wholeModel(
                """
                model: 1
                composites:
                  Place: { attributes: { latitude: Double, longitude: Double } }
                entities:
                  Quake:
                    attributes:
                      code: String
                      place: { type: Composite, composite: Place, optional: false }
                """))
        let context = store.context()
        try context.make("Quake", ["code": "a", "place": ["latitude": 1.5]])
        try context.save()
        let connection = try store.foreign()
        try connection.execute("UPDATE ZQUAKE SET ZPLACE_LATITUDE = NULL")
        #expect(
            try PersistentContainer.verify(at: store.path, .full).findings.map(\.description)
                == ["Quake.place: 1 object lacks a value, which is required (object 1)"])
        try connection.execute("ALTER TABLE ZQUAKE DROP COLUMN ZPLACE_LATITUDE")
        #expect(
            try PersistentContainer.verify(at: store.path, .full).findings.map(\.description)
                == ["The column ZQUAKE.ZPLACE_LATITUDE is missing"])
    }
}
