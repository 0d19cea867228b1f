import GraphModel
import SQLite
import Testing

@testable import GraphStore
@testable import RowStore

/// Ordered to-manys in which no position is left after the last object.
@Suite("Positions in an order") struct OrderPositionTests {
    private static let entities = """
        Board:
          attributes: { name: String }
          relationships: { cards: { to: Card, many: true, ordered: true, inverse: board } }
          unique: [[name]]
        Card:
          attributes: { name: String }
          relationships: { board: { to: Board, inverse: cards } }
          unique: [[name]]
        Team:
          attributes: { name: String }
          relationships: { players: { to: Player, many: true, ordered: true, inverse: teams } }
          unique: [[name]]
        Player:
          attributes: { name: String }
          relationships: { teams: { to: Team, many: true, ordered: true, inverse: players } }
          unique: [[name]]
        """

    /// A way to append to an order.
    struct Way: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var entity: String
        var list: String
        /// The names of the objects in the order, before and after.
        var before: [String]
        var after: [String]
        var run: @Sendable (TestStore) throws -> Void
    }

    private static func plan(
        _ entity: String, _ relationship: String, _ destination: String,
        _ many: BulkPlan.ManyPolicy = .add
    ) -> BulkPlan {
        BulkPlan(
            entity: entity, key: ["name"], attributes: ["name"],
            links: [
                .init(
                    relationship: relationship, destination: destination, attribute: "name",
                    many: many)
            ])
    }

    private static func object(
        _ entity: String, _ name: String, in context: ManagedObjectContext
    ) throws -> ManagedObject {
        var request = FetchRequest<ManagedObject>(entityName: entity)
        request.predicate = try GraphPredicate(format: "name == '\(name)'")
        return try #require(try context.fetch(request).first)
    }

    private static func board(
        _ name: String, _ after: [String], _ run: @escaping @Sendable (TestStore) throws -> Void
    ) -> Way {
        Way(
            testDescription: name, entity: "Board", list: "cards", before: ["a", "b"], after: after,
            run: run)
    }

    private static func team(
        _ name: String, _ after: [String], _ run: @escaping @Sendable (TestStore) throws -> Void
    ) -> Way {
        Way(
            testDescription: name, entity: "Team", list: "players", before: ["a", "b"],
            after: after, run: run)
    }

    private static let lastPositions: [Int64] = [.max, .max - 1, .max - 1024, .max - 1500]
    private static let ways: [Way] = [
        board("records of new objects", ["a", "b", "e", "f"]) { store in
            try store.container.load(plan("Card", "board", "Board"), [["e", "B"], ["f", "B"]])
        },
        board("records of objects", ["a", "b", "c", "d"]) { store in
            try store.container.load(plan("Card", "board", "Board"), [["c", "B"], ["d", "B"]])
        },
        board("records of the owner", ["a", "b", "c", "d"]) { store in
            try store.container.load(
                plan("Board", "cards", "Card"), [["B", ["c"]], ["B", ["a", "d"]]])
        },
        board("a batch update", ["a", "b", "c", "d"]) { store in
            let context = store.context()
            _ = try context.execute(
                BatchUpdateRequest(
                    entityName: "Card", predicate: GraphPredicate(format: "name IN {'c', 'd'}"),
                    propertiesToUpdate: [
                        "board": .constant(.object(object("Board", "B", in: context).objectID))
                    ]))
        },
        board("objects, added to a fault", ["a", "b", "c", "d"]) { store in
            let context = store.context()
            for name in ["c", "d"] {
                try object("Card", name, in: context)[.toOne("board")] = object(
                    "Board", "B", in: context)
            }
            try context.save()
        },
        board("objects, added to a list", ["a", "b", "c", "d"]) { store in
            let context = store.context()
            let board = try object("Board", "B", in: context)
            board[.toMany("cards")] = try ["a", "b", "c", "d"].map {
                try object("Card", $0, in: context)
            }
            try context.save()
        },
        board("objects in another order", ["c", "b", "a"]) { store in
            let context = store.context()
            let board = try object("Board", "B", in: context)
            board[.toMany("cards")] = try ["c", "b", "a"].map {
                try object("Card", $0, in: context)
            }
            try context.save()
        },
        team("join rows of the owner", ["a", "b", "c", "d"]) { store in
            try store.container.load(
                plan("Team", "players", "Player"), [["B", ["c"]], ["B", ["a", "d"]]])
        },
        team("join rows of the inverse end", ["a", "b", "c", "e"]) { store in
            try store.container.load(
                plan("Player", "teams", "Team"), [["c", ["B"]], ["e", ["B"]]])
        },
        team("join rows of objects", ["a", "b", "c"]) { store in
            let context = store.context()
            try object("Team", "B", in: context).add(
                object("Player", "c", in: context), to: .toMany("players"))
            try context.save()
        },
    ]

    @Test(
        "every path appends after the largest position",
        arguments: ways, lastPositions)
    func appends(_ way: Way, _ last: Int64) throws {
        let store = try Self.filledStore(last: last)
        #expect(try Self.names(way, store) == way.before)
        try way.run(store)
        #expect(try Self.names(way, store) == way.after)
        if way.entity == "Team" {
            let context = store.context()
            let player = try Self.object("Player", "c", in: context)
            let teams = player[.toMany("teams")].map { $0[.string("name")] ?? "?" }
            #expect(teams == (way.after.contains("c") ? ["A", "B"] : ["A"]))
            withExtendedLifetime(context) {}
        }
        #expect(
            try PersistentContainer.verify(at: store.path, .full).findings.map(\.description) == [])
        try store.checkIntegrity()
    }

    @Test("positions of a damaged store are accepted in any distance")
    func distances() throws {
        let store = try Self.filledStore(last: .max)
        try store.foreign().execute(
            "UPDATE ZCARD SET Z_FOK_BOARD = \(Int64.min) WHERE ZNAME = 'a'")
        let context = store.context()
        let board = try Self.object("Board", "B", in: context)
        board[.toMany("cards")] = try ["b", "c", "a", "d"].map {
            try Self.object("Card", $0, in: context)
        }
        try context.save()
        #expect(
            try store.lines("SELECT ZNAME FROM ZCARD ORDER BY Z_FOK_BOARD") == ["b", "c", "a", "d"])
        try store.checkIntegrity()
    }

    @Test("a row with the largest primary key is updated")
    func largestKey() throws {
        let store = try Self.filledStore(last: 2048)
        try store.foreign().execute(
            """
            UPDATE ZCARD SET Z_PK = \(Int64.max) WHERE ZNAME = 'd';
            UPDATE Z_PRIMARYKEY SET Z_MAX = \(Int64.max) WHERE Z_NAME = 'Card';
            """)
        for _ in 1...2 {
            try store.container.load(
                Self.plan("Card", "board", "Board"), [["a", "B"], ["d", "B"], ["d", "B"]])
        }
        try store.expect("SELECT ZNAME FROM ZCARD WHERE ZBOARD = 1 ORDER BY 1", ["a", "b", "d"])
        try store.checkIntegrity()
    }

    private static func filledStore(last: Int64) throws -> TestStore {
        let store = try TestStore(entities)
        let context = store.context()
        func insert(_ entity: String, _ name: String) throws -> ManagedObject {
            let object = try context.insert(entity)
            object[.string("name")] = name
            return object
        }
        let cards = try ["a", "b", "c", "d"].map { try insert("Card", $0) }
        let players = try ["a", "b", "c", "d", "e"].map { try insert("Player", $0) }
        try insert("Board", "B")[.toMany("cards")] = Array(cards[..<2])
        try insert("Team", "A")[.toMany("players")] = Array(players[2...])
        try context.save()
        try insert("Team", "B")[.toMany("players")] = Array(players[..<2])
        try context.save()
        let foreign = try store.foreign()
        try foreign.execute("UPDATE ZCARD SET Z_FOK_BOARD = \(last) WHERE ZNAME = 'b'")
        guard
            case .joinTable(let join)? = store.container.schema.entity(named: "Team")?
                .toManys["players"], let order = join.orderColumn, let back = join.backOrderColumn
        else { return store }
        try foreign.execute("UPDATE \(join.table) SET \(order) = \(last) WHERE \(order) = 2048")
        // Each player is in one team.
        try foreign.execute("UPDATE \(join.table) SET \(back) = \(last)")
        return store
    }

    /// Returns the names in the order of the object `B`, as the store has them.
    private static func names(_ way: Way, _ store: TestStore) throws -> [String] {
        let context = store.context()
        defer { withExtendedLifetime(context) {} }
        let owner = try object(way.entity, "B", in: context)
        return owner[.toMany(way.list)].map { $0[.string("name")] ?? "?" }
    }
}
