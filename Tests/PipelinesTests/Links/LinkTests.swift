import FoundationEssentials
import Testing

@testable import Pipelines

/// Links that fill relationships, by every policy and from every format.
@Suite("Links")
struct LinkTests {
    static let model = """
        model: 1
        entities:
          Task:
            attributes: { id: { type: String, optional: false } }
            relationships:
              owner: { to: Person, inverse: tasks }
              parent: { to: Task, inverse: children }
              children: { to: Task, many: true, inverse: parent }
              tags: { to: Tag, many: true, inverse: tasks }
            unique: [[id]]
          Person:
            attributes: { email: { type: String, optional: false } }
            relationships: { tasks: { to: Task, many: true, inverse: owner } }
            unique: [[email]]
          Tag:
            attributes: { name: { type: String, optional: false } }
            relationships: { tasks: { to: Task, many: true, inverse: tags } }
            unique: [[name]]
        """
    static let people = "- { import: people.ndjson, into: Person }"

    /// Returns each task with its owner and tags.
    static func graph(_ folder: Workspace) throws -> [String] {
        let join = try folder.rows(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_[0-9]*'")[0]
        let columns = try folder.rows("SELECT name FROM pragma_table_info('\(join)') ORDER BY cid")
        let tag = columns.first { $0.contains("TAG") } ?? ""
        let task = columns.first { $0.contains("TASK") } ?? ""
        return try folder.rows(
            """
            SELECT t.ZID, coalesce(p.ZEMAIL, '-'), coalesce(u.ZID, '-'), coalesce((
                SELECT group_concat(ZNAME) FROM (
                    SELECT g.ZNAME FROM ZTAG g JOIN \(join) j ON j.\(tag) = g.Z_PK
                    WHERE j.\(task) = t.Z_PK ORDER BY g.ZNAME)), '-')
            FROM ZTASK t LEFT JOIN ZPERSON p ON p.Z_PK = t.ZOWNER
            LEFT JOIN ZTASK u ON u.Z_PK = t.ZPARENT ORDER BY t.ZID
            """)
    }

    @Test("links chains and cycles by an attribute that is not the key, in any order")
    func byAnotherAttribute() throws {
        let folder = try Workspace()
        try folder.write(
            "pages.ndjson",
            """
            {"id":"1","slug":"s1","parent":"s4"}
            {"id":"2","slug":"s2","parent":"s1"}
            {"id":"3","slug":"s3","parent":"s2"}
            {"id":"4","slug":"s4","parent":null}
            {"id":"5","slug":"s5","parent":"s6"}
            {"id":"6","slug":"s6","parent":"s5"}
            """)
        let run = try folder.run(
            model: """
                model: 1
                entities:
                  Page:
                    attributes: { id: { type: String, optional: false }, slug: String }
                    relationships:
                      parent: { to: Page, inverse: children }
                      children: { to: Page, many: true, inverse: parent }
                    unique: [[id], [slug]]
                """,
            """
            - import: pages.ndjson
              into: Page
              key: id
              link: { parent: { by: { slug: parent } } }
            """)
        #expect(run.text == "")
        #expect(run.lines.last == "import import-pages: 6 read, 6 inserted")
        #expect(
            try folder.rows(
                "SELECT a.ZID, b.ZID FROM ZPAGE a JOIN ZPAGE b ON b.Z_PK = a.ZPARENT ORDER BY 1")
                == ["1|4", "2|1", "3|2", "5|6", "6|5"])
    }

    @Test(
        "applies the policy for a link key that no object has",
        arguments: ["create", "null", "reject"])
    func missing(_ policy: String) throws {
        let folder = try Workspace()
        try folder.write("people.ndjson", #"{"email":"ann"}"#)
        try folder.write(
            "tasks.ndjson",
            """
            {"id":"1","owner":{"email":"ann"}}
            {"id":"2","owner":{"email":"bob"}}
            {"id":"3","owner":{"email":null}}
            {"id":"4","owner":{"email":""}}
            {"id":"5"}
            """)
        let run = try folder.run(
            model: Self.model,
            """
            \(Self.people)
            - import: tasks.ndjson
              into: Task
              link: { owner: { by: { email: owner.email }, missing: \(policy) } }
            """, top: "rejects: { allow: 1 }")
        #expect(run.text == "")
        let second = ["create": ["2|bob|-|-"], "null": ["2|-|-|-"], "reject": []][policy] ?? []
        #expect(
            try Self.graph(folder) == ["1|ann|-|-"] + second + ["3|-|-|-", "4|-|-|-", "5|-|-|-"])
        let end = [
            "create": "5 inserted, 1 link target created",
            "null": "5 inserted, 1 link without an object",
            "reject": "4 inserted, 1 rejected",
        ]
        #expect(run.lines.last == "import import-tasks: 5 read, \(end[policy] ?? "")")
        if policy == "reject" {
            #expect(
                try folder.rejects()["import-tasks.tasks.ndjson"]
                    == "{\"id\":\"2\",\"owner\":{\"email\":\"bob\"}}\n")
            #expect(
                try folder.reasons()
                    == ["link owner.email: No Person has email 'bob' (for 'owner')"])
        }
    }

    @Test("null clears a link, and an absent field leaves it unchanged")
    func unlinking() throws {
        let folder = try Workspace()
        try folder.write("people.ndjson", #"{"email":"ann"}"#)
        try folder.write(
            "tasks.ndjson",
            #"{"id":"1","o":"ann","t":["a","b"]}"# + "\n" + #"{"id":"2","o":"ann","t":["a"]}"#)
        let stages = """
            \(Self.people)
            - import: tasks.ndjson
              into: Task
              link:
                owner: { by: { email: o } }
                tags: { by: { name: "t[*]" }, missing: create }
            """
        _ = try folder.run(model: Self.model, stages)
        #expect(try Self.graph(folder) == ["1|ann|-|a,b", "2|ann|-|a"])
        try folder.write(
            "tasks.ndjson", #"{"id":"1"}"# + "\n" + #"{"id":"2","o":null,"t":[]}"#)
        let run = try folder.run(model: Self.model, stages)
        #expect(run.text == "")
        #expect(run.lines.last == "import import-tasks: 2 read, 1 updated, 1 unchanged")
        #expect(try Self.graph(folder) == ["1|ann|-|a,b", "2|-|-|-"])
    }

    @Test("to-many links are replaced, added, or removed", arguments: ["replace", "add", "remove"])
    func many(_ policy: String) throws {
        let folder = try Workspace()
        func stages(_ many: String) -> String {
            """
            - import: tasks.ndjson
              into: Task
              link: { tags: { by: { name: "t[*]" }, missing: create, many: \(many) } }
            """
        }
        try folder.write("tasks.ndjson", #"{"id":"1","t":["a","b"]}"#)
        _ = try folder.run(model: Self.model, stages("replace"))
        try folder.write("tasks.ndjson", #"{"id":"1","t":["b","c","b"]}"#)
        let run = try folder.run(model: Self.model, stages(policy))
        #expect(run.text == "")
        let expected = ["replace": "b,c", "add": "a,b,c", "remove": "a"][policy] ?? ""
        #expect(try Self.graph(folder) == ["1|-|-|\(expected)"])
    }

    @Test("add keeps the links of all records with the same key")
    func addOverDuplicates() throws {
        let folder = try Workspace()
        try folder.write(
            "tasks.csv", "id,tag\n1,a\n2,x\n1,b\n1,a\n")
        let run = try folder.run(
            model: Self.model,
            """
            - import: tasks.csv
              into: Task
              link: { tags: { by: { name: tag }, missing: create, many: add } }
            """)
        #expect(
            run.lines == [
                "import import-tasks: 4 read, 2 inserted, 2 superseded, 3 link targets created"
            ])
        #expect(try Self.graph(folder) == ["1|-|-|a,b", "2|-|-|x"])
    }

    @Test("splits the text of a table into link keys")
    func splitKeys() throws {
        let folder = try Workspace()
        try folder.write("tasks.csv", "id,tags\n1,a|b||a\n2,\n3,\"\"\n4,c\n")
        let run = try folder.run(
            model: Self.model,
            """
            - import: tasks.csv
              into: Task
              link: { tags: { by: { name: { from: tags, split: "|" } }, missing: create } }
            """)
        #expect(run.text == "")
        #expect(try Self.graph(folder) == ["1|-|-|a,b", "2|-|-|-", "3|-|-|-", "4|-|-|c"])
    }

    @Test("resolves references to later records of the file", arguments: [1, 2, 1000])
    func forward(_ saveEvery: Int) throws {
        let folder = try Workspace()
        try folder.write(
            "doc.json",
            """
            {"data": {"items": [
              {"id": "1", "up": "3"}, {"id": "2", "up": "2"}, {"id": "3", "up": "1"},
              {"id": "4", "up": "9"}, {"id": "5", "up": null}
            ]}, "more": [1]}
            """)
        let run = try folder.run(
            model: Self.model,
            """
            - import: tasks
              read: { files: doc.json, at: "$.data.items[*]" }
              into: Task
              link: { parent: { by: { id: up } } }
            """,
            top: """
                budget: { save-every: \(saveEvery) }
                rejects: { allow: 1 }
                """)
        #expect(run.text == "")
        #expect(run.lines == ["import tasks: 5 read, 4 inserted, 1 rejected"])
        #expect(try Self.graph(folder) == ["1|-|3|-", "2|-|2|-", "3|-|1|-", "5|-|-|-"])
        #expect(try folder.rejects()["tasks.doc.json"] == "[\n{\"id\": \"4\", \"up\": \"9\"}\n]\n")
    }

    @Test("the reason for a nested value as a key suggests the path to its items")
    func nestedValue() throws {
        let folder = try Workspace()
        try folder.write("tasks.ndjson", #"{"id":"1","t":["a"]}"#)
        _ = try folder.run(
            model: Self.model,
            """
            - import: tasks.ndjson
              into: Task
              link: { tags: { by: { name: t }, missing: create } }
            """, top: "rejects: { allow: 1 }")
        #expect(
            try folder.reasons()
                == ["cast t: 't' is a nested value; name its items, as in 't[*]'"])
    }

    @Test("the reason of a failed link names the value and its position")
    func reasonsOfLinks() throws {
        let folder = try Workspace()
        try folder.write(
            "tasks.ndjson",
            """
            {"id":"1","owner":{"email":"bob"}}
            {"id":"2","tags":["a","b"]}
            {"id":"3","parent":"9"}

            """)
        _ = try folder.run(
            model: Self.model,
            """
            - import: tasks.ndjson
              into: Task
              link:
                owner: { by: { email: owner.email } }
                tags: { by: { name: "tags[*]" } }
                parent: { by: { id: parent } }
            """, top: "rejects: { allow: 3 }")
        #expect(
            try folder.rejects()["import-tasks.tasks.ndjson.why.ndjson"] == """
                {"byte":28,"code":"link","column":29,"detail":"link","field":"owner.email",\
                "file":"tasks.ndjson","line":1,"message":"No Person has email 'bob' (for 'owner')",\
                "others":[],"record":1,"run":"RUN","value":"bob"}
                {"byte":54,"code":"link","column":20,"detail":"link","field":"tags[*]",\
                "file":"tasks.ndjson","line":2,"message":"No Tag has name 'a' (for 'tags')",\
                "others":[{"code":"link","field":"tags[*]",\
                "message":"No Tag has name 'b' (for 'tags')","value":"b"}],"record":2,"run":"RUN","value":"a"}
                {"byte":83,"code":"link","column":21,"detail":"link","field":"parent",\
                "file":"tasks.ndjson","line":3,"message":"No Task has id '9'",\
                "others":[],"record":3,"run":"RUN","value":"9"}

                """)
    }

    @Test("the reasons of failed links in a table have the column of the field")
    func columnsOfLinks() throws {
        let folder = try Workspace()
        let model = """
            model: 1
            entities:
              Task:
                attributes: { id: { type: String, optional: false } }
                relationships:
                  parent: { to: Task, inverse: children }
                  children: { to: Task, many: true, inverse: parent }
                  room: { to: Room, inverse: tasks }
                unique: [[id]]
              Room:
                attributes: { house: String, number: Integer 32 }
                relationships: { tasks: { to: Task, many: true, inverse: room } }
                unique: [[house, number]]
            """
        try folder.write("rooms.csv", "house,number\nA,1\n")
        try folder.write("tasks.csv", "id,up,house,number\n1,2,A,1\n2,9,A,1\n3,,A,x\n4,,A,7\n")
        _ = try folder.run(
            model: model,
            """
            - { import: rooms.csv, into: Room }
            - import: tasks.csv
              into: Task
              link:
                parent: { by: { id: up } }
                room: { by: { house: house, number: number } }
            """, top: "rejects: { allow: 4 }")
        let reasons = try folder.rejects()["import-tasks.tasks.csv.why.ndjson"] ?? ""
        struct Reason: Decodable {
            var line, byte, column: Int
            var field, value: String
        }
        let shown = try reasons.split(separator: "\n").map { line in
            let reason = try JSONDecoder().decode(Reason.self, from: Data(line.utf8))
            return "\(reason.line):\(reason.column) byte \(reason.byte) \(reason.field) "
                + reason.value
        }
        #expect(
            shown.sorted() == [
                "2:3 byte 21 up 2", "3:3 byte 29 up 9", "4:6 byte 40 number x",
                "5:4 byte 45 house A, 7",
            ], "\(reasons)")
    }

    @Test("a link from the unordered side is appended to the order of the other side")
    func backOrder() throws {
        let folder = try Workspace()
        let model = """
            model: 1
            entities:
              Song:
                attributes: { title: String }
                relationships: { lists: { to: Playlist, many: true, inverse: songs } }
                unique: [[title]]
              Playlist:
                attributes: { name: String }
                relationships: { songs: { to: Song, many: true, ordered: true, inverse: lists } }
                unique: [[name]]
            """
        func run(_ stage: String) throws -> [String] {
            let run = try folder.run(model: model, stage)
            #expect(run.text == "")
            return run.lines
        }
        try folder.write("lists.ndjson", #"{"name":"p","songs":["b","a"]}"# + "\n")
        try folder.write(
            "songs.ndjson",
            #"{"title":"d","lists":["p","q"]}"# + "\n" + #"{"title":"c","lists":["p"]}"# + "\n"
                + #"{"title":"a","lists":["p","q"]}"# + "\n")
        _ = try run(
            "- { import: lists.ndjson, into: Playlist, link: { songs: { by: { title: \"songs[*]\" },"
                + " missing: create } } }")
        let songs =
            "- { import: songs.ndjson, into: Song, link: { lists: { by: { name: \"lists[*]\" },"
            + " missing: create } } }"
        _ = try run(songs)
        let table = try folder.rows(
            "SELECT name FROM sqlite_master WHERE name GLOB 'Z_[0-9]*' AND type = 'table'")[0]
        let columns = try folder.rows("SELECT name FROM pragma_table_info('\(table)')")
        let list = try #require(columns.first { $0.hasSuffix("LISTS") })
        let song = try #require(columns.first { $0.hasSuffix("SONGS") && !$0.contains("FOK") })
        let order = try #require(columns.first { $0.contains("FOK") })
        let rows =
            "SELECT p.ZNAME, s.ZTITLE, j.\(order) FROM \(table) j JOIN ZPLAYLIST p"
            + " ON p.Z_PK = j.\(list) JOIN ZSONG s ON s.Z_PK = j.\(song) ORDER BY 1, 3"
        let expected = [
            "p|b|1024", "p|a|2048", "p|d|3072", "p|c|4096", "q|d|1024", "q|a|2048",
        ]
        #expect(try folder.rows(rows) == expected)
        #expect(try run(songs) == ["import import-songs: 3 read, 3 unchanged"])
        #expect(try folder.rows(rows) == expected)
    }
}
