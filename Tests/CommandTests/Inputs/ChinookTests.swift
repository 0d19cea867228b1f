import Foundation
import Testing

@Suite("Chinook") struct ChinookTests {
    private static let dataSet = "specimens/datasets/chinook/csv"

    /// A music shop with a few rows and the columns of the original.
    static let tables = [
        "Artist": """
        ArtistId,Name
        1,AC/DC
        2,"Antônio Carlos Jobim"
        3,
        """,
        "Album": """
        AlbumId,Title,ArtistId
        1,For Those About To Rock We Salute You,1
        4,Let There Be Rock,1
        8,"Warner ""25"" Anos",2
        """,
        "Genre": "GenreId,Name\n1,Rock\n2,Jazz\n",
        "MediaType": "MediaTypeId,Name\n1,MPEG audio file\n2,Protected AAC audio file\n",
        "Track": """
        TrackId,Name,AlbumId,MediaTypeId,GenreId,Composer,Milliseconds,Bytes,UnitPrice
        1,For Those About To Rock (We Salute You),1,1,1,"Angus Young, Malcolm Young, Brian Johnson",343719,11170334,0.99
        2,Go Down,4,2,1,AC/DC,331180,10847611,0.99
        3,Desafinado,8,1,2,,185338,5990473,0.99
        4,No album,,1,,NULL,1000,,1.99
        """,
        "Playlist": "PlaylistId,Name\n1,Music\n2,Movies\n3,90’s Music\n",
        "PlaylistTrack": "PlaylistId,TrackId\n1,1\n1,2\n3,3\n1,3\n3,1\n1,1\n",
        "Employee": """
        EmployeeId,LastName,FirstName,Title,ReportsTo,BirthDate,HireDate,Address,City,State,Country,PostalCode,Phone,Fax,Email
        3,Peacock,Jane,Sales Support Agent,2,1973-08-29 00:00:00,2002-04-01 00:00:00,1111 6 Ave SW,Calgary,AB,Canada,T2P 5M5,+1 (403) 262-3443,,jane@chinookcorp.com
        2,Edwards,Nancy,Sales Manager,1,1958-12-08 00:00:00,2002-05-01 00:00:00,825 8 Ave SW,Calgary,AB,Canada,T2P 2T3,+1 (403) 262-3443,,nancy@chinookcorp.com
        1,Adams,Andrew,General Manager,,1962-02-18 00:00:00,2002-08-14 00:00:00,11120 Jasper Ave NW,Edmonton,AB,Canada,T5K 2N1,+1 (780) 428-9482,,andrew@chinookcorp.com
        """,
        "Customer": """
        CustomerId,FirstName,LastName,Company,Address,City,State,Country,PostalCode,Phone,Fax,Email,SupportRepId
        1,Luís,Gonçalves,Embraer,"Av. Brigadeiro Faria Lima, 2170",São José dos Campos,SP,Brazil,12227-000,+55 (12) 3923-5555,,luisg@embraer.com.br,3
        2,Leonie,Köhler,,Theodor-Heuss-Straße 34,Stuttgart,,Germany,70174,+49 0711 2842222,,leonekohler@surfeu.de,3
        """,
        "Invoice": """
        InvoiceId,CustomerId,InvoiceDate,BillingAddress,BillingCity,BillingState,BillingCountry,BillingPostalCode,Total
        1,2,2009-01-01 00:00:00,Theodor-Heuss-Straße 34,Stuttgart,,Germany,70174,1.98
        2,1,2009-01-02 00:00:00,,,,Brazil,,0.99
        """,
        "InvoiceLine": """
        InvoiceLineId,InvoiceId,TrackId,UnitPrice,Quantity
        1,1,2,0.99,1
        2,1,4,0.99,1
        3,2,1,0.99,1
        """,
    ]

    /// A query for the rows of every entity, then the links of every relationship, as one line.
    private static let counts = """
        SELECT (SELECT count(*) FROM ZARTIST), (SELECT count(*) FROM ZALBUM),
            (SELECT count(*) FROM ZTRACK), (SELECT count(*) FROM ZGENRE),
            (SELECT count(*) FROM ZMEDIATYPE), (SELECT count(*) FROM ZPLAYLIST),
            (SELECT count(*) FROM ZEMPLOYEE), (SELECT count(*) FROM ZCUSTOMER),
            (SELECT count(*) FROM ZINVOICE), (SELECT count(*) FROM ZINVOICELINE);
        SELECT (SELECT count(ZARTIST) FROM ZALBUM), (SELECT count(ZALBUM) FROM ZTRACK),
            (SELECT count(ZGENRE) FROM ZTRACK), (SELECT count(ZMEDIATYPE) FROM ZTRACK),
            (SELECT count(ZREPORTSTO) FROM ZEMPLOYEE), (SELECT count(ZSUPPORTREP) FROM ZCUSTOMER),
            (SELECT count(ZCUSTOMER) FROM ZINVOICE), (SELECT count(ZINVOICE) FROM ZINVOICELINE),
            (SELECT count(ZTRACK) FROM ZINVOICELINE);
        PRAGMA integrity_check;
        """

    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    private func makeTables() throws {
        for (name, text) in Self.tables { try workspace.write(text, to: "tables/\(name).csv") }
    }

    private func playlistTracks() throws -> Int {
        let join = try workspace.sqlite(
            "out/chinook.sqlite",
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_[0-9]*'")
        #expect(join.count == 1)
        let count = try workspace.sqlite("out/chinook.sqlite", "SELECT count(*) FROM \(join[0])")
        return Int(count[0]) ?? -1
    }

    @Test func smallShopKeepsItsRowsAndLinks() throws {
        try makeTables()
        try workspace.runSilently("chinook", "--set", "path=\(workspace.path("tables"))")
        #expect(
            try workspace.sqlite("out/chinook.sqlite", Self.counts) == [
                "3|3|4|2|2|3|3|2|2|3", "3|3|3|4|2|2|2|3|3", "ok",
            ])
        #expect(try playlistTracks() == 5)
        #expect(
            try workspace.sqlite(
                "out/chinook.sqlite",
                """
                SELECT e.ZLASTNAME, m.ZLASTNAME, datetime(e.ZBIRTHDATE + 978307200, 'unixepoch')
                    FROM ZEMPLOYEE e LEFT JOIN ZEMPLOYEE m ON m.Z_PK = e.ZREPORTSTO ORDER BY e.ZID;
                SELECT t.ZNAME, a.ZTITLE, t.ZCOMPOSER IS NULL, t.ZBYTES, t.ZUNITPRICE
                    FROM ZTRACK t LEFT JOIN ZALBUM a ON a.Z_PK = t.ZALBUM ORDER BY t.ZID DESC LIMIT 2
                """) == [
                    "Adams||1962-02-18 00:00:00", "Edwards|Adams|1958-12-08 00:00:00",
                    "Peacock|Edwards|1973-08-29 00:00:00", "No album||1||1.99",
                    "Desafinado|Warner \"25\" Anos|1|5990473|0.99",
                ])
    }

    @Test func smallShopTwiceChangesNothing() throws {
        try makeTables()
        let path = "path=\(workspace.path("tables"))"
        try workspace.runSilently("chinook", "--set", path)
        let versions = try workspace.versions("out/chinook.sqlite")
        #expect(
            try workspace.stageLines("chinook", "--set", path) == [
                "import Artist: 3 read, 3 unchanged", "import Album: 3 read, 3 unchanged",
                "import Genre: 2 read, 2 unchanged", "import MediaType: 2 read, 2 unchanged",
                "import Track: 4 read, 4 unchanged", "import Playlist: 3 read, 3 unchanged",
                "import PlaylistTrack: 6 read, 6 linked",
                "import Employee: 3 read, 3 unchanged", "import Customer: 2 read, 2 unchanged",
                "import Invoice: 2 read, 2 unchanged",
                "import InvoiceLine: 3 read, 3 unchanged",
            ])
        #expect(try workspace.versions("out/chinook.sqlite") == versions)
        #expect(try playlistTracks() == 5)
    }

    @Test(
        .enabled(
            if: Repository.hasShared(dataSet),
            "the Chinook data set is not beside this checkout (../shared/\(dataSet))"))
    func completeShopKeepsItsRowsAndLinks() throws {
        let path = "path=\(Repository.shared(Self.dataSet))"
        try workspace.runSilently("chinook", "--set", path)
        // The same numbers as in the original database.
        #expect(
            try workspace.sqlite("out/chinook.sqlite", Self.counts) == [
                "275|347|3503|25|5|18|8|59|412|2240", "347|3503|3503|3503|7|59|412|2240|2240", "ok",
            ])
        #expect(try playlistTracks() == 8715)
        let versions = try workspace.versions("out/chinook.sqlite")
        let lines = try workspace.stageLines("chinook", "--set", path)
        #expect(lines.filter { $0.contains("inserted") || $0.contains("updated") } == [])
        #expect(try workspace.versions("out/chinook.sqlite") == versions)
    }
}
