import GraphModel
import GraphStore
import SQLite
import Testing

@Suite("Bulk one-to-one and polymorphic links") struct BulkOneToOneTests {
    private let entities = """
        Driver:
          attributes: { name: String }
          relationships: { car: { to: Car, inverse: driver } }
          unique: [[name]]
        Car:
          attributes: { plate: String }
          relationships: { driver: { to: Driver, inverse: car } }
          unique: [[plate]]
        Truck: { parent: Car }
        """
    private let plan = BulkPlan(
        entity: "Driver", key: ["name"], attributes: ["name"],
        links: [
            .init(relationship: "car", destination: "Car", attribute: "plate", missing: .create)
        ])
    private let drivers = "SELECT ZNAME, ZCAR, Z1_CAR, Z_OPT FROM ZDRIVER ORDER BY 1"
    private let cars = "SELECT ZPLATE, Z_ENT, ZDRIVER, Z_OPT FROM ZCAR ORDER BY 1"

    @Test func setsBothSidesWithTheDestinationsEntity() throws {
        try withStore(entities) { store in
            try store.container.load(
                BulkPlan(entity: "Truck", key: ["plate"], attributes: ["plate"]), [["t"]])
            let outcome = try store.container.load(plan, [["a", "t"], ["b", "c"], ["d", nil]])
            #expect(
                outcome.counts == "3 new, 0 changed, 0 same, 0 superseded, 0 rejected, 1 targets")
            try store.expect(drivers, ["a|1|2|1", "b|2|1|1", "d|-|-|1"])
            try store.expect(cars, ["c|1|2|1", "t|2|1|2"])
            let again = try store.container.load(plan, [["a", "t"], ["b", "c"], ["d", nil]])
            #expect(again.counts == "0 new, 0 changed, 3 same, 0 superseded, 0 rejected")
            #expect(again.changes == [StoreChange()])
        }
    }

    @Test(arguments: [1, 1000])
    func takesTheDestinationFromItsPreviousOwner(batchSize: Int) throws {
        try withStore(entities) { store in
            try store.container.load(plan, [["a", "x"], ["b", "y"]])
            let outcome = try store.container.load(
                plan, [["b", "x"], ["c", "y"]], batchSize: batchSize)
            #expect(outcome.counts == "1 new, 1 changed, 0 same, 0 superseded, 0 rejected")
            try store.expect(
                "SELECT ZNAME, ZCAR, Z1_CAR FROM ZDRIVER ORDER BY 1", ["a|-|-", "b|1|1", "c|2|1"])
            try store.expect("SELECT ZPLATE, ZDRIVER FROM ZCAR ORDER BY 1", ["x|2", "y|3"])
            #expect(
                outcome.changes[0].updated.ids.map { [$0.entityNumber, $0.primaryKey] } == [
                    [1, 1], [1, 2], [3, 1], [3, 2],
                ])
        }
    }

    @Test func clearsBothSides() throws {
        try withStore(entities) { store in
            try store.container.load(plan, [["a", "x"]])
            let outcome = try store.container.load(plan, [["a", nil]])
            #expect(outcome.counts == "0 new, 1 changed, 0 same, 0 superseded, 0 rejected")
            try store.expect(drivers, ["a|-|-|2"])
            try store.expect("SELECT ZPLATE, ZDRIVER FROM ZCAR", ["x|-"])
        }
    }

    @Test func pairsObjectsOfOneEntity() throws {
        try withStore(
            """
            Person:
              attributes: { name: String }
              relationships: { spouse: { to: Person, inverse: spouse } }
              unique: [[name]]
            """
        ) { store in
            let plan = BulkPlan(
                entity: "Person", key: ["name"], attributes: ["name"],
                links: [
                    .init(relationship: "spouse", destination: "Person", attribute: "name")
                ])
            try store.container.load(plan, [["a", nil], ["b", "a"], ["c", nil], ["d", "c"]])
            let query =
                "SELECT p.ZNAME, s.ZNAME FROM ZPERSON p LEFT JOIN ZPERSON s ON s.Z_PK = p.ZSPOUSE"
                + " ORDER BY 1"
            try store.expect(query, ["a|b", "b|a", "c|d", "d|c"])
            try store.container.load(plan, [["a", "c"]])
            try store.expect(query, ["a|c", "b|-", "c|a", "d|-"])
        }
    }

    @Test func storesTheEntityOfAPolymorphicDestination() throws {
        try withStore(
            """
            Note:
              attributes: { id: Integer 32 }
              relationships: { about: { to: Thing, inverse: notes } }
              unique: [[id]]
            Thing:
              abstract: true
              attributes: { key: String }
              relationships: { notes: { to: Note, many: true, inverse: about } }
              unique: [[key]]
            Book: { parent: Thing }
            Film: { parent: Thing }
            """
        ) { store in
            for (entity, key) in [("Book", "b"), ("Film", "f")] {
                try store.container.load(
                    BulkPlan(entity: entity, key: ["key"], attributes: ["key"]), [[.text(key)]])
            }
            func plan(_ destination: String) -> BulkPlan {
                BulkPlan(
                    entity: "Note", key: ["id"], attributes: ["id"],
                    links: [
                        .init(relationship: "about", destination: destination, attribute: "key")
                    ])
            }
            let any = try store.container.load(plan("Thing"), [[1, "b"], [2, "f"], [3, nil]])
            #expect(any.rejects == [])
            let query = "SELECT ZID, ZABOUT, Z2_ABOUT FROM ZNOTE ORDER BY 1"
            try store.expect(query, ["1|1|3", "2|2|4", "3|-|-"])
            // If the link's destination is narrower than the relationship's, only its objects are
            // found.
            let films = try store.container.load(plan("Film"), [[1, "f"], [2, "b"], [3, "f"]])
            #expect(films.rejectedCodes == ["2 link"])
            try store.expect(query, ["1|2|4", "2|2|4", "3|2|4"])
            // From the other side, the companion column holds the owner's entity.
            let notes = try store.container.load(
                BulkPlan(
                    entity: "Book", key: ["key"], attributes: ["key"],
                    links: [.init(relationship: "notes", destination: "Note", attribute: "id")]),
                [["b", [1, 3]]])
            #expect(notes.counts == "0 new, 1 changed, 0 same, 0 superseded, 0 rejected")
            try store.expect(query, ["1|1|3", "2|2|4", "3|1|3"])
        }
    }

    @Test func rejectsATargetWhoseKeyBelongsToASiblingEntity() throws {
        try withStore(
            """
            Note:
              attributes: { id: Integer 32 }
              relationships: { about: { to: Book, inverse: notes } }
              unique: [[id]]
            Thing: { abstract: true, attributes: { key: String }, unique: [[key]] }
            Book:
              parent: Thing
              relationships: { notes: { to: Note, many: true, inverse: about } }
            Film: { parent: Thing }
            """
        ) { store in
            try store.container.load(
                BulkPlan(entity: "Film", key: ["key"], attributes: ["key"]), [["f"]])
            let outcome = try store.container.load(
                BulkPlan(
                    entity: "Note", key: ["id"], attributes: ["id"],
                    links: [
                        .init(
                            relationship: "about", destination: "Book", attribute: "key",
                            missing: .create)
                    ]), [[1, "f"], [2, "b"]])
            #expect(outcome.rejectedCodes == ["1 link"])
            #expect(
                outcome.counts == "1 new, 0 changed, 0 same, 0 superseded, 1 rejected, 1 targets")
            try store.expect(
                "SELECT ZID, ZKEY FROM ZNOTE n JOIN ZTHING t ON t.Z_PK = n.ZABOUT", ["2|b"])
        }
    }
}
