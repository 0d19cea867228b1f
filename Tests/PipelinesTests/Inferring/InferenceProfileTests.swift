import Diagnostics
import Foundation
import GraphModel
import RecordStreams
import Testing

@testable import Pipelines

/// Keys of several fields, references by value, and the formats of tables.
@Suite("Inference from values") struct InferenceProfileTests {
    /// Returns the counts of each import of a run.
    private func counts(_ found: InferenceCase) throws -> [String] {
        let run = try found.workspace.run(found.inference.spec(modelFile: nil))
        #expect(run.status == .ok, "\(run.text)")
        return run.lines
    }

    @Test("two fields that are unique together become the key, so a second run changes nothing")
    func composite() throws {
        let workspace = try Workspace()
        let rows = (1...20).flatMap { station in
            (1...20).map { "S\(station),2024-01-\($0 + 10),\((station * $0) % 7)\n" }
        }
        try workspace.write("readings.csv", "station,day,value\n" + rows.joined())
        let found = try InferenceCase(workspace, ["readings.csv"])
        #expect(
            found.spec.contains(
                "    unique: [[station, day]]  # guessed: together unique in 400 records\n"),
            "\(found.spec.prefix(1200))")
        #expect(try counts(found) == ["import readings: 400 read, 400 inserted"])
        #expect(try counts(found) == ["import readings: 400 read, 400 unchanged"])
    }

    @Test("a field becomes the key if it is unique in each of several daily files")
    func days() throws {
        let workspace = try Workspace()
        try workspace.write("in/tasks-2024-05-01.csv", "id,state\n1,open\n2,open\n")
        try workspace.write("in/tasks-2024-05-02.csv", "id,state\n1,done\n2,open\n")
        let found = try InferenceCase(
            workspace, ["in/tasks-2024-05-01.csv", "in/tasks-2024-05-02.csv"])
        #expect(
            found.spec.contains(
                "    unique: [[id]]  # guessed: unique in each of 2 files; a later one updates\n"))
        #expect(found.spec.contains("      files: \"in/tasks-*.csv\"\n"), "\(found.spec)")
        #expect(
            try found.imported(["Tasks": ""])["Tasks"] as NSArray?
                == [["id": 1, "state": "done"], ["id": 2, "state": "open"]] as NSArray)
    }

    @Test("infers references to keys from the values, with the field names as a hint")
    func references() throws {
        let workspace = try Workspace()
        try workspace.write("shippers.csv", "shipper_id,name\n1,a\n2,b\n3,c\n")
        try workspace.write("employees.csv", "employee_id,name\n1,x\n2,y\n3,z\n")
        try workspace.write("codes.csv", "code,text\nAA,x\nBB,y\nCC,z\n")
        try workspace.write(
            "orders.csv",
            "order_id,ship_via,sales_rep_id,quantity,kind\n10,1,2,1,AA\n11,2,3,1,BB\n12,3,1,2,CC\n")
        let found = try InferenceCase(
            workspace, ["orders.csv", "shippers.csv", "employees.csv", "codes.csv"])
        #expect(
            found.spec.contains(
                """
                    link:
                      shipVia: { by: { shipperId: ship_via } }  # guessed: every value is the shipperId of \
                some Shippers
                      salesRep: { by: { employeeId: sales_rep_id } }  # guessed: every value is the \
                employeeId of some Employees
                      kind: { by: { code: kind } }  # guessed: every value is the code of some Codes

                """), "\(found.spec)")
        #expect(!found.spec.contains("quantity: { to:"))
        #expect(try found.imported(["Orders": "orderId, shipVia"])["Orders"]?.count == 3)
    }

    @Test("each array of a document and each list of objects becomes an entity")
    func documents() throws {
        let found = try InferenceCase(
            "shop.json",
            #"""
            {"products": [{"sku": "a", "price": 1.25}, {"sku": "b", "price": 2.5}],
             "orders": [
               {"id": 1, "items": [{"line": 1, "productSku": "a"}, {"line": 2, "productSku": "b"}]},
               {"id": 2, "items": [{"line": 1, "productSku": "b"}]}]}
            """#)
        #expect(
            found.spec.contains(
                """
                    into: Orders
                    key: id
                    link:
                      items:  # a set keeps no order
                        each: "items[*]"
                        key: [orders, line]
                        link:
                          product: { by: { sku: productSku } }  # guessed: every value is the sku of \
                some Products

                """), "\(found.spec)")
        for _ in 1...2 {
            let objects = try found.imported(["Items": "orders, line, product"])
            #expect(
                objects["Items"] as NSArray? == [
                    ["orders": 1, "line": 1, "product": "a"],
                    ["orders": 1, "line": 2, "product": "b"],
                    ["orders": 2, "line": 1, "product": "b"],
                ] as NSArray)
        }
    }

    @Test("reads tables without a header, and detects separators, encodings, dates, and null texts")
    func tables() throws {
        let workspace = try Workspace()
        try workspace.write("plain.csv", "7,2024-01-01,x\n8,2024-01-02,y\n")
        let plain = try InferenceCase(workspace, ["plain.csv"])
        #expect(
            plain.spec.contains(
                """
                      header: false  # guessed: the first row holds values
                      columns: [column1, column2, column3]

                """), "\(plain.spec)")
        #expect(try plain.imported(["Plain": ""])["Plain"]?.count == 2)
        var bytes = Data("name;preis;tag;n\n".utf8)
        bytes.append(contentsOf: [0x4D, 0xFC, 0x6C, 0x6C, 0x65, 0x72])
        bytes.append(contentsOf: Data(";1.234,50;31.12.2024;NA\nx;0,5;1.2.2024;5\n".utf8))
        try bytes.write(to: URL(fileURLWithPath: workspace.path("euro.csv")))
        let euro = try InferenceCase(workspace, ["euro.csv"])
        #expect(euro.spec.contains("      null-in: { \"n\": [NA] }  # guessed\n"), "\(euro.spec)")
        #expect(
            euro.spec.contains(
                """
                      preis: { from: preis, number: { decimal: ",", thousands: "." } }
                      tag: { from: tag, date: d.M.yyyy }

                """), "\(euro.spec)")
        #expect(
            try euro.imported(["Euro": "name, preis, tag, n"])["Euro"] as NSArray? == [
                [
                    "name": "Müller", "preis": 1234.5, "tag": "2024-12-31T00:00:00Z",
                    "n": NSNull(),
                ],
                ["name": "x", "preis": 0.5, "tag": "2024-02-01T00:00:00Z", "n": 5],
            ] as NSArray)
    }

    @Test("numbers of seconds or milliseconds become dates if the name suggests it")
    func moments() throws {
        let found = try InferenceCase(
            "events.ndjson",
            #"{"id":1,"created_at":1700000000,"seen":1700000000123,"size":1700000000}"#)
        #expect(
            try found.imported(["Events": ""])["Events"] as NSArray? == [
                [
                    "id": 1, "createdAt": "2023-11-14T22:13:20Z",
                    "seen": "2023-11-14T22:13:20.123Z", "size": 1_700_000_000,
                ]
            ] as NSArray)
    }

    @Test("recognizes a unit at the end of a date's name")
    func momentsWithUnit() throws {
        let names = ["created_at_ms", "epochMillis", "timeMs", "timestamp_ms", "ts", "waitMs"]
        let found = try InferenceCase(
            "events.csv",
            "id,\(names.joined(separator: ",")),at_sec\n"
                + "1,1700000000123,1700000000123,1700000000123,1700000000123,1700000000,"
                + "1700000000123,1700000000\n")
        #expect(
            try found.imported(["Events": ""])["Events"] as NSArray? == [
                [
                    "id": 1, "createdAtMs": "2023-11-14T22:13:20.123Z",
                    "epochMillis": "2023-11-14T22:13:20.123Z",
                    "timeMs": "2023-11-14T22:13:20.123Z",
                    "timestampMs": "2023-11-14T22:13:20.123Z", "ts": "2023-11-14T22:13:20Z",
                    "waitMs": 1_700_000_000_123, "atSec": "2023-11-14T22:13:20Z",
                ]
            ] as NSArray)
    }

    @Test("options for format, header, key, entity, types, and null texts override the guesses")
    func known() throws {
        let workspace = try Workspace()
        try workspace.write("a.txt", "1,x,none\n1,y,5\n")
        var options = InferenceOptions()
        options.format = .csv
        options.hasHeader = false
        options.key = ["column1", "column2"]
        options.entity = "Things"
        options.types = ["column1": .string]
        options.nullTexts = ["none"]
        let found = try InferenceCase(workspace, ["a.txt"], options)
        #expect(
            try found.imported(["Things": ""])["Things"] as NSArray? == [
                ["column1": "1", "column2": "x", "column3": NSNull()],
                ["column1": "1", "column2": "y", "column3": 5],
            ] as NSArray)
        #expect(found.spec.contains("    unique: [[column1, column2]]\n"), "\(found.spec)")
        options.key = ["colum1"]
        let failure = #expect(throws: RunFailure.self) {
            try InferenceCase(workspace, ["a.txt"], options)
        }
        #expect(failure?.status == .usage)
        #expect(
            failure?.diagnostics.map(\.message)
                == ["No record has the field 'colum1'. Did you mean 'column1'?"])
    }

    @Test("the HTML report shows each field with values and evidence, and escapes markup")
    func page() throws {
        let workspace = try Workspace()
        try workspace.write("tasks.csv", "id,state,size\n1,<b>,1\n2,<b>,2\n3,x,\n")
        var options = InferenceOptions()
        options.hasProfiles = true
        let found = try InferenceCase(workspace, ["tasks.csv"], options)
        let page = try #require(found.inference.page)
        #expect(
            page.contains("<p class=\"dim\">3 records · Key: id · guessed: unique in 3 records</p>")
        )
        #expect(page.contains("<td class=\"\">state: String</td>"), "\(page)")
        #expect(page.contains("&lt;b&gt; <span class=\"dim\">× 2</span><br>"))
        #expect(page.contains("<td class=\"number\">1</td><td class=\"number\">2</td>"))
        #expect(page.contains("<td class=\"\">1 – 2</td>"))
        #expect(!page.contains("<b>"))
    }

    @Test("the HTML report shows the files and the fields of a join table")
    func pageOfJoinTable() throws {
        let workspace = try Workspace()
        try workspace.write("lists.csv", "list_id,name\n1,x\n2,y\n3,z\n")
        try workspace.write("songs.csv", "song_id,name\n7,a\n8,b\n9,c\n")
        try workspace.write("list_song.csv", "list_id,song_id\n1,7\n1,8\n2,7\n3,9\n")
        var options = InferenceOptions()
        options.hasProfiles = true
        let found = try InferenceCase(
            workspace, ["lists.csv", "songs.csv", "list_song.csv"], options)
        let page = try #require(found.inference.page)
        #expect(page.contains("<p class=\"meaning\">2 entities with 6 fields and 1 join table</p>"))
        let section = try #require(page.components(separatedBy: "<section>").last)
        let cells = section.matches(of: #/<t[dh] class="[^"]*">(.*?)<\/t[dh]>/#).map {
            String($0.1)
        }
        .filter { !$0.contains("<svg") }
        #expect(
            section.hasPrefix(
                """
                <h2>ListSong</h2>
                <p class="dim">4 records · Join table of Lists.songs</p>
                <p class="dim">\(workspace.path("list_song.csv"))</p>
                """), "\(section)")
        let frequent = { (values: [String]) in
            values.map { "\($0.dropLast(2)) <span class=\"dim\">× \($0.suffix(1))</span><br>" }
                .joined()
        }
        #expect(
            cells == [
                "field", "becomes", "empty", "different", "range", "spread", "frequent values",
                "evidence",
                "list_id", "Songs.lists → Lists", "0", "3", "1 – 3",
                frequent(["1 2", "2 1", "3 1"]),
                "guessed: every value is the listId of some Lists",
                "song_id", "Lists.songs → Songs", "0", "3", "7 – 9",
                frequent(["7 2", "8 1", "9 1"]),
                "guessed: every value is the songId of some Songs",
            ], "\(cells)")
    }

    @Test("infers each relationship once if the exports contain both sides")
    func exports() throws {
        let workspace = try Workspace()
        try workspace.write(
            "albums.ndjson",
            """
            {"id":1,"artist.id":7,"genres":[1,2],"parent.id":null,"children":[2]}
            {"id":2,"artist.id":7,"genres":[2],"parent.id":1,"children":[]}

            """)
        try workspace.write("artists.ndjson", "{\"id\":7,\"albums\":[1,2]}\n")
        try workspace.write(
            "genres.ndjson", "{\"id\":1,\"albums\":[1]}\n{\"id\":2,\"albums\":[1,2]}\n")
        let found = try InferenceCase(
            workspace, ["albums.ndjson", "artists.ndjson", "genres.ndjson"])
        #expect(
            found.spec.contains(
                "# 'albums' is left out: it is the other side of 'artist.id' of Albums\n"),
            "\(found.spec)")
        #expect(!found.spec.contains("albums2"), "\(found.spec)")
        let objects = try found.imported([
            "Albums": "id, artist.id, genres, parent.id", "Artists": "id, albums",
        ])
        #expect(
            objects["Albums"] as NSArray? == [
                ["id": 1, "artist.id": 7, "genres": [1, 2], "parent.id": NSNull()],
                ["id": 2, "artist.id": 7, "genres": [2], "parent.id": 1],
            ] as NSArray)
        #expect(objects["Artists"] as NSArray? == [["id": 7, "albums": [1, 2]]] as NSArray)
    }
}
