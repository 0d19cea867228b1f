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

    @Test("infer allows the values that do not fit a --type as rejects")
    func toldTypeThatDoesNotFit() throws {
        try write("n.csv", "id,n\n1,2\n2,x\n3,4\n")
        let inferred = try cron("infer", "n.csv", "--type", "n=Integer 64")
        #expect(inferred.status == 0)
        #expect(
            inferred.standardOutput.contains(
                """
                rejects:
                  allow: 1  # number of unreadable records when this file was written

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
