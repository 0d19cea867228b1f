import GraphModel
import SQLite
import Testing

@testable import GraphStore

/// Updates that a constraint, a rule, or another program's trigger forbids, and to-one values of
/// unusual relationships.
@Suite("Batch updates of unusual stores") struct BatchUpdateFaultTests {
    private func update(
        _ entity: String, _ set: [String: String], variables: [String: GraphValue] = [:]
    ) throws -> BatchUpdateRequest {
        BatchUpdateRequest(
            entityName: entity, predicate: nil,
            propertiesToUpdate: try set.mapValues { try GraphExpression(format: $0) },
            variables: variables)
    }

    /// Runs an update that fails, and checks that it changes nothing.
    private func failure(
        of request: BatchUpdateRequest, in store: TestStore, table: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> StoreError? {
        let rows = "SELECT * FROM \(table) ORDER BY Z_PK"
        let before = try store.lines(rows)
        let context = store.container.newContext()
        let error = storeError { _ = try context.write(request) }
        #expect(!context.hasChanges, sourceLocation: sourceLocation)
        try store.expect(rows, before, sourceLocation: sourceLocation)
        return error
    }

    @Test(
        "names the values that objects would share",
        arguments: [
            ("Boolean", "YES", "true"), ("Boolean", "NO", "false"), ("Double", "2.5", "2.5"),
            ("Integer 16", "3", "3"), ("String", "'s'", "'s'"),
        ])
    func sharedValue(type: String, value: String, text: String) throws {
        try withStore("Item: { attributes: { id: Integer 16, v: \(type) }, unique: [[v]] }") {
            store in
            try store.container.load(
                BulkPlan(entity: "Item", key: [], attributes: ["id"]).appending, [[1], [2], [3]])
            let error = try failure(of: update("Item", ["v": value]), in: store, table: "ZITEM")
            #expect(error?.code == .unique)
            #expect(
                error?.message
                    == "'Item.v' must be unique, and 3 objects would have \(text)")
        }
    }

    @Test("names the values of a constraint over several attributes, also of a sub-entity")
    func sharedPair() throws {
        try withStore(
            """
            Item: { attributes: { a: Integer 16, b: Integer 16 } }
            Special: { parent: Item, attributes: { c: Integer 16 }, unique: [[a, c]] }
            """
        ) { store in
            try store.container.load(
                BulkPlan(entity: "Special", key: [], attributes: ["a", "c"]).appending,
                [[1, 7], [2, 7], [3, 8]])
            let error = try failure(of: update("Item", ["a": "5"]), in: store, table: "ZITEM")
            #expect(error?.code == .unique)
            #expect(
                error?.message
                    == "[a, c] of 'Item' must be unique, and 2 objects would have (5, 7)")
        }
    }

    @Test("names the values and the relationship of a constraint, whichever the update sets")
    func sharedRelationship() throws {
        try withStore(
            """
            Artist:
              attributes: { name: String }
              relationships: { albums: { to: Album, many: true, inverse: artist } }
              unique: [[name]]
            Album:
              attributes: { title: String }
              relationships: { artist: { to: Artist, inverse: albums } }
              unique: [[title, artist]]
            """
        ) { store in
            try store.container.load(
                BulkPlan(entity: "Artist", key: ["name"], attributes: ["name"]), [["A"], ["B"]])
            try store.container.load(
                BulkPlan(
                    entity: "Album", key: [], attributes: ["title"],
                    links: [.init(relationship: "artist", destination: "Artist", attribute: "name")]
                ).appending,
                [["s", "A"], ["t", "A"], ["t", "B"]])
            let titles = try failure(
                of: update("Album", ["title": "'x'"]), in: store, table: "ZALBUM")
            #expect(titles?.code == .unique)
            #expect(
                titles?.message
                    == "[title, artist] of 'Album' must be unique, and 2 objects would have "
                    + "('x', primary key 1)")
            let artist = ManagedObjectID(entityNumber: 2, primaryKey: 2)
            let artists = try failure(
                of: update("Album", ["artist": "$b"], variables: ["b": .object(artist)]),
                in: store, table: "ZALBUM")
            #expect(artists?.code == .unique)
            #expect(
                artists?.message
                    == "[title, artist] of 'Album' must be unique, and 2 objects would have "
                    + "('t', primary key 2)")
        }
    }

    @Test(
        "fails if a constraint or a trigger of another program forbids the update",
        arguments: [
            (
                "CREATE UNIQUE INDEX other ON ZITEM (ZA)",
                "UNIQUE constraint failed: ZITEM.ZA"
            ),
            (
                """
                CREATE TRIGGER other BEFORE UPDATE ON ZITEM
                BEGIN SELECT RAISE(ABORT, 'not on Mondays'); END
                """, "not on Mondays"
            ),
        ])
    func otherProgram(sql: String, message: String) throws {
        try withStore("Item: { attributes: { a: Integer 16 } }") { store in
            try store.container.load(
                BulkPlan(entity: "Item", key: [], attributes: ["a"]).appending, [[1], [2]])
            try store.foreign().execute(sql)
            let error = try failure(of: update("Item", ["a": "5"]), in: store, table: "ZITEM")
            #expect(error?.message.contains(message) == true, "\(String(describing: error))")
        }
    }

    private let notes = """
        Note:
          attributes: { id: Integer 32 }
          relationships:
            about: { to: Thing }
            owner: { to: Owner, inverse: notes, optional: false }
          unique: [[id]]
        Owner:
          attributes: { name: String }
          relationships: { notes: { to: Note, many: true, inverse: owner } }
          unique: [[name]]
        Thing: { attributes: { key: String }, unique: [[key]] }
        Film: { parent: Thing }
        """

    /// Creates two notes of one owner, and the things 1 and 2, of which 2 is a film.
    private func fill(_ store: TestStore) throws {
        for (entity, key, value) in [
            ("Owner", "name", "o"), ("Thing", "key", "t"), ("Film", "key", "f"),
        ] {
            try store.container.load(
                BulkPlan(entity: entity, key: [key], attributes: [key]), [[.text(value)]])
        }
        try store.container.load(
            BulkPlan(
                entity: "Note", key: ["id"], attributes: ["id"],
                links: [.init(relationship: "owner", destination: "Owner", attribute: "name")]),
            [[1, "o"], [2, "o"]])
    }

    @Test("sets and clears a relationship without an inverse, whose objects have several entities")
    func oneWay() throws {
        try withStore(notes) { store in
            try fill(store)
            let film = ManagedObjectID(entityNumber: 4, primaryKey: 2)
            let rows = "SELECT ZID, ZABOUT, Z3_ABOUT, Z_OPT FROM ZNOTE ORDER BY 1"
            for (value, expected) in [
                ("$film", ["1|2|4|2", "2|2|4|2"]), ("$film", ["1|2|4|2", "2|2|4|2"]),
                ("nil", ["1|-|-|3", "2|-|-|3"]),
            ] {
                let context = store.container.newContext()
                let result = try context.write(
                    update("Note", ["about": value], variables: ["film": .object(film)]))
                #expect(result.matched == 2)
                try context.save()
                try store.expect(rows, expected)
            }
        }
    }

    @Test("does not clear a required relationship")
    func requiredToOne() throws {
        try withStore(notes) { store in
            try fill(store)
            let error = try failure(
                of: update("Note", ["owner": "nil"]), in: store, table: "ZNOTE")
            #expect(error?.code == .validation)
            #expect(error?.message == "'owner' is required and cannot be set to nil")
        }
    }

    @Test("an insert takes literals of all kinds")
    func literals() throws {
        try withStore(
            "Item: { attributes: { name: String, rate: Double, done: Boolean, a: Integer 16 } }"
        ) { store in
            let context = store.container.newContext()
            let result = try context.write(
                BatchInsertRequest(
                    entityName: "Item",
                    objects: [
                        ["name": "x", "rate": 2.5, "done": true, "a": 7],
                        ["name": nil, "rate": -0.5, "done": false, "a": nil],
                    ]))
            #expect((result.inserted, result.rejected) == (2, 0))
            try context.save()
            try store.expect(
                "SELECT ZNAME, ZRATE, ZDONE, ZA FROM ZITEM ORDER BY Z_PK",
                ["x|2.5|1|7", "-|-0.5|0|-"])
        }
    }
}

extension BulkPlan {
    /// The plan for records that are all new objects.
    fileprivate var appending: BulkPlan {
        var plan = self
        plan.found = .append
        return plan
    }
}
