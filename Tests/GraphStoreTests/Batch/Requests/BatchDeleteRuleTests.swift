import GraphModel
import SQLite
import Testing

@testable import GraphStore
@testable import RowStore

/// What a batch delete does with the objects that stay, beyond the delete rules.
@Suite("Batch delete and the remaining objects") struct BatchDeleteRuleTests {
    private func delete(
        _ entity: String, _ predicate: String? = nil, rules: BatchDeleteRules = .enforce,
        in store: TestStore
    ) throws -> (BatchDeleteResult, StoreChange) {
        let context = store.container.newContext()
        var request = BatchDeleteRequest(
            entityName: entity, predicate: try predicate.map { try GraphPredicate(format: $0) })
        request.rules = rules
        let result = try context.write(request)
        return (result, try context.save().change)
    }

    /// Returns the message of a deletion that is refused; `nil` if it is not.
    private func refusal(_ entity: String, _ predicate: String, in store: TestStore) -> String? {
        storeError { _ = try delete(entity, predicate, in: store) }?.message
    }

    /// Inserts rows by SQL, and raises the counters of the keys.
    private func fill(_ store: TestStore, _ sql: String) throws {
        let connection = try store.foreign()
        try connection.execute(sql)
        for entity in store.container.schema.entities where entity.superNumber == 0 {
            try connection.execute(
                "UPDATE Z_PRIMARYKEY SET Z_MAX = (SELECT ifnull(max(Z_PK), 0) FROM \(entity.table))"
                    + " WHERE Z_ENT = \(entity.number)")
        }
    }

    private func findings(_ store: TestStore) throws -> [String] {
        try PersistentContainer.verify(at: store.path, .full).findings.map(\.description)
    }

    @Test("names the first objects that would lose a required object")
    func names() throws {
        try withStore(
            """
            A: { relationships: { bs: { to: B, many: true, inverse: a } } }
            B: { relationships: { a: { to: A, inverse: bs, optional: false } } }
            """
        ) { store in
            try fill(
                store,
                """
                INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1);
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 7)
                INSERT INTO ZB (Z_PK, Z_ENT, Z_OPT, ZA) SELECT i, 2, 1, 1 FROM n
                """)
            #expect(
                refusal("A", "TRUEPREDICATE", in: store)
                    == "7 objects of B would lose their required 'a' (objects 1, 2, 3, 4, 5, …);"
                    + " delete them too, or make 'a' optional")
        }
    }
}
