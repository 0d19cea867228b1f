import Foundation
import Testing

/// Later imports of files that changed: the store's model decides what their columns fill.
extension ImportCommandTests {
    /// Returns the objects of an entity as a fetch shows them.
    func objects(_ store: String, _ entity: String) throws -> [String] {
        try cron("fetch", store, entity, "--format", "ndjson").standardOutput
            .split(separator: "\n").map(String.init)
    }

    private func said(_ lines: String..., error: String = "", status: Int32 = 0) -> ToolResult {
        ToolResult(
            status: status, standardOutput: lines.map { $0 + "\n" }.joined(), standardError: error)
    }

    // MARK: Names

    @Test("columns that differ only in case keep their properties in any order and alone")
    func namesOfCase() throws {
        try write("n.csv", "id,Name,name\n1,a,b\n")
        let line = "N from n.csv: key id; name2 String, name String"
        #expect(
            try etl("import", "n.csv", "--into", "n.sqlite")
                == said(
                    line, "Imported into n.sqlite (new): 1 read, 1 inserted",
                    "Next: etl fetch n.sqlite N"))
        for flags in [[], ["--add-columns"]] {
            #expect(
                try Tool.etl(
                    ["import", "n.csv", "--into", "n.sqlite", "-v"] + flags, in: folder.path)
                    == said(line, "Imported into n.sqlite: 1 read, 1 unchanged"))
        }
        try write("n.csv", "name,id,Name\nb,1,a\n")
        #expect(
            try etl("import", "n.csv", "--into", "n.sqlite", "--add-columns")
                == said(
                    "N from n.csv: key id; name String, name2 String",
                    "Imported into n.sqlite: 1 read, 1 unchanged"))
        try write("n.csv", "id,Name\n1,A\n")
        #expect(
            try etl("import", "n.csv", "--into", "n.sqlite")
                == said(
                    "N from n.csv: key id; name2 String",
                    "Imported into n.sqlite: 1 read, 1 updated"))
        try write("n.csv", "id,name\n1,B\n")
        #expect(
            try etl("import", "n.csv", "--into", "n.sqlite")
                == said(
                    "N from n.csv: key id; name String",
                    "Imported into n.sqlite: 1 read, 1 updated"))
        #expect(try objects("n.sqlite", "N") == [#"{"id":1,"name":"B","name2":"A"}"#])
    }

    @Test("columns that differ only in separators keep their properties")
    func namesOfSeparators() throws {
        try write("m.csv", "id,a_b,aB,A_B\n1,x,y,z\n")
        #expect(try cron("import", "m.csv", "--into", "m.sqlite") == .silentSuccess)
        let first = [#"{"id":1,"aB":"y","aB2":"z","aB3":"x"}"#]
        #expect(try objects("m.sqlite", "M") == first)
        try write("m.csv", "A_B,aB,a_b,id\nz,y,x,1\n")
        #expect(
            try cron("import", "m.csv", "--into", "m.sqlite", "--add-columns") == .silentSuccess)
        #expect(try objects("m.sqlite", "M") == first)
        try write("m.csv", "id,a_b\n1,X\n")
        #expect(try cron("import", "m.csv", "--into", "m.sqlite") == .silentSuccess)
        #expect(try objects("m.sqlite", "M") == [#"{"id":1,"aB":"y","aB2":"z","aB3":"X"}"#])
    }

    @Test("a column that is added later gets its own property, and an export fits both")
    func nameAddedLater() throws {
        try write("n.csv", "id,Name\n1,a\n")
        #expect(try cron("import", "n.csv", "--into", "n.sqlite") == .silentSuccess)
        try write("n.csv", "id,name,Name\n1,b,A\n")
        #expect(
            try cron("import", "n.csv", "--into", "n.sqlite")
                == ToolResult(
                    status: 0,
                    standardError: """
                        n.csv: warning: N has no property for name, which is skipped [import.skipped-columns]
                          fix: add it to the store's model with --add-columns

                        """))
        #expect(
            try cron("import", "n.csv", "--into", "n.sqlite", "--add-columns")
                == said(
                    "New in the store's model: N.name2 String", "The old store is n.sqlite.bak-v1"))
        let both = [#"{"id":1,"name":"A","name2":"b"}"#]
        #expect(try objects("n.sqlite", "N") == both)
        try write("N.csv", "id,name,name2\n1,A,b\n")
        #expect(
            try etl("import", "N.csv", "--into", "n.sqlite")
                == said(
                    "N from N.csv: key id; name String, name2 String",
                    "Imported into n.sqlite: 1 read, 1 unchanged"))
        try write("n.csv", "id,name\n1,B\n")
        #expect(try cron("import", "n.csv", "--into", "n.sqlite") == .silentSuccess)
        #expect(try objects("n.sqlite", "N") == [#"{"id":1,"name":"A","name2":"B"}"#])
    }

    // MARK: Missing values

    @Test("a column without values clears attributes, links, and flattened objects")
    func nothingInTheFile() throws {
        try write(
            "t.ndjson",
            """
            {"id":1,"tags":["x","y"],"who":"Ann","o":{"a":1,"b":"q"},"items":[{"sku":"x","qty":1}]}
            {"id":2,"tags":["x"],"who":"Bob","o":{"a":2,"b":"q"},"items":[{"sku":"x","qty":5}]}

            """)
        let line = """
            T from t.ndjson: key id; who String, oA Integer 64, oB String; tags → Tags, items → Items
            """
        #expect(
            try etl("import", "t.ndjson", "--into", "t.sqlite")
                == said(
                    line.replacing(
                        "tags → Tags, items → Items", with: "items → Items, tags → Tags"),
                    "Imported into t.sqlite (new): 2 read, 2 inserted; Items: 2 inserted",
                    "Next: etl fetch t.sqlite T"))
        try write("t.ndjson", #"{"id":1,"tags":[],"who":null,"o":null,"items":[]}"# + "\n")
        #expect(
            try etl("import", "t.ndjson", "--into", "t.sqlite")
                == said(line, "Imported into t.sqlite: 1 read, 1 updated; Items: 1 updated"))
        #expect(
            try objects("t.sqlite", "T") == [
                #"{"id":1,"oA":null,"oB":null,"who":null,"items":[],"tags":[]}"#,
                #"{"id":2,"oA":2,"oB":"q","who":"Bob","items":["x"],"tags":["x"]}"#,
            ])
        try write("c.csv", "id,name,size\n1,a,5\n")
        #expect(try cron("import", "c.csv", "--into", "c.sqlite") == .silentSuccess)
        try write("c.csv", "id,name,size\n1,,\n")
        #expect(try cron("import", "c.csv", "--into", "c.sqlite") == .silentSuccess)
        #expect(try objects("c.sqlite", "C") == [#"{"id":1,"name":null,"size":null}"#])
    }

    @Test("an object that the store keeps as JSON stays one attribute")
    func objectKeptAsJSON() throws {
        try write("t.ndjson", #"{"id":1,"set":{"a":1}}"# + "\n" + #"{"id":2,"set":"none"}"# + "\n")
        #expect(try cron("import", "t.ndjson", "--into", "t.sqlite") == .silentSuccess)
        try write("t.ndjson", #"{"id":1,"set":{"a":2,"tags":["x"]}}"# + "\n")
        #expect(try cron("import", "t.ndjson", "--into", "t.sqlite") == .silentSuccess)
        #expect(
            try objects("t.sqlite", "T") == [
                #"{"id":1,"set":{"a":2,"tags":["x"]}}"#, #"{"id":2,"set":"none"}"#,
            ])
    }

    // MARK: Keys of other objects

    private func writeBooks() throws {
        try write(
            "authors.ndjson",
            """
            {"id":"a1","name":"Ann"}
            {"id":"a2","name":"Bob"}
            {"id":"a3","name":"Cem"}

            """)
        try write(
            "books.ndjson",
            """
            {"id":1,"authors":["a1","a2"],"author_id":"a1"}
            {"id":2,"authors":["a3"],"author_id":"a2"}
            {"id":3,"authors":["a1"],"author_id":"a3"}

            """)
        #expect(
            try cron("import", "authors.ndjson", "books.ndjson", "--into", "b.sqlite")
                == .silentSuccess)
    }

    @Test("a file that contains only keys links to the objects of the store")
    func keysAlone() throws {
        try writeBooks()
        try write("books.ndjson", #"{"id":1,"authors":["a3","a1"],"author_id":"a2"}"# + "\n")
        let line = "Books from books.ndjson: key id; authors → Authors, author → Authors"
        #expect(
            try etl("import", "books.ndjson", "--into", "b.sqlite")
                == said(line, "Imported into b.sqlite: 1 read, 1 updated"))
        let books = [
            #"{"id":1,"author.id":"a2","authors":["a1","a3"]}"#,
            #"{"id":2,"author.id":"a2","authors":["a3"]}"#,
            #"{"id":3,"author.id":"a3","authors":["a1"]}"#,
        ]
        #expect(try objects("b.sqlite", "Books") == books)
        #expect(
            try etl("import", "books.ndjson", "--into", "b.sqlite")
                == said(line, "Imported into b.sqlite: 1 read, 1 unchanged"))
    }

    @Test(
        "an unknown key in a list is rejected like a single one",
        arguments: [
            (#""authors":["a1","a9"],"author_id":"a1""#, "authors", "authors[*]", 25),
            (#""authors":["a1"],"author_id":"a9""#, "author", "author_id", 38),
        ])
    func unknownKeys(fields: String, link: String, field: String, byte: Int) throws {
        try writeBooks()
        let before = try objects("b.sqlite", "Books")
        try write("books.ndjson", #"{"id":1,"# + fields + "}\n")
        for files in [["books.ndjson"], ["authors.ndjson", "books.ndjson"]] {
            let result = try Tool.etl(
                ["import"] + files + ["--into", "b.sqlite"], in: folder.path)
            #expect(result.status == 65)
            #expect(
                result.standardError.hasPrefix(
                    """
                    books.ndjson:1:\(byte + 1): error: No Authors has id 'a9' (for '\(link)') [link]
                      in: record 1, field '\(field)', byte \(byte)
                    error: 1 of 1 record was rejected; none is allowed [rejects.too-many]

                    """), "\(result)")
            #expect(try objects("b.sqlite", "Books") == before)
            #expect(try objects("b.sqlite", "Authors").count == 3)
        }
    }
}
