import Foundation
import Testing

/// Files of one entity that have other columns or another form, and documents of the store's entity.
extension ImportCommandTests {
    private func write(in folder: String, _ name: String, _ text: String) throws {
        try FileManager.default.createDirectory(
            atPath: "\(self.folder.path)/\(folder)", withIntermediateDirectories: true)
        try write("\(folder)/\(name)", text)
    }

    private func entities(_ store: String) throws -> [String] {
        try rows("SELECT Z_NAME FROM Z_PRIMARYKEY ORDER BY 1", in: store)
    }

    @Test("a file with one more column updates the objects of its entity")
    func oneColumnMore() throws {
        try write("c.csv", "id,n\n1,x\n2,y\n")
        #expect(try cron("import", "c.csv", "--into", "s.sqlite") == .silentSuccess)
        try write(in: "a", "c.csv", "id,n\n1,x\n2,y\n")
        try write(in: "b", "c.csv", "id,n,z\n1,new,5\n3,w,6\n")
        #expect(
            try etl("import", "a/c.csv", "b/c.csv", "--into", "s.sqlite")
                == ToolResult(
                    status: 0,
                    standardOutput: """
                        C from c.csv: key id; n String
                        C from c.csv: key id; n String
                        Imported into s.sqlite: 4 read, 1 inserted, 1 updated, 2 unchanged

                        """,
                    standardError: """
                        c.csv: warning: C has no property for z, which is skipped [import.skipped-columns]
                          fix: add it to the store's model with --add-columns

                        """))
        #expect(try entities("s.sqlite") == ["C"])
        #expect(
            try rows("SELECT ZID, ZN FROM ZC ORDER BY 1", in: "s.sqlite")
                == ["1|new", "2|y", "3|w"])
        let added = try etl(
            "import", "b/c.csv", "a/c.csv", "--into", "s.sqlite", "--add-columns")
        #expect(
            added
                == ToolResult(
                    status: 0,
                    standardOutput: """
                        C from c.csv: key id; n String, z Integer 64
                        C from c.csv: key id; n String
                        New in the store's model: C.z Integer 64
                        The old store is s.sqlite.bak-v1
                        Imported into s.sqlite: 4 read, 3 updated, 1 unchanged

                        """))
        #expect(
            try rows("SELECT ZID, ZN, ZZ FROM ZC ORDER BY 1", in: "s.sqlite")
                == ["1|x|5", "2|y|", "3|w|6"])
    }

    @Test(
        "daily files and parts fill one entity, even if one of them has more columns",
        arguments: [
            ["items-2024-01.csv", "items-2024-02.csv"], ["items-1-of-2.csv", "items-2-of-2.csv"],
        ])
    func daysAndParts(files: [String]) throws {
        try write(files[0], "id,Item Name\n1,a\n2,b\n")
        try write(files[1], "id,item_name,price\n2,c,2.5\n3,d,3.5\n")
        let import1 = ["import"] + files + ["--into", "t.sqlite"]
        #expect(
            try Tool.etl(import1, in: folder.path)
                == ToolResult(status: 0, standardOutput: "", standardError: ""))
        #expect(try entities("t.sqlite") == ["Items"])
        #expect(
            try rows("SELECT ZID, ZITEMNAME, ZPRICE FROM ZITEMS ORDER BY 1", in: "t.sqlite")
                == ["1|a|", "2|c|2.5", "3|d|3.5"])
        #expect(
            try Tool.etl(import1 + ["-v"], in: folder.path).standardOutput
                == """
                Items from \(files[0]): key id; itemName String
                Items from \(files[1]): key id; itemName String, price Decimal
                Imported into t.sqlite: 4 read, 2 updated, 2 unchanged

                """)
    }

    @Test("a table and a document of one name fill one entity; fields they lack are unchanged")
    func tableAndDocument() throws {
        try write("items.csv", "id,n,on,price\n1,a,true,1.5\n2,b,false,2.5\n")
        try write("items.ndjson", #"{"id":2,"n":"c","on":true,"tags":["x","y"]}"# + "\n")
        let plain = try cron("import", "items.csv", "items.ndjson", "--into", "t.sqlite")
        #expect(plain == .silentSuccess)
        #expect(try entities("t.sqlite") == ["Items", "Tags"])
        #expect(
            try rows("SELECT ZID, ZN, ZON, ZPRICE FROM ZITEMS ORDER BY 1", in: "t.sqlite")
                == ["1|a|1|1.5", "2|c|1|2.5"])
        #expect(try rows("SELECT ZNAME FROM ZTAGS ORDER BY 1", in: "t.sqlite") == ["x", "y"])
        try write("u.csv", "id,n,on,price\n1,z,true,1.5\n")
        try write("items.ndjson", #"{"id":2,"n":"d"}"# + "\n")
        #expect(
            try cron("import", "items.ndjson", "items.csv", "--into", "t.sqlite")
                == .silentSuccess)
        #expect(try entities("t.sqlite") == ["Items", "Tags"])
        #expect(
            try rows("SELECT ZID, ZN, ZON, ZPRICE FROM ZITEMS ORDER BY 1", in: "t.sqlite")
                == ["1|a|1|1.5", "2|b|0|2.5"])
    }

    @Test("files of one name without common fields fill two entities and give a warning")
    func nothingInCommon() throws {
        try write(in: "a", "c.csv", "id,n\n1,x\n2,y\n")
        try write(in: "b", "c.csv", "code,color,size\nA,red,3\nB,blue,4\n")
        let result = try etl("import", "a/c.csv", "b/c.csv", "--into", "s.sqlite")
        #expect(
            result
                == ToolResult(
                    status: 0,
                    standardOutput: """
                        C from c.csv: key id; n String
                        C2 from c.csv: key code; color String, size Integer 64
                        Imported into s.sqlite (new): 4 read, 4 inserted
                        Next: etl fetch s.sqlite C

                        """,
                    standardError: """
                        b/c.csv: warning: The records have neither the key nor half of the fields of those in c.csv, so they are C2, and not C [infer.same-name]
                          fix: import the file alone, and name its entity with --entity; if both are of one kind, give the key one name in both files

                        """))
    }

    @Test("a document with one list fills the entity of the store that has the list's name")
    func oneListOfTheStore() throws {
        try write(
            "d.json",
            #"{"users":[{"id":1,"name":"a"}],"posts":[{"id":7,"t":"x"},{"id":8,"t":"y"}]}"#)
        #expect(try cron("import", "d.json", "--into", "s.sqlite") == .silentSuccess)
        try write("o.json", #"{"posts":[{"id":7,"t":"new"}]}"#)
        #expect(
            try etl("import", "o.json", "--into", "s.sqlite")
                == ToolResult(
                    status: 0,
                    standardOutput: """
                        Posts from o.json: key id; t String
                        Imported into s.sqlite: 1 read, 1 updated

                        """))
        #expect(try entities("s.sqlite") == ["Posts", "Users"])
        #expect(
            try rows("SELECT ZID, ZT FROM ZPOSTS ORDER BY 1", in: "s.sqlite") == ["7|new", "8|y"])
        // A list of that name with other records fills an entity that is named after its file.
        try write("p.json", #"{"posts":[{"code":"A","height":2},{"code":"B","height":3}]}"#)
        #expect(try cron("import", "p.json", "--into", "s.sqlite").status == 0)
        #expect(try entities("s.sqlite") == ["P", "Posts", "Users"])
    }

    // MARK: Join tables

    private func writeEnrollment() throws {
        try write("students.csv", "id,name\n1,A\n2,B\n")
        try write("courses.csv", "id,title\n10,X\n20,Y\n")
        try write("enroll.csv", "student_id,course_id\n1,10\n2,10\n")
        #expect(
            try cron(
                "import", "students.csv", "courses.csv", "enroll.csv", "--into", "s.sqlite")
                == .silentSuccess)
    }

    func masked(_ text: String) -> String {
        text.replacing(#/import-[a-z0-9-]+-\d+T\d+Z-\d+|\d{8}T\d+Z-\d+/#, with: "RUN")
    }

    @Test("an entity that was imported before the one it refers to gets a warning and no link")
    func wrongOrder() throws {
        try write(
            "Artist.csv", "ArtistId,Name\n" + (1...20).map { "\($0),a\($0)\n" }.joined())
        try write(
            "Album.csv",
            "AlbumId,Title,ArtistId\n" + (1...30).map { "\($0),t\($0),\($0 % 20 + 1)\n" }.joined())
        #expect(try cron("import", "Album.csv", "--into", "s.sqlite") == .silentSuccess)
        #expect(try cron("import", "Artist.csv", "--into", "s.sqlite").status == 0)
        #expect(
            try cron("import", "Album.csv", "Artist.csv", "--into", "s.sqlite")
                == ToolResult(
                    status: 0,
                    standardError: """
                        Album.csv: warning: Album.artistId holds the keys of Artist, but the store has \
                        it as an attribute, so no link is added [import.not-linked]
                          fix: import the files of Artist and Album together into a new store, or \
                        change the model with `etl migrate`

                        """))
    }

    @Test("a join table that is imported alone is reported if the store has one of its entities")
    func joinTableWithOneEntity() throws {
        try write("Playlist.csv", "PlaylistId,Name\n1,A\n2,B\n3,C\n4,D\n5,E\n")
        try write("PlaylistTrack.csv", "PlaylistId,TrackId\n1,1\n2,2\n3,3\n4,4\n5,5\n")
        #expect(try cron("import", "Playlist.csv", "--into", "p.sqlite") == .silentSuccess)
        #expect(
            try cron("import", "PlaylistTrack.csv", "--into", "p.sqlite").standardError == """
                PlaylistTrack.csv: warning: PlaylistTrack holds only the keys of Playlist and Track, so \
                it may be a join table; imported alone, its records become objects [import.join-table]
                  fix: import it together with the files of Playlist and Track into a new store, to \
                get a relationship

                """)
    }

    @Test("a join table fills the relationship and rejects unknown and empty keys")
    func danglingPairs() throws {
        try writeEnrollment()
        try write("enroll.csv", "student_id,course_id\n2,20\n9,10\n,10\n2,\n")
        let result = try etl("import", "enroll.csv", "--into", "s.sqlite")
        #expect(result.status == 65)
        #expect(result.standardOutput == "Courses.students → Students from enroll.csv\n")
        #expect(
            masked(result.standardError) == """
                enroll.csv:5:1: error: 'id' is part of the key, and 'course_id' is empty in the record [key]
                  in: record 4, field 'course_id', byte 35
                enroll.csv:3:1: error: No Students has id 9 (for 'students') [link]
                  in: record 2, field 'student_id', byte 26
                enroll.csv:4:1: error: 'students' needs an object, and 'student_id' names none [required]
                  in: record 3, field 'student_id', byte 31
                error: 3 of 4 records were rejected; none is allowed [rejects.too-many]
                  fix: correct the file and import it again, or allow rejects with --allow-rejects; the records are in rejects/RUN
                note: Courses.students: 1 linked, 3 rejected; s.sqlite has these objects, and the next import continues after them [import.saved]

                """)
        #expect(try entities("s.sqlite") == ["Courses", "Students"])
        #expect(
            try objects("s.sqlite", "Students") == [
                #"{"id":1,"name":"A","courses":[10]}"#, #"{"id":2,"name":"B","courses":[10,20]}"#,
            ])
    }

    @Test("a join table with unknown keys on both sides links the objects that exist")
    func unknownPairs() throws {
        try writeEnrollment()
        try write("enroll.csv", "student_id,course_id\n2,20\n9,10\n1,99\n")
        let result = try etl("import", "enroll.csv", "--into", "s.sqlite")
        #expect(result.status == 65)
        #expect(result.standardOutput == "Students.courses → Courses from enroll.csv\n")
        #expect(
            masked(result.standardError) == """
                enroll.csv:3:1: error: No Students has id 9 (for 'id') [key]
                  in: record 2, field 'student_id', byte 26
                enroll.csv:4:3: error: No Courses has id 99 (for 'courses') [link]
                  in: record 3, field 'course_id', byte 33
                error: 2 of 3 records were rejected; none is allowed [rejects.too-many]
                  fix: correct the file and import it again, or allow rejects with --allow-rejects; the records are in rejects/RUN
                note: Students.courses: 1 linked, 2 rejected; s.sqlite has these objects, and the next import continues after them [import.saved]

                """)
        #expect(try entities("s.sqlite") == ["Courses", "Students"])
        #expect(
            try objects("s.sqlite", "Students") == [
                #"{"id":1,"name":"A","courses":[10]}"#, #"{"id":2,"name":"B","courses":[10,20]}"#,
            ])
        #expect(
            try cron("import", "enroll.csv", "--into", "s.sqlite", "--allow-rejects", "2").status
                == 0)
    }

    @Test("the result of an import counts the records of a join table as linked")
    func links() throws {
        try writeEnrollment()
        let decisions = """
            Students from students.csv: key id; name String
            Courses from courses.csv: key id; title String
            Students.courses → Courses from enroll.csv

            """
        let files = ["students.csv", "courses.csv", "enroll.csv"]
        for (store, last) in [
            ("s.sqlite", ": 4 read, 4 unchanged; Students.courses: 2 linked\n"),
            (
                "t.sqlite",
                " (new): 4 read, 4 inserted; Students.courses: 2 linked\n"
                    + "Next: etl fetch t.sqlite Students\n"
            ),
        ] {
            #expect(
                try Tool.etl(["import", "-v"] + files + ["--into", store], in: folder.path)
                    == ToolResult(
                        status: 0,
                        standardOutput: decisions + "Imported into \(store)\(last)"))
        }
    }

    @Test("an import that cannot change the model does not report a change")
    func unchangedModel() throws {
        try write("t.csv", "id,n\n1,5\n")
        #expect(try cron("import", "t.csv", "--into", "s.sqlite") == .silentSuccess)
        try write("t.csv", "id,n,z\n1,x,5\n")
        #expect(try cron("import", "t.csv", "--into", "s.sqlite").status == 65)
        let result = try etl("import", "t.csv", "--into", "s.sqlite", "--add-columns")
        #expect(result.status == 65)
        #expect(result.standardOutput == "T from t.csv: key id; n Integer 64, z Integer 64\n")
        #expect(
            masked(result.standardError) == """
                error: s.sqlite holds the unfinished run RUN of import-t, so its model cannot be changed; nothing was imported [import.unfinished]
                  fix: import again with --restart, which reads all files from the beginning

                """)
    }
}
