import Foundation
import Testing

/// Data that an import without a spec must not lose silently.
extension ImportCommandTests {

    @Test("fields that repeat across files are not a key")
    func keyOverFiles() throws {
        // In each file alone, the first three fields are unique together.
        for file in 0..<2 {
            var text = "station,hour,value,note\n"
            for row in 0..<120 {
                text +=
                    "s\(row % 6),\(row % 24),\((row * 7 + file * 3) % 11),f\(file)-\(row % 50)\n"
            }
            try write("readings-\(file).csv", text)
        }
        let first = try etl("import", "readings-0.csv", "readings-1.csv", "--into", "r.sqlite")
        #expect(first.status == 0)
        #expect(
            first.standardOutput.contains("240 read, 240 inserted"), "\(first.standardOutput)")
        let second = try etl("import", "readings-0.csv", "readings-1.csv", "--into", "r.sqlite")
        #expect(second.standardOutput.contains("240 read, 240 unchanged"))
    }

    @Test(
        "rejects dates for a Date of the store if the day and the month are ambiguous"
    )
    func ambiguousDates() throws {
        try write("days.csv", "id,d\n1,2024-12-25\n")
        #expect(try etl("import", "days.csv", "--into", "d.sqlite").status == 0)
        try write("days.csv", "id,d\n2,02/03/2024\n3,03/04/2024\n")
        let result = try etl("import", "days.csv", "--into", "d.sqlite")
        #expect(result.status == 65)
        #expect(
            result.standardError.hasPrefix(
                """
                days.csv: warning: Days.d: the day and the month cannot be distinguished, so its \
                dates are not read [import.open-dates]
                  fix: add --type 'd=Date dd/MM/yyyy' or --type 'd=Date MM/dd/yyyy'
                days.csv:2:3: error: 'd' takes an ISO 8601 date such as 2026-11-20 (or say `date:` \
                with its pattern), not '02/03/2024' [cast]

                """), "\(result)")
        #expect(try rows("SELECT ZID FROM ZDAYS", in: "d.sqlite") == ["1"])
        try write("days.csv", "id,d\n2,02/03/2024\n3,03/14/2024\n")
        #expect(try etl("import", "days.csv", "--into", "d.sqlite").status == 0)
        #expect(
            try rows(
                "SELECT date(ZD + 978307200, 'unixepoch') FROM ZDAYS ORDER BY ZID", in: "d.sqlite")
                == ["2024-12-25", "2024-02-03", "2024-03-14"])
    }

    @Test("an import by another key cannot change the key of the store")
    func otherKey() throws {
        try write("k.csv", "id,name\n1,Ada\n2,Bob\n")
        #expect(try etl("import", "k.csv", "--into", "k.sqlite", "--key", "id").status == 0)
        try write("k.csv", "id,name\n10,Ada\n")
        let result = try etl("import", "k.csv", "--into", "k.sqlite", "--key", "name")
        #expect(result.status == 64)
        #expect(
            result.standardError == """
                error: K of the store is identified by id, which k.csv has, and not by name [import.key]
                  fix: leave out --key, or import into a new store

                """)
        try write("k.csv", "name\nAda\n")
        #expect(try etl("import", "k.csv", "--into", "k.sqlite", "--key", "name").status == 0)
        #expect(
            try rows("SELECT ZID || ZNAME FROM ZK ORDER BY 1", in: "k.sqlite") == ["1Ada", "2Bob"])
    }

    @Test("a URL as the store and an invalid entity name fail with a fix")
    func misleadingNames() throws {
        try write("k.csv", "id,name\n1,Ada\n")
        let url = """
            error: A path is needed here, not a URL: etl does not read or write postgresql:// \
            [spec.url]
              fix: name an SQLite file; etl writes no other databases

            """
        let imported = try etl("import", "k.csv", "--into", "postgresql://h/x")
        #expect(imported.status == 64 && imported.standardError == url, "\(imported)")
        let fetched = try etl("fetch", "postgresql://h/x")
        #expect(fetched.status == 64 && fetched.standardError == url, "\(fetched)")
        let named = try etl("import", "k.csv", "--into", "k.sqlite", "--entity", "my entity")
        #expect(named.status == 64)
        #expect(
            named.standardError == """
                error: 'my entity' is not a valid entity name [model.name]
                  fix: name another with --entity

                """)
    }

    @Test("--add-columns fills a renamed attribute if a sub-entity uses the column's name")
    func addedUnderAnotherName() throws {
        try write(
            "model.yaml",
            """
            model: 1
            entities:
              Task: { attributes: { id: Integer 64, title: String }, unique: [[id]] }
              Bug: { parent: Task, attributes: { color: String } }
            """)
        try write(
            "make.yaml",
            """
            etl: 1
            store: { at: t.sqlite, model: model.yaml, open: create }
            stages: [{ import: task.csv, into: Task }]
            """)
        try write("task.csv", "id,title\n1,a\n")
        #expect(try etl("run", "make.yaml").status == 0)
        try write("task.csv", "id,title,color\n1,a,red\n2,b,blue\n")
        let result = try etl("import", "task.csv", "--into", "t.sqlite", "--add-columns")
        #expect(result.status == 0, "\(result)")
        #expect(result.standardOutput.contains("Task.color2 String"))
        #expect(
            try rows("SELECT ZID || ZCOLOR2 FROM ZTASK ORDER BY 1", in: "t.sqlite")
                == ["1red", "2blue"])
    }

    @Test("of two columns for one relationship, one fills it and the other gives a warning")
    func twoColumnsOfOneLink() throws {
        try write("artist.csv", "id,name\n1,Ann\n2,Bob\n3,Cem\n")
        try write("album.csv", "id,artist\n10,1\n11,2\n12,3\n")
        #expect(try etl("import", "artist.csv", "album.csv", "--into", "a.sqlite").status == 0)
        try write("album.csv", "id,artist_id,artist\n10,2,1\n11,3,2\n12,1,3\n")
        let result = try etl("import", "album.csv", "--into", "a.sqlite")
        #expect(result.status == 0, "\(result)")
        #expect(
            result.standardError == """
                album.csv: warning: Album has no property for artist_id, which is skipped [import.skipped-columns]
                  fix: add it to the store's model with --add-columns

                """)
    }

    @Test("importing an export with row keys into its own store changes nothing")
    func exportedRowKeys() throws {
        try write("log.csv", "day,what\n2026-01-01,a\n2026-01-01,a\n2026-01-02,b\n")
        #expect(try etl("import", "log.csv", "--into", "l.sqlite").status == 0)
        let exported = try etl("fetch", "l.sqlite", "Log", "--format", "ndjson")
        try write("Log.ndjson", exported.standardOutput)
        let result = try etl("import", "Log.ndjson", "--into", "l.sqlite")
        #expect(result.standardOutput.contains("3 read, 3 unchanged"), "\(result)")
        // In a new store, the exported key is the key.
        #expect(
            try etl("import", "Log.ndjson", "--into", "n.sqlite")
                == ToolResult(
                    status: 0,
                    standardOutput: """
                        Log from Log.ndjson: key rowKey; day Date, what String
                        Imported into n.sqlite (new): 3 read, 3 inserted
                        Next: etl fetch n.sqlite Log

                        """))
        #expect(try etl("fetch", "n.sqlite", "Log", "--format", "ndjson") == exported)
    }

    @Test("a header may contain a year; --header reads the first row as the header")
    func headers() throws {
        try write("y.csv", "country,2020\nDE,5\nFR,6\n")
        #expect(try etl("import", "y.csv", "--into", "y.sqlite").status == 0)
        #expect(try rows("SELECT count(*) FROM ZY", in: "y.sqlite") == ["2"])
        try write("z.csv", "1,2\n3,4\n")
        let result = try etl("import", "z.csv", "--into", "z.sqlite", "--header")
        #expect(result.standardOutput.contains("1 read, 1 inserted"), "\(result)")
        let twice = try etl("import", "z.csv", "--into", "z.sqlite", "--key", "1,1")
        #expect(twice.status == 64)
        #expect(twice.standardError.contains("--key names a field twice"))
    }

    @Test("the HTML report accepts numbers of any size")
    func largeNumbersOnPage() throws {
        try write("n.csv", "id,v\n1,-1.7e308\n2,1.7e308\n3,0\n")
        #expect(try etl("infer", "n.csv", "--html", "n.html", "--output", "spec").status == 0)
    }

    @Test("identifies nested objects without an ID within their owner")
    func nestedKeys() throws {
        try write(
            "o.ndjson",
            """
            {"id":1,"items":[{"sku":"x","qty":1}]}
            {"id":2,"items":[{"sku":"y","qty":5}]}

            """)
        #expect(try etl("import", "o.ndjson", "--into", "o.sqlite").status == 0)
        try write("o.ndjson", "{\"id\":3,\"items\":[{\"sku\":\"x\",\"qty\":7}]}\n")
        #expect(try etl("import", "o.ndjson", "--into", "o.sqlite").status == 0)
        #expect(
            try rows("SELECT ZSKU || ZQTY FROM ZITEMS ORDER BY 1", in: "o.sqlite")
                == ["x1", "x7", "y5"])
    }

    @Test("a numeric first column is the key, not the name")
    func numberBeforeName() throws {
        try write("liste.csv", "Kundennr;Name;Ort\n00017;Ada Meier;Bern\n00018;Ben Ito;Basel\n")
        let first = try etl("import", "liste.csv", "--into", "l.sqlite")
        #expect(first.standardOutput.hasPrefix("Liste from liste.csv: key kundennr;"), "\(first)")
        try write("firmen.csv", "Firmennummer;Name;Aktiv\n17;Ada;ja\n18;Ben;nein\n")
        #expect(
            try etl("import", "firmen.csv", "--into", "f.sqlite").standardOutput.hasPrefix(
                "Firmen from firmen.csv: key firmennummer; name String, aktiv Boolean\n"))
        #expect(
            try rows("SELECT ZNAME || ZAKTIV FROM ZFIRMEN ORDER BY ZNAME", in: "f.sqlite")
                == ["Ada1", "Ben0"])
        try write("dup.csv", "id,name,price\n1,A,10\n2,B,20\n1,C,30\n")
        let second = try etl("import", "dup.csv", "--into", "d.sqlite")
        #expect(second.standardOutput.contains("3 read, 3 inserted"))
    }

    @Test func rejectsAreReportedAndReplayedWithoutASpec() throws {
        try write("tasks.csv", "id,title,size\n1,Write,3\n2,Read,4\n3,Sleep,5\n")
        #expect(
            try etl("import", "tasks.csv", "--into", "out/tasks.sqlite", "-q") == .silentSuccess)
        // The store's model has a column that is added later; the model of the first import lacks it.
        try write("tasks.csv", "id,title,size,color\n1,Write,3,red\n4,Walk,x,blue\n")
        let failed = try etl(
            "import", "tasks.csv", "--into", "out/tasks.sqlite", "--add-columns", "-q")
        #expect(failed.status == 65)
        let rejects =
            "out/rejects/"
            + (try FileManager.default.contentsOfDirectory(
                atPath: folder.path + "/out/rejects"
            ).first ?? "")
        for run in [rejects, "out/runs", "out/runs/index.html"] {
            let report = try etl("report", run)
            #expect(report.standardOutput.hasPrefix("import-tasks: exit 65 DATAERR."), "\(run)")
            #expect(report.standardError == "", "\(run)")
        }
        let still = try etl("replay", rejects)
        #expect(still.status == 65)
        #expect(
            still.standardError.replacing(folder.path + "/", with: "") == """
                tasks.csv:3:8: error: 'size' takes a whole number that fits Integer 64, not 'x' [cast]
                  in: record 2, field 'size', byte 41
                error: 1 of 1 record is rejected again [replay.left]
                  fix: correct the records in \(rejects), and replay again

                """)
        let file = rejects + "/tasks.tasks.csv"
        let text = try String(contentsOfFile: folder.path + "/" + file, encoding: .utf8)
        try write(file, text.replacing(",x,", with: ",9,"))
        #expect(try etl("replay", rejects) == .silentSuccess)
        #expect(
            try rows(
                "SELECT ZID, ZTITLE, ZSIZE, ZCOLOR FROM ZTASKS ORDER BY ZID", in: "out/tasks.sqlite"
            )
                == ["1|Write|3|red", "2|Read|4|", "3|Sleep|5|", "4|Walk|9|blue"])
    }
}
