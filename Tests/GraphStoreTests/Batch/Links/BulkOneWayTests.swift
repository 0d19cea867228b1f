import GraphModel
import GraphStore
import Testing

/// Relationships without an inverse, with an order at the other end, and keys that lead through
/// other objects.
@Suite("Bulk links with unusual ends") struct BulkOneWayTests {
    /// Returns `id: about marks…` of each note.
    private func notes(_ store: TestStore) throws -> [String] {
        var found: [String] = []
        let cursor = try store.container.newContext().cursor(
            RowRequest(
                entityName: "Note", order: [GraphSortDescriptor(["id"])],
                fields: [["id"], ["about", "number"], ["marks", "number"]]))
        try cursor.forEachRow { batch, row in
            let about = batch[row, 1].kind == .integer ? "\(batch[row, 1].integerValue)" : "-"
            let marks = batch.items(of: batch[row, 2]).map(\.integerValue).sorted()
            found.append("\(batch[row, 0].integerValue): \(about) \(marks)")
        }
        return found
    }

    @Test("a load sets and replaces links without an inverse", arguments: [1, 100])
    func oneWay(batchSize: Int) throws {
        try withStore(
            """
            Note:
              attributes: { id: { type: Integer 32, optional: false } }
              relationships: { about: { to: Tag }, marks: { to: Tag, many: true } }
              unique: [[id]]
            Tag: { attributes: { number: Integer 32 }, unique: [[number]] }
            """
        ) { store in
            let plan = BulkPlan(
                entity: "Note", key: ["id"], attributes: ["id"],
                links: ["about", "marks"].map {
                    .init(relationship: $0, destination: "Tag", attribute: "number")
                })
            try store.container.load(
                BulkPlan(entity: "Tag", key: ["number"], attributes: ["number"]), [[5], [6], [7]])
            let first = try store.container.load(
                plan, [[1, 5, [5, 6]], [2, nil, []], [1, 6, [7, 5]]], batchSize: batchSize)
            #expect(first.counts == "2 new, 0 changed, 0 same, 1 superseded, 0 rejected")
            #expect(try notes(store) == ["1: 6 [5, 7]", "2: - []"])
            let second = try store.container.load(
                plan, [[1, 7, [5]], [2, nil, []]], batchSize: batchSize)
            #expect(second.counts == "0 new, 1 changed, 1 same, 0 superseded, 0 rejected")
            #expect(try notes(store) == ["1: 7 [5]", "2: - []"])
        }
    }

    @Test("records set both ends of an ordered relationship", arguments: [1, 100])
    func orderedEnds(batchSize: Int) throws {
        try withStore(
            """
            Node:
              attributes: { id: { type: Integer 32, optional: false } }
              relationships:
                up: { to: Node, inverse: downs }
                downs: { to: Node, many: true, ordered: true, inverse: up }
              unique: [[id]]
            """
        ) { store in
            let plan = BulkPlan(
                entity: "Node", key: ["id"], attributes: ["id"],
                links: ["up", "downs"].map {
                    .init(relationship: $0, destination: "Node", attribute: "id")
                })
            let rows = """
                SELECT p.ZID, t.ZID FROM ZNODE t JOIN ZNODE p ON p.Z_PK = t.ZUP
                ORDER BY 1, t.Z_FOK_UP
                """
            let records: [[TestValue]] = [
                [1, nil, .absent], [3, 1, .absent], [2, 1, .absent], [4, nil, .absent],
            ]
            let first = try store.container.load(plan, records, batchSize: batchSize)
            #expect(first.counts == "4 new, 0 changed, 0 same, 0 superseded, 0 rejected")
            try store.expect(rows, ["1|3", "1|2"])
            let same = try store.container.load(plan, records, batchSize: batchSize)
            #expect(same.counts == "0 new, 0 changed, 4 same, 0 superseded, 0 rejected")
            let moved = try store.container.load(
                plan, [[3, 4, .absent]], batchSize: batchSize)
            #expect(moved.counts == "0 new, 1 changed, 0 same, 0 superseded, 0 rejected")
            try store.expect(rows, ["1|2", "4|3"])
            // The same objects from the other end.
            let turned = try store.container.load(
                plan, [[1, .absent, [3, 2]]], batchSize: batchSize)
            #expect(turned.counts == "0 new, 1 changed, 0 same, 0 superseded, 0 rejected")
            try store.expect(rows, ["1|3", "1|2"])
        }
    }

    @Test("a key without a constraint contains the relationship that other records set")
    func relationshipInKey() throws {
        try withStore(
            """
            Node:
              attributes: { id: Integer 32, name: String }
              relationships:
                up: { to: Node, inverse: downs }
                downs: { to: Node, many: true, inverse: up }
                room: { to: Room, inverse: nodes }
            Room:
              attributes: { name: String }
              relationships: { nodes: { to: Node, many: true, inverse: room } }
              unique: [[name]]
            """
        ) { store in
            try store.container.load(
                BulkPlan(entity: "Room", key: ["name"], attributes: ["name"]), [["r"], ["s"]])
            let plan = BulkPlan(
                entity: "Node", key: ["id", "room"], attributes: ["id", "name"],
                links: [
                    .init(relationship: "room", destination: "Room", attribute: "name"),
                    .init(relationship: "downs", destination: "Node", attribute: "name"),
                ])
            let records: [[TestValue]] = [
                [1, "a", "r", []], [1, "b", "s", ["a"]], [2, "c", "r", ["b"]],
            ]
            let first = try store.container.load(plan, records + [[3, "d", nil, []]])
            #expect(first.counts == "3 new, 0 changed, 0 same, 0 superseded, 1 rejected")
            #expect(
                first.rejects.map { "\($0.token) \($0.code): \($0.message)" }
                    == ["4 key: 'room' is part of the key and null here"])
            let rows = """
                SELECT n.ZNAME, r.ZNAME, u.ZNAME FROM ZNODE n JOIN ZROOM r ON r.Z_PK = n.ZROOM
                LEFT JOIN ZNODE u ON u.Z_PK = n.ZUP ORDER BY 1
                """
            try store.expect(rows, ["a|r|b", "b|s|c", "c|r|-"])
            let same = try store.container.load(plan, records)
            #expect(same.counts == "0 new, 0 changed, 3 same, 0 superseded, 0 rejected")
            try store.expect(rows, ["a|r|b", "b|s|c", "c|r|-"])
        }
    }

    @Test("a link creates its object under one that exists, or creates both")
    func createsThroughKey() throws {
        try withStore(
            """
            Track:
              attributes: { id: { type: Integer 32, optional: false } }
              relationships: { album: { to: Album, inverse: tracks } }
              unique: [[id]]
            Album:
              attributes: { title: String }
              relationships:
                tracks: { to: Track, many: true, inverse: album }
                artist: { to: Artist, inverse: albums }
            Artist:
              attributes: { name: { type: String, length: "..3" } }
              relationships: { albums: { to: Album, many: true, inverse: artist } }
              unique: [[name]]
            Band: { parent: Artist }
            """
        ) { store in
            try store.container.load(
                BulkPlan(entity: "Band", key: ["name"], attributes: ["name"]), [["X"]])
            let artist = BulkPlan.KeyPart("artist", to: "Artist", by: [BulkPlan.KeyPart("name")])
            let plan = BulkPlan(
                entity: "Track", key: ["id"], attributes: ["id"],
                links: [
                    .init(
                        relationship: "album", destination: "Album",
                        key: [BulkPlan.KeyPart("title"), artist], missing: .create)
                ])
            let outcome = try store.container.load(
                plan,
                [
                    [1, ["T", "X"]], [2, ["U", "Y"]], [3, ["T", "long"]], [4, ["T", "Y"]],
                    [5, ["T", "X"]],
                ])
            #expect(outcome.rejectedCodes == ["3 link"])
            try store.expect(
                """
                SELECT t.ZID, a.ZTITLE, r.ZNAME FROM ZTRACK t JOIN ZALBUM a ON a.Z_PK = t.ZALBUM
                JOIN ZARTIST r ON r.Z_PK = a.ZARTIST ORDER BY 1
                """, ["1|T|X", "2|U|Y", "4|T|Y", "5|T|X"])
            try store.expect("SELECT count(*) FROM ZALBUM", ["3"])
            try store.expect("SELECT ZNAME FROM ZARTIST ORDER BY 1", ["X", "Y"])
        }
    }

    /// The cursor over the join rows passes over those of an owner without a record.
    @Test("finds the links behind an owner with many")
    func skippedOwner() throws {
        try withStore(
            """
            Task:
              attributes: { id: { type: Integer 32, optional: false } }
              relationships: { tags: { to: Tag, many: true, inverse: tasks } }
              unique: [[id]]
            Tag:
              attributes: { number: Integer 32 }
              relationships: { tasks: { to: Task, many: true, inverse: tags } }
              unique: [[number]]
            """
        ) { store in
            let numbers = (1...200).map { TestValue.integer($0) }
            try store.container.load(
                BulkPlan(entity: "Tag", key: ["number"], attributes: ["number"]),
                numbers.map { [$0] })
            let plan = BulkPlan(
                entity: "Task", key: ["id"], attributes: ["id"],
                links: [.init(relationship: "tags", destination: "Tag", attribute: "number")])
            let records = (1...6).map { id -> [TestValue] in [.integer(id), .list(numbers)] }
            try store.container.load(plan, records)
            let some = Array(records[0..<3])
            let same = try store.container.load(plan, some + [records[4]])
            #expect(same.counts == "0 new, 0 changed, 4 same, 0 superseded, 0 rejected")
            let changed = try store.container.load(
                plan, some + [[5, .list(Array(numbers.dropLast()))]])
            #expect(changed.counts == "0 new, 1 changed, 3 same, 0 superseded, 0 rejected")
        }
    }

    @Test("a rejected record takes back the object of its own entity that its link created")
    func takenBack() throws {
        try withStore(
            """
            Task:
              attributes: { id: { type: Integer 32, optional: false }, slug: String }
              relationships:
                parent: { to: Task, inverse: children }
                children: { to: Task, many: true, inverse: parent }
              unique: [[id], [slug]]
            """
        ) { store in
            let plan = BulkPlan(
                entity: "Task", key: ["id"], attributes: ["id", "slug"],
                links: [
                    .init(
                        relationship: "parent", destination: "Task", attribute: "id",
                        missing: .create)
                ])
            let outcome = try store.container.load(
                plan, [[1, "s", nil], [2, "s", 9], [3, "u", 8], [4, "s", 8]])
            #expect(outcome.rejectedCodes == ["2 unique", "4 unique"])
            #expect(outcome.tally.inserted == 2)
            #expect(outcome.tally.createdTargets == 1)
            try store.expect(
                "SELECT t.ZID, p.ZID FROM ZTASK t LEFT JOIN ZTASK p ON p.Z_PK = t.ZPARENT ORDER BY 1",
                ["1|-", "3|8", "8|-"])
            let again = try store.container.load(plan, [[9, "v", 1]])
            #expect(again.counts == "1 new, 0 changed, 0 same, 0 superseded, 0 rejected")
        }
    }
}
