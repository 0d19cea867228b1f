import AppStoreFixtures
import Foundation
import Testing

/// Keys of daily files, of stores, and of exports.
extension ImportCommandTests {
    private func writeStock(_ column: String = "day") throws {
        for day in 1...3 {
            let rows = (1...4).map { "S\($0),\($0 * day),2026-11-0\(day)\n" }
            try write("stock-2026-11-0\(day).csv", "sku,stock,\(column)\n" + rows.joined())
        }
        try write("stock-2026-11-04.csv", "sku,stock,\(column)\n")
    }

    private static let stock = (1...4).map { "stock-2026-11-0\($0).csv" }

    private func imports(_ files: [String], _ store: String) throws -> ToolResult {
        try Tool.etl(["import"] + files + ["--into", store, "-v"], in: folder.path)
    }

    @Test("the date is part of the key if each file has a different date")
    func observations() throws {
        try writeStock()
        #expect(
            try imports(Self.stock, "s.sqlite").standardOutput == """
                Stock from stock-*.csv: key sku + day; stock Integer 64
                Imported into s.sqlite (new): 12 read, 12 inserted
                Next: etl fetch s.sqlite Stock

                """)
        #expect(
            try Tool.etl(["infer"] + Self.stock, in: folder.path).standardOutput.contains(
                "    unique: [[sku, day]]  # guessed: each of 3 files has a different 'day'\n"))
        // The guess is the same if another table contains the same codes.
        try write("orders.csv", "id,sku\n1,S1\n2,S2\n3,S1\n")
        #expect(
            try imports(Self.stock + ["orders.csv"], "o.sqlite").standardOutput.contains(
                "key sku + day"))
    }

    @Test("the key lacks the date if the files lack it, or if other records refer to their objects")
    func dumps() throws {
        for day in 1...2 {
            try write("stock-\(day).csv", "sku,stock\nS1,\(day)\nS2,\(day)\n")
            try write(
                "customers-2026-11-0\(day).csv",
                "id,city,day\n71,A,2026-11-0\(day)\n72,B\(day),2026-11-0\(day)\n")
        }
        #expect(
            try etl("import", "stock-1.csv", "stock-2.csv", "--into", "s.sqlite").standardOutput
                == """
                Stock from stock-*.csv: key sku; stock Integer 64
                Stock: several files have the same sku, and the record of the last one counts \
                (--key names other columns)
                Imported into s.sqlite (new): 4 read, 2 inserted, 2 superseded
                Next: etl fetch s.sqlite Stock

                """)
        try write("orders.csv", "id,customer_id\n1,71\n2,72\n3,72\n")
        let files = ["customers-2026-11-01.csv", "customers-2026-11-02.csv"]
        let alone = try imports(files, "c.sqlite")
        #expect(alone.standardOutput.contains("key id + day; city String\n"), "\(alone)")
        let linked = try imports(files + ["orders.csv"], "d.sqlite")
        #expect(linked.standardOutput.contains("key id; city String, day Date\n"), "\(linked)")
        #expect(linked.standardOutput.contains("customer → Customers\n"), "\(linked)")
        #expect(linked.standardOutput.contains("Customers: several files have the same id"))
    }

    @Test("an import without a key names a column whose values differ in many records")
    func possibleKey() throws {
        let rows = (1...20).map { "\($0 % 2),P-\($0)\n" }.joined()
        try write("cars.csv", "color,plate\n" + rows)
        #expect(
            try etl("import", "cars.csv", "--into", "c.sqlite")
                == ToolResult(
                    status: 0,
                    standardOutput: """
                        Cars from cars.csv: no key found, so identified by all columns; color Integer 64, \
                        plate String
                        Cars: plate has a different value in each record; if it is the key, import into a \
                        new store with --key plate
                        Imported into c.sqlite (new): 20 read, 20 inserted
                        Next: etl fetch c.sqlite Cars

                        """))
        #expect(
            try etl("import", "cars.csv", "--into", "k.sqlite", "--key", "plate").standardOutput
                .hasPrefix("Cars from cars.csv: key plate; color Integer 64\n"))
    }

    @Test("an export whose key consists of relationships can be imported again unchanged")
    func exportedReferences() throws {
        try write("orders.csv", "id,name\n1,a\n2,b\n")
        try write("products.csv", "pid,title\n1,x\n2,y\n3,z\n")
        try write("od.csv", "order,product,qty\n1,1,1\n1,2,2\n1,3,3\n2,1,2\n2,2,4\n2,3,6\n")
        #expect(
            try imports(["orders.csv", "products.csv", "od.csv"], "n.sqlite").status == 0)
        try write(
            "e.yaml",
            """
            etl: 1
            store: { at: n.sqlite }
            stages:
              - export: Orders
                to: exp/Orders.csv
              - export: Products
                to: exp/Products.csv
              - export: Od
                to: exp/Od.csv
              - export: again
                entity: Od
                to: exp/Od.json

            """)
        #expect(try cron("run", "e.yaml").status == 0)
        for name in ["Od.csv", "Od.json"] {
            let line =
                "Od from \(name): key order + product; qty Integer 64; order → Orders, product →"
                + " Products\n"
            let files = ["exp/Orders.csv", "exp/Products.csv", "exp/\(name)"]
            let copy = try imports(files, "\(name).sqlite")
            #expect(copy.standardOutput.contains(line), "\(copy)")
            #expect(copy.standardError == "")
            for flags in [[], ["--add-columns"]] {
                let again = try Tool.etl(
                    ["import", "exp/\(name)", "--into", "n.sqlite", "-v"] + flags, in: folder.path)
                #expect(
                    again
                        == ToolResult(
                            status: 0,
                            standardOutput: line
                                + "Imported into n.sqlite: 6 read, 6 unchanged\n"))
            }
        }
    }

    @Test("a file whose key column was renamed fails with the name in the store as the fix")
    func renamedKeyFixes() throws {
        try write("c.csv", "id,name\n1,a\n2,b\n")
        #expect(try cron("import", "c.csv", "--into", "c.sqlite") == .silentSuccess)
        try write("c.csv", "customer_no,name\n1,a\n3,b\n")
        let header = "correct the header: name the column 'id'; or import into a new store"
        for (flags, message, fix) in [
            ([], "No column of c.csv fills the key of C: id [import.key]", header),
            (
                ["--key", "customer_no"],
                "The column 'customer_no' of c.csv fills no property of C [import.key]", header
            ),
            (
                ["--key", "id"], "No record has the field 'id' [infer.known]",
                "name the column 'id' in the header, since it is the key of C in the store; or"
                    + " import into a new store"
            ),
        ] {
            #expect(
                try Tool.etl(["import", "c.csv", "--into", "c.sqlite"] + flags, in: folder.path)
                    == ToolResult(
                        status: 64, standardError: "error: \(message)\n  fix: \(fix)\n"))
        }
    }

    @Test("names the columns of the row key if --key or the file does not fit them")
    func toldKeyAndRowKey() throws {
        try write("log.csv", "day,what\n2026-01-01,a\n2026-01-01,a\n2026-01-02,a\n")
        #expect(try cron("import", "log.csv", "--into", "l.sqlite") == .silentSuccess)
        #expect(
            try cron("import", "log.csv", "--into", "l.sqlite", "--key", "day,what")
                == ToolResult(
                    status: 64,
                    standardError: """
                        error: Log of the store is identified by all columns, and not by day, what [import.key]
                          fix: leave out --key, or import into a new store

                        """))
        try write("log.csv", "x,y\n1,2\n")
        #expect(
            try cron("import", "log.csv", "--into", "l.sqlite")
                == ToolResult(
                    status: 64,
                    standardError: """
                        error: No column of log.csv is a property of Log [import.key]
                          fix: name columns as Log does: day, what; or name another entity with --entity

                        """))
    }

    @Test("a file without the key column is refused, and the fix works")
    func renamedKey() throws {
        try write("categories.csv", "id,name\n1,Home\n2,Work\n")
        #expect(try cron("import", "categories.csv", "--into", "c.sqlite") == .silentSuccess)
        try write("categories.csv", "ident,name\n1,Home\n3,Play\n")
        for flags in [[], ["--add-columns"]] {
            #expect(
                try Tool.etl(
                    ["import", "categories.csv", "--into", "c.sqlite"] + flags, in: folder.path)
                    == ToolResult(
                        status: 64,
                        standardError: """
                            error: No column of categories.csv fills the key of Categories: id [import.key]
                              fix: correct the header: name the column 'id'; or import into a new store

                            """))
        }
        try write("categories.csv", "id,name\n1,Home\n3,Play\n")
        #expect(try cron("import", "categories.csv", "--into", "c.sqlite") == .silentSuccess)
        #expect(
            try rows("SELECT ZID || ZNAME FROM ZCATEGORIES ORDER BY 1", in: "c.sqlite")
                == ["1Home", "2Work", "3Play"])
    }

    @Test("lists the properties of the entity if the file has no column of it")
    func noColumnOfTheEntity() throws {
        let work = try AppStoreFolder()
        try AppStoreFixture.make(at: work.store, work.model)
        try work.write("Film.csv", ["id,name", "1,a", "2,b"])
        for flags in [[], ["--key", "id"]] {
            let result = try Tool.etl(
                ["import", "Film.csv", "--into", work.store] + flags, in: work.outside.path)
            #expect(
                result
                    == ToolResult(
                        status: 64,
                        standardError: """
                            error: No column of Film.csv is a property of Film [import.key]
                              fix: name columns as Film does: addedOn, cover, settings, title, minutes, note, shelf; or name another entity with --entity

                            """), "\(result)")
        }
    }
}
