import GraphModel
import SQLite
import TestSeeds
import Testing

@testable import GraphStore
@testable import RowStore

/// Wide and deep predicates: SQL and the evaluator find the same objects.
@Suite("Large predicates") struct LargePredicateTests {
    private struct Source {
        let world: World
        let entity: StoreLayout.Entity
        /// Conditions that do not fail for any object.
        let terms: [GraphPredicate]
        var random: SeededGenerator

        init(seed: UInt64, count: Int) throws {
            var generator = WorldGenerator(random: SeededGenerator(seed: seed))
            world = try World(&generator)
            random = generator.random
            entity = random.pick(world.schema.entities)
            var terms: [GraphPredicate] = []
            var tries = 0
            while terms.count < count, tries < 20 * count {
                tries += 1
                var predicates = WorldPredicates(
                    random, world.schema, over: entity, objectCount: world.variables.count)
                let format = predicates.comparison(depth: 1)
                random = predicates.random
                guard
                    let term = try? GraphPredicate(format: format).resolved(
                        for: entity.name, in: world.model, variables: world.variables),
                    (try? world.evaluate(term, [], over: entity)) != nil,
                    (try? world.select(term, [], over: entity)) != nil
                else { continue }
                terms.append(term)
            }
            self.terms = terms
        }

        /// Returns a tree of `count` terms.
        mutating func tree(_ count: Int, levels: Int) -> GraphPredicate {
            guard count > 1 else {
                let term = random.pick(terms)
                return random.chance(20) ? .not(term) : term
            }
            guard levels > 1 else {
                let parts = (0..<count).map { _ in tree(1, levels: 1) }
                return random.chance(50) ? .and(parts) : .or(parts)
            }
            var parts: [GraphPredicate] = []
            var rest = count
            while rest > 0 {
                let share = parts.isEmpty && levels > 20 ? rest - 1 : 1 + random.pick(rest)
                parts.append(tree(share, levels: levels - 1))
                rest -= share
            }
            let joined: GraphPredicate = random.chance(50) ? .and(parts) : .or(parts)
            return random.chance(20) ? .not(joined) : joined
        }

        func expectAgreement(_ predicate: GraphPredicate, _ comment: String) throws {
            let expected = try world.evaluate(predicate, [], over: entity)
            let found = try world.select(predicate, [], over: entity)
            #expect(found == expected, "\(comment)")
        }
    }

    @Test(
        "SQL and the evaluator agree on predicates of up to 20,000 terms and 190 levels",
        arguments: [1, 2, 17, 49, 130, 201, 500, 1_001, 4_000, 20_000])
    func sizes(count: Int) throws {
        for number in 0..<3 {
            let seed = TestSeed.ofThisRun &+ UInt64(count * 10 + number)
            var source = try Source(seed: seed, count: 60)
            for levels in [1, 2, 7, 30, 190] {
                let tree = source.tree(count, levels: levels)
                try source.expectAgreement(tree, "seed \(seed), \(count) terms, \(levels) levels")
            }
        }
    }

    @Test("SQL and the evaluator agree on 3,000 equalities of one attribute")
    func equalities() throws {
        var source = try Source(seed: TestSeed.ofThisRun, count: 10)
        for entity in source.world.schema.entities {
            for name in entity.attributes.keys.sorted() {
                let values: [GraphValue] = (0..<3_000).map { number in
                    source.random.chance(1)
                        ? .null
                        : number % 2 == 0 ? .integer(Int64(number % 50)) : .string("\(number)")
                }
                for op in [ComparisonOperator.equal, .notEqual] {
                    let parts = values.compactMap { value in
                        try? GraphPredicate.comparison(
                            GraphComparison(.keyPath([name]), op, .constant(value))
                        ).resolved(for: entity.name, in: source.world.model)
                    }
                    for tree in [GraphPredicate.and(parts), .or(parts), .not(.or(parts))] {
                        let expected = try source.world.evaluate(tree, [], over: entity)
                        let found = try source.world.select(tree, [], over: entity)
                        #expect(found == expected, "\(entity.name).\(name) \(op)")
                    }
                }
            }
        }
    }

    @Test("SQL combines many equalities into one list")
    func list() throws {
        let source = try Source(seed: 1, count: 1)
        let parts = (0..<1_000).map {
            GraphPredicate.comparison(
                GraphComparison(
                    .keyPath([ObjectNumber.explicitKey]), .equal, .constant(.integer(Int64($0)))))
        }
        var compiler = PredicateSQL(
            KeyPathSQL(source.world.schema, source.entity, style: .joins))
        let sql = try compiler.condition(.or(parts))
        #expect(sql.lists.count == 1)
        #expect(sql.sql.hasPrefix("(t.Z_PK IN (SELECT value FROM temp.ETL_LIST_"), "\(sql.sql)")
    }

    @Test("key paths can follow more relationships than SQLite can join tables")
    func relationships() throws {
        let names = (0..<70).map { "r\($0)" }
        let model = try ManagedObjectModel(
            yaml: """
                model: 1
                entities:
                  Task:
                    attributes: { n: Integer 16 }
                    relationships:
                      next: { to: Task }
                      \(names.map { "\($0): { to: Task }" }.joined(separator: "\n      "))
                """)
        let container = try PersistentContainer(model: model, .inMemory())
        let context = container.newContext()
        // A chain of 201 tasks; `next` leads to the next one, and r7 to the seventh.
        let tasks = try (0...200).map { number in
            let task = try context.insert("Task")
            try task.setValue(PropertyValue(number), forKey: "n")
            return task
        }
        for (number, task) in tasks.enumerated() {
            for (name, steps) in [("next", 1)] + names.enumerated().map({ ($1, $0) })
            where number + steps <= 200 {
                try task.setValue(.object(tasks[number + steps]), forKey: name)
            }
        }

        let wide = names.map { "\($0).n == n + \($0.dropFirst())" }
        let far = { (steps: Int) in String(repeating: "next.", count: steps) }
        let support = PredicateSupport(model)
        for isSaved in [false, true] {
            if isSaved {
                try context.save()
                context.reset()
            }
            for (format, expected) in [
                (wide.joined(separator: " AND "), Array(0...131)),
                (wide.map { "NOT \($0)" }.joined(separator: " AND "), []),
                ("\(far(33))n == 40", [7]), ("\(far(100))n < 103", [0, 1, 2]),
                ("\(far(199))next == nil AND \(far(150))n != nil", Array(1...50)),
                ("r69.\(far(60))next == nil AND n > 70 AND n < 73", [71, 72]),
            ] as [(String, [Int])] {
                let predicate = try GraphPredicate(format: format)
                try support.check(
                    predicate.resolved(for: "Task", in: model), entityName: "Task")
                let found = try context.fetch(
                    FetchRequest(entityName: "Task", predicate: predicate)
                ).map { try $0.value(forKey: "n").value(as: Int.self) }
                #expect(
                    found.compactMap(\.self).sorted() == expected, "\(isSaved) \(format.prefix(60))"
                )
            }
            let order = GraphSortDescriptor(
                (far(100) + "n").split(separator: ".").map(String.init), ascending: false)
            let sorted = try context.fetch(
                FetchRequest(
                    entityName: "Task", predicate: try GraphPredicate(format: "\(far(98))n != nil"),
                    sortDescriptors: [order, GraphSortDescriptor(["n"])])
            ).map { try $0.value(forKey: "n").value(as: Int.self) }
            #expect(sorted == Array((0...100).reversed()) + [101, 102])
        }
    }

    @Test("a compound of more values than one call takes is split into several calls")
    func manyValues() throws {
        let names = (0..<240).map { "a\($0)" }
        func compare(
            _ value: GraphExpression, _ op: ComparisonOperator, _ limit: Int64
        ) -> GraphPredicate {
            .comparison(GraphComparison(value, op, .constant(.integer(limit))))
        }
        /// Returns a predicate with the same result, in which the given one is nested deeply.
        func deep(_ inner: GraphPredicate) -> GraphPredicate {
            let yes = compare(.keyPath(["id"]), .greater, 0)
            let no = compare(.keyPath(["id"]), .less, 0)
            return .and([yes, .or([no, .and([yes, .or([no, inner])])])])
        }
        let all = GraphPredicate.and(names.map { compare(.keyPath([$0]), .greaterOrEqual, 1) })
        let any = GraphPredicate.or(names.map { compare(.keyPath([$0]), .greater, 1) })
        let sum = names.prefix(120).dropFirst().reduce(GraphExpression.keyPath(["a0"])) {
            .arithmetic(.add, $0, .keyPath([$1]))
        }
        let list = [Int64(1)] + Array(1_000..<1_300)
        let member = GraphPredicate.comparison(
            GraphComparison(
                .keyPath(["a0"]), .in, .aggregate(list.map { .constant(.integer($0)) })))
        let entities = """
            Wide:
              attributes:
                id: { type: Integer 32, optional: false }
                \(names.map { "\($0): Integer 16" }.joined(separator: "\n    "))
              unique: [[id]]
            """
        try withStore(entities) { store in
            let ones = names.map { _ in TestValue.integer(1) }
            let nils = names.map { _ in TestValue.null }
            var other = ones
            other[200] = 2
            try store.container.load(
                BulkPlan(entity: "Wide", key: ["id"], attributes: ["id"] + names),
                [[1] + ones, [2] + other, [3] + nils])
            for (predicate, expected) in [
                (all, [1, 2]), (any, [2]), (.not(all), [3]), (.not(any), [1, 3]),
                (compare(sum, .equal, 120), [1, 2]), (member, [1, 2]),
                (.and([all, any, compare(sum, .equal, 120)]), [2]),
                (.and([]), [1, 2, 3]), (.or([]), []),
            ] as [(GraphPredicate, [Int64])] {
                for predicate in [predicate, deep(predicate)] {
                    let found = try store.container.newContext().cursor(
                        RowRequest(
                            entityName: "Wide", predicate: predicate,
                            order: [GraphSortDescriptor(["id"])], fields: [["id"]])
                    ).integers()
                    #expect(found == expected, "\("\(predicate)".prefix(80))")
                }
            }
        }
    }

    @Test("checking a predicate fails for a key path that is too long")
    func longPath() throws {
        let model = try ManagedObjectModel(
            yaml: """
                model: 1
                entities:
                  Task:
                    attributes: { n: Integer 16 }
                    relationships:
                      next: { to: Task }
                      others: { to: Task, many: true }
                """)
        let support = PredicateSupport(model)
        for (format, expected) in [
            (
                String(repeating: "next.", count: 300) + "n == 1",
                "A key path has 301 keys; the most is 256"
            ),
            (
                "ANY " + String(repeating: "others.", count: 40) + "n == 1",
                "A key path leads over 32 tables up to its last to-many relationship; the most is 31"
            ),
        ] {
            let error = #expect(throws: StoreError.self) {
                try support.check(
                    try GraphPredicate(format: format).resolved(for: "Task", in: model),
                    entityName: "Task")
            }
            #expect(error?.message == expected)
        }
    }

    @Test("SQL and the evaluator agree on deeply nested expressions")
    func deepValues() throws {
        let source = try Source(seed: TestSeed.ofThisRun, count: 1)
        var sum: GraphExpression = .keyPath([ObjectNumber.explicitKey])
        var choice = sum
        for number in 0..<150 {
            sum = .arithmetic(number % 2 == 0 ? .add : .subtract, sum, .constant(.integer(3)))
            choice = .conditional(
                .comparison(
                    GraphComparison(
                        .keyPath([ObjectNumber.explicitKey]), .less,
                        .constant(.integer(Int64(number))))),
                .constant(.integer(Int64(number))), choice)
        }
        // Conditions in conditions, which took exponential time.
        var conditions = GraphExpression.keyPath([ObjectNumber.explicitKey])
        for _ in 0..<14 {
            conditions = .conditional(
                .comparison(GraphComparison(conditions, .greater, .constant(.integer(1)))),
                .arithmetic(
                    .add, .keyPath([ObjectNumber.explicitKey]), .constant(.integer(1))),
                .constant(.integer(2)))
        }
        for value in [
            sum, choice, .function("coalesce", [.constant(.null), choice]), conditions,
        ] {
            let predicate = GraphPredicate.comparison(
                GraphComparison(value, .greater, .constant(.integer(2))))
            try source.expectAgreement(predicate, "\(value)".prefix(40).description)
        }
    }
}
