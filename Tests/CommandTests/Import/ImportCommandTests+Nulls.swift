import Foundation
import Testing

/// Text of a table that an import reads as null: it warns, and later imports read the same text as
/// null.
extension ImportCommandTests {
    private func warned(_ warning: String) -> ToolResult {
        ToolResult(
            status: 0,
            standardError: warning + """
                 [import.null]
                  fix: name the texts without a value with --null TEXT; --null '' is for none

                """)
    }

    @Test("warns once of text that is read as null, and later imports read the same")
    func nullMarkers() throws {
        try write("na.csv", "id,v,p\n1,N/A,3\n2,x,-\n3,N/A,4\n")
        let first = warned(
            "na.csv: warning: Read as null: 'N/A' in v (2 rows, the first at na.csv:2), '-' in p"
                + " (1 row, the first at na.csv:3)")
        #expect(try cron("import", "na.csv", "--into", "na.sqlite") == first)
        let objects = [
            #"{"id":1,"p":3,"v":null}"#, #"{"id":2,"p":null,"v":"x"}"#, #"{"id":3,"p":4,"v":null}"#,
        ]
        #expect(try self.objects("na.sqlite", "Na") == objects)
        #expect(try cron("import", "na.csv", "--into", "na.sqlite") == .silentSuccess)
        #expect(try self.objects("na.sqlite", "Na") == objects)
        try write("na.csv", "id,v,p\n1,-,-\n2,NULL,5\n3,N/A,6\n")
        #expect(try cron("import", "na.csv", "--into", "na.sqlite") == .silentSuccess)
        #expect(
            try self.objects("na.sqlite", "Na") == [
                #"{"id":1,"p":null,"v":"-"}"#, #"{"id":2,"p":5,"v":"NULL"}"#,
                #"{"id":3,"p":6,"v":null}"#,
            ])
    }

    @Test(
        "text that looks like null stays text in a text column of the store",
        arguments: ["1,NA\n2,N/A\n", "1,NA\n2,-\n", "1,NA\n2,\\N\n3,None\n4,-\n"])
    func textsStay(_ rows: String) throws {
        try write("t.csv", "id,c\n1,NA\n2,DE\n")
        #expect(try cron("import", "t.csv", "--into", "t.sqlite") == .silentSuccess)
        try write("t.csv", "id,c\n" + rows)
        for flags in [[], ["--null", "zz"], ["--null", ""]] {
            #expect(
                try Tool.etl(["import", "t.csv", "--into", "t.sqlite"] + flags, in: folder.path)
                    == .silentSuccess)
            #expect(
                try self.rows("SELECT ZID || ',' || ZC FROM ZT ORDER BY ZID", in: "t.sqlite")
                    == rows.split(separator: "\n").map(String.init))
        }
    }

    @Test("--null replaces the guesses, and later imports use the same values")
    func toldNulls() throws {
        try write("t.csv", "id,c,n\n1,NA,zz\n2,zz,5\n3,N/A,6\n")
        let objects = [
            #"{"id":1,"c":"NA","n":null}"#, #"{"id":2,"c":null,"n":5}"#,
            #"{"id":3,"c":"N/A","n":6}"#,
        ]
        #expect(
            try cron("import", "t.csv", "--into", "t.sqlite", "--null", "zz") == .silentSuccess)
        #expect(try self.objects("t.sqlite", "T") == objects)
        #expect(try cron("import", "t.csv", "--into", "t.sqlite") == .silentSuccess)
        #expect(try self.objects("t.sqlite", "T") == objects)
        try write("t.csv", "id,c,n\n1,zz,4\n2,,5\n3,-,6\n")
        #expect(
            try cron("import", "t.csv", "--into", "t.sqlite", "--null", "") == .silentSuccess)
        #expect(
            try self.objects("t.sqlite", "T") == [
                #"{"id":1,"c":"zz","n":4}"#, #"{"id":2,"c":null,"n":5}"#,
                #"{"id":3,"c":"-","n":6}"#,
            ])
    }

    @Test("reads text that looks like null as null in a number of the store, and warns")
    func guessesInNumbers() throws {
        try write("t.csv", "id,n\n1,7\n2,8\n")
        #expect(try cron("import", "t.csv", "--into", "t.sqlite") == .silentSuccess)
        try write("t.csv", "id,n\n1,NA\n2,9\n")
        let told = warned(
            "t.csv: warning: Read as null: 'NA' in n (1 row, the first at t.csv:2)")
        #expect(try cron("import", "t.csv", "--into", "t.sqlite") == told)
        #expect(try objects("t.sqlite", "T") == [#"{"id":1,"n":null}"#, #"{"id":2,"n":9}"#])
    }

    @Test("an added column has its own texts that are read as null")
    func addedColumn() throws {
        try write("t.csv", "id,c\n1,NA\n2,DE\n")
        #expect(try cron("import", "t.csv", "--into", "t.sqlite") == .silentSuccess)
        try write("t.csv", "id,c,d\n1,N/A,N/A\n2,DE,x\n")
        let told = warned(
            "t.csv: warning: Read as null: 'N/A' in d (1 row, the first at t.csv:2)")
        let result = try cron("import", "t.csv", "--into", "t.sqlite", "--add-columns")
        #expect(result.status == 0)
        #expect(result.standardError == told.standardError)
        #expect(
            try objects("t.sqlite", "T") == [
                #"{"id":1,"c":"N/A","d":null}"#, #"{"id":2,"c":"DE","d":"x"}"#,
            ])
        #expect(try cron("import", "t.csv", "--into", "t.sqlite") == .silentSuccess)
    }

    @Test("null for an object clears every property filled from it, whatever other records have")
    func nullObject() throws {
        try write(
            "t.ndjson",
            """
            {"id":1,"addr":{"city":"Bern","zip":"3000","geo":{"x":1}}}
            {"id":2,"addr":{"city":"Basel","zip":"4000","geo":{"x":2}}}

            """)
        #expect(try cron("import", "t.ndjson", "--into", "t.sqlite") == .silentSuccess)
        try write(
            "t.ndjson", #"{"id":1,"addr":null}"# + "\n" + #"{"id":2,"addr":{"city":"Ulm"}}"# + "\n")
        #expect(try cron("import", "t.ndjson", "--into", "t.sqlite") == .silentSuccess)
        #expect(
            try objects("t.sqlite", "T") == [
                #"{"id":1,"addrCity":null,"addrGeoX":null,"addrZip":null}"#,
                #"{"id":2,"addrCity":"Ulm","addrGeoX":2,"addrZip":"4000"}"#,
            ])
    }

    @Test("text that looks like null survives a CSV export and import")
    func exportedTexts() throws {
        let texts = ["NULL", "N/A", #"\N"#, "NA", "-", "None", "#N/A", "(null)", "nan", "x"]
        try write(
            "t.ndjson",
            texts.enumerated().map { place, text in
                let text = text.replacing(#"\"#, with: #"\\"#)
                return "{\"id\":\(place),\"c\":\"\(text)\"}\n"
            }.joined() + "{\"id\":10,\"c\":\"\"}\n{\"id\":11,\"c\":null}\n")
        #expect(try cron("import", "t.ndjson", "--into", "t.sqlite") == .silentSuccess)
        let before = try objects("t.sqlite", "T")
        let table = try cron("fetch", "t.sqlite", "T", "--format", "csv").standardOutput
        #expect(
            table == #"""
                id,c
                0,"NULL"
                1,"N/A"
                2,"\N"
                3,"NA"
                4,"-"
                5,"None"
                6,"#N/A"
                7,"(null)"
                8,"nan"
                9,x
                10,""
                11,

                """#)
        try write("T.csv", table)
        for store in ["t.sqlite", "new.sqlite"] {
            #expect(try cron("import", "T.csv", "--into", store) == .silentSuccess)
            #expect(try objects(store, "T") == before)
        }
    }
}
