import Foundation
import Testing

/// Links that imports find, and their messages about files that they cannot read.
extension ImportCommandTests {
    private static let artists = "ArtistId,Name\n1,AC/DC\n2,Accept\n3,Aerosmith\n"
    private static let albums = "AlbumId,Title,ArtistId\n1,For,1\n2,Ball,2\n3,Rest,2\n4,X,3\n"

    @Test("links a new entity to objects of the store")
    func linksToTheStore() throws {
        try write("Artist.csv", Self.artists)
        try write("Album.csv", Self.albums)
        #expect(try etl("import", "Artist.csv", "--into", "m.sqlite", "-q") == .silentSuccess)
        #expect(
            try etl("import", "Album.csv", "--into", "m.sqlite").standardOutput == """
                Album from Album.csv: key albumId; title String; artist → Artist
                New in the store's model: Album, Artist.album → Album
                The old store is m.sqlite.bak-v1
                Imported into m.sqlite: 4 read, 4 inserted

                """)
        #expect(
            try rows(
                """
                SELECT a.ZTITLE, r.ZNAME FROM ZALBUM a JOIN ZARTIST r ON r.Z_PK = a.ZARTIST
                ORDER BY a.ZALBUMID
                """, in: "m.sqlite") == ["For|AC/DC", "Ball|Accept", "Rest|Accept", "X|Aerosmith"])
        #expect(
            try etl("import", "Album.csv", "--into", "m.sqlite").standardOutput == """
                Album from Album.csv: key albumId; title String; artist → Artist
                Imported into m.sqlite: 4 read, 4 unchanged

                """)
    }

    @Test("finds a link by the keys of the store and the files together")
    func linksToStoreAndFile() throws {
        try write("Artist.csv", Self.artists)
        try write("artists.csv", "ArtistId,Name\n9,Zed\n")
        try write("albums.csv", Self.albums + "5,Y,9\n")
        #expect(try etl("import", "Artist.csv", "--into", "m.sqlite", "-q") == .silentSuccess)
        let result = try etl("import", "artists.csv", "albums.csv", "--into", "m.sqlite")
        #expect(
            result.standardOutput.contains(
                "Albums from albums.csv: key albumId; title String; artist → Artist\n"), "\(result)"
        )
        #expect(
            try rows("SELECT count(ZARTIST) FROM ZALBUMS", in: "m.sqlite") == ["5"])
    }

    @Test(
        "a self-reference may contain the name of the entity, as in parent_ticket",
        arguments: ["parent_ticket", "parent_ticket_id", "ParentTicketId"])
    func selfReference(column: String) throws {
        try write("tickets.csv", "id,name,\(column)\n1,a,\n2,b,1\n3,c,1\n4,d,2\n")
        #expect(
            try etl("import", "tickets.csv", "--into", "t.sqlite").standardOutput.hasPrefix(
                "Tickets from tickets.csv: key id; name String; parentTicket → Tickets\n"))
        #expect(
            try rows("SELECT ZID, ZPARENTTICKET FROM ZTICKETS ORDER BY ZID", in: "t.sqlite") == [
                "1|", "2|1", "3|1", "4|2",
            ])
    }

    /// Writes 100 customers with the keys 3, 6, …, 300.
    private func writeCustomers() throws {
        try write(
            "customers.csv", "id,name\n" + (1...100).map { "\($0 * 3),c\($0)\n" }.joined())
    }

    /// Writes orders of these customers.
    private func writeOrders(_ keys: [String], column: String = "customer_id") throws {
        let rows = keys.enumerated().map { "\($0 + 1),\($1)\n" }
        try write("orders.csv", "order_id,\(column)\n" + rows.joined())
    }

    @Test("a link in spite of a key that no object has is reported and stays empty")
    func danglingKey() throws {
        try writeCustomers()
        try writeOrders((1...90).map { "\($0 * 3)" } + ["999", "3", ""])
        let decisions = """
            Customers from customers.csv: key id; name String
            Orders from orders.csv: key orderId; customer → Customers

            """
        let warning = """
            orders.csv: warning: 1 of 91 values of customer_id is the id of no Customers: '999' \
            (orders.csv:92); the import leaves these links empty [infer.missing-objects]
              fix: add the missing objects, or correct the values; `missing: reject` in a spec \
            rejects the records

            """
        func imported(_ files: [String], _ state: String) throws -> ToolResult {
            let result = try Tool.etl(
                ["import"] + files + ["--into", "o.sqlite", "-v"], in: folder.path)
            return ToolResult(
                status: result.status, standardOutput: masked(result.standardOutput),
                standardError: result.standardError)
        }
        func said(_ lines: String, new: String = "", next: String = "", warning: String = "")
            -> ToolResult
        {
            ToolResult(
                status: 0,
                standardOutput: """
                    \(lines)Links without an object are in rejects/RUN; import their objects, and then \
                    these files again
                    \(next)
                    """, standardError: warning)
        }
        let files = ["customers.csv", "orders.csv"]
        #expect(
            try imported(files, "new")
                == said(
                    decisions + "Imported into o.sqlite (new): 193 read, 193 inserted, "
                        + "1 link without an object\n",
                    next: "Next: etl fetch o.sqlite Customers\n", warning: warning))
        // The store keeps the decision for later imports.
        #expect(
            try imported(files, "known")
                == said(
                    decisions + "Imported into o.sqlite: 193 read, 193 unchanged, "
                        + "1 link without an object\n", warning: warning))
        #expect(
            try imported(["orders.csv"], "known")
                == said(
                    "Orders from orders.csv: key orderId; customer → Customers\n"
                        + "Imported into o.sqlite: 93 read, 93 unchanged, 1 link without an object\n",
                    warning: warning))
        #expect(
            try rows("SELECT ZORDERID FROM ZORDERS WHERE ZCUSTOMER IS NULL", in: "o.sqlite")
                == ["91", "93"])
    }

    @Test("a later file whose keys are mostly unknown is rejected, and empties no link")
    func danglingKeysOfLaterFile() throws {
        try writeCustomers()
        try writeOrders((1...90).map { "\($0 * 3)" } + ["999"])
        #expect(
            try cron("import", "customers.csv", "orders.csv", "--into", "o.sqlite").status == 0)
        try writeOrders((1...90).map { "\($0 * 3)" } + ["3", "998"])
        #expect(
            try cron("import", "orders.csv", "--into", "o.sqlite")
                == ToolResult(
                    status: 0,
                    standardError: """
                        orders.csv: warning: 1 of 91 values of customer_id is the id of no \
                        Customers: '998' (orders.csv:93); the import leaves these links empty \
                        [infer.missing-objects]
                          fix: add the missing objects, or correct the values; `missing: reject` \
                        in a spec rejects the records

                        """))
        try writeOrders(["4", "7"])
        let rejected = try cron("import", "orders.csv", "--into", "o.sqlite")
        #expect(rejected.status == 65)
        #expect(
            masked(rejected.standardError) == """
                orders.csv:2:3: error: No Customers has id 4 (for 'customer') [link]
                  in: record 1, field 'customer_id', byte 23
                orders.csv:3:3: error: No Customers has id 7 (for 'customer') [link]
                  in: record 2, field 'customer_id', byte 27
                error: 2 of 2 records were rejected; none is allowed [rejects.too-many]
                  fix: correct the file and import it again, or allow rejects with \
                --allow-rejects; the records are in rejects/RUN
                note: 2 read, 2 rejected; no object of o.sqlite was changed [import.saved]

                """)
        #expect(try rows("SELECT count(ZCUSTOMER) FROM ZORDERS", in: "o.sqlite") == ["91"])
        // Together with the missing customers, the same orders are imported.
        try write("customers.csv", "id,name\n4,x\n7,y\n")
        #expect(
            try cron("import", "customers.csv", "orders.csv", "--into", "o.sqlite")
                == .silentSuccess)
        #expect(
            try rows(
                """
                SELECT c.ZID FROM ZORDERS o JOIN ZCUSTOMERS c ON c.Z_PK = o.ZCUSTOMER
                WHERE o.ZORDERID < 3 ORDER BY o.ZORDERID
                """, in: "o.sqlite") == ["4", "7"])
    }

    @Test("a named column with many keys that no object has stays a number, which is reported")
    func noReference() throws {
        try writeCustomers()
        try writeOrders((1...300).map(String.init))
        #expect(
            try etl("import", "customers.csv", "orders.csv", "--into", "o.sqlite")
                == ToolResult(
                    status: 0,
                    standardOutput: """
                        Customers from customers.csv: key id; name String
                        Orders from orders.csv: key orderId; customerId Integer 64
                        Imported into o.sqlite (new): 400 read, 400 inserted
                        Next: etl fetch o.sqlite Customers

                        """,
                    standardError: """
                        orders.csv: warning: Orders: 'customer_id' is not linked to Customers: only 100 \
                        of 300 values are its id [import.not-linked]
                          fix: if it is a link, correct its values, and import all files into a new \
                        store; or set the link in a spec, as --save-spec DIR writes it

                        """))
    }

    @Test("a first import of a join table rejects the pairs with keys that no object has")
    func danglingPair() throws {
        try write("tracks.csv", "id,title\n" + (1...50).map { "\($0),t\($0)\n" }.joined())
        try write("lists.csv", "id,name\n" + (1...5).map { "\($0),l\($0)\n" }.joined())
        let pairs = (1...50).map { "\($0 % 5 + 1),\($0)\n" }
        try write("list_tracks.csv", "list_id,track_id\n" + pairs.joined() + "1,77\n")
        let files = ["tracks.csv", "lists.csv", "list_tracks.csv"]
        let warning = """
            list_tracks.csv: warning: 1 of 51 values of track_id is the id of no Tracks: '77' \
            (list_tracks.csv:52); the import rejects their records [infer.missing-objects]
              fix: add the missing objects, or correct the values

            """
        let result = try Tool.etl(
            ["import", "-v"] + files + ["--into", "m.sqlite"], in: folder.path)
        #expect(
            result.standardOutput == """
                Tracks from tracks.csv: key id; title String
                Lists from lists.csv: key id; name String
                Lists.tracks → Tracks from list_tracks.csv

                """)
        #expect(result.status == 65)
        #expect(
            masked(result.standardError) == warning + """
                list_tracks.csv:52:3: error: No Tracks has id 77 (for 'tracks') [link]
                  in: record 51, field 'track_id', byte 260
                error: 1 of 51 records was rejected; none is allowed [rejects.too-many]
                  fix: correct the file and import it again, or allow rejects with --allow-rejects; the records are in rejects/RUN
                note: 55 read, 55 inserted; Lists.tracks: 50 linked, 1 rejected; m.sqlite has these objects, and the next import continues after them [import.saved]

                """)
        // The inferred spec allows the reject that it saw.
        let inferred = try Tool.etl(["infer"] + files, in: folder.path)
        #expect(inferred.standardError == warning)
        #expect(
            inferred.standardOutput.contains(
                """
                rejects:
                  allow: 1  # number of rejected records when this file was written

                """), "\(inferred)")
        #expect(
            inferred.standardOutput.hasSuffix(
                """
                    into: Lists
                    key: id
                    set-only: true
                    set:
                      id: list_id
                    link:
                      tracks: { by: { id: track_id }, many: add }  # guessed: 50 of 51 values are the \
                id of some Tracks, but not '77' (list_tracks.csv:52)

                """), "\(inferred)")
        try write("pipeline.yaml", inferred.standardOutput)
        #expect(try cron("run", "pipeline.yaml").status == 0)
    }

    @Test("infer allows the values that do not fit a --type as rejects")
    func toldTypeThatDoesNotFit() throws {
        try write("n.csv", "id,n\n1,2\n2,x\n3,4\n")
        let inferred = try cron("infer", "n.csv", "--type", "n=Integer 64")
        #expect(inferred.status == 0)
        #expect(
            inferred.standardOutput.contains(
                """
                rejects:
                  allow: 1  # number of rejected records when this file was written

                """), "\(inferred)")
        try write("pipeline.yaml", inferred.standardOutput)
        #expect(try cron("run", "pipeline.yaml").status == 0)
        #expect(try rows("SELECT count(*) FROM ZN", in: "n.sqlite") == ["2"])
    }

    @Test("skips lines above the header and comments")
    func linesAboveTheHeader() throws {
        try write("r.csv", "Report of\nMade by x\n\nid,name,price\n1,a,2.5\n2,b,3.5\n")
        #expect(
            try etl("import", "r.csv", "--into", "r.sqlite").standardOutput == """
                R from r.csv: key id; name String, price Decimal
                The first 3 lines of r.csv are above the header, and are skipped
                Imported into r.sqlite (new): 2 read, 2 inserted
                Next: etl fetch r.sqlite R

                """)
        #expect(
            try cron("infer", "r.csv").standardOutput.contains(
                "      skip: 3  # guessed: lines above the header\n"))
        try write("c.csv", "# c1\nid,name\n1,a\n2,b\n")
        #expect(
            try cron("infer", "c.csv").standardOutput.contains("      comment: \"#\"  # guessed\n"))
        #expect(try cron("import", "c.csv", "--into", "c.sqlite") == .silentSuccess)
    }

    @Test("a database without a model fails with the command that reads it")
    func foreignDatabase() throws {
        _ = try Tool.run("sqlite3", ["f.sqlite", "CREATE TABLE t (a)"], in: folder.path)
        let result = try cron("import", "f.sqlite", "--into", "s.sqlite")
        #expect(
            result.standardError == """
                f.sqlite: error: The store carries no model that can be read [store.no-model]
                  fix: read it table by table: `sqlite3 -csv -header f.sqlite "SELECT * FROM TABLE" | etl import - --into s.sqlite --entity NAME --as csv`

                """)
    }

    @Test(
        "a packed URL fails with one command that fetches and unpacks it",
        arguments: [
            (
                "x.csv.zst?a=1",
                "fetch it: `curl -fsSL 'https://h/x.csv.zst?a=1' | zstd -dc | etl import -"
                    + " --into a.sqlite --entity X --as csv`"
            ),
            (
                "x.csv.gz",
                "fetch it: `curl -fsSL https://h/x.csv.gz | gzip -dc | etl import -"
                    + " --into a.sqlite --entity X --as csv`"
            ),
            (
                "x.xlsx",
                "download it first: `curl -fsSL -o x.xlsx https://h/x.xlsx`; then save the sheet as"
                    + " CSV, or convert it: `xlsx2csv x.xlsx | etl import - --into a.sqlite --entity X"
                    + " --as csv`"
            ),
        ])
    func packedURL(name: String, fix: String) throws {
        #expect(
            try cron("import", "https://h/\(name)", "--into", "a.sqlite").standardError == """
                https://h/\(name): error: etl does not read https:// [input.url]
                  fix: \(fix)

                """)
    }
}
