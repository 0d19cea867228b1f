import Foundation
import Testing

@Suite("Commands on stores in UTF-16") struct StoreEncodingCommandTests {
    @Test("commands reject a store in UTF-16 and print the command that recreates it in UTF-8")
    func areRefused() throws {
        let folder = try FailureFolder()
        try folder.writeTasks(100)
        #expect(try folder.run().status == 0)
        let (tables, graph) = (try folder.query(FailureFolder.schema), folder.text("out.csv"))
        let vacuum = try folder.query("PRAGMA auto_vacuum")
        let way = "(echo 'PRAGMA auto_vacuum = 2;'; sqlite3 STORE .dump) | sqlite3 NEW"
        let wide = try folder.shell(
            """
            (echo "PRAGMA encoding = 'UTF-16le';"; sqlite3 store.sqlite .dump) | sqlite3 wide.sqlite
            mv wide.sqlite store.sqlite
            """)
        #expect(wide.errors == "")
        for arguments in [
            "run spec.yaml", "run spec.yaml --dry-run", "fetch store.sqlite Task",
            "history store.sqlite", "verify store.sqlite",
            "verify store.sqlite --repair new.sqlite",
            "migrate store.sqlite --to model.yaml", "model show store.sqlite",
        ] {
            let seen = try folder.shell("exec \"$E\" \(arguments)")
            #expect(seen.status == 78, "\(arguments)")
            #expect(seen.output == "", "\(arguments)")
            let place = arguments.hasPrefix("model") ? "store.sqlite: " : ""
            #expect(
                seen.errors == """
                    \(place)error: store.sqlite keeps its texts in UTF-16le, and a store's are in UTF-8 \
                    [store.encoding]
                      fix: recreate the store in UTF-8, and replace STORE with NEW: \(way)

                    """, "\(arguments)")
        }
        let mended = way.replacing("STORE", with: "store.sqlite")
            .replacing("NEW", with: "new.sqlite")
        try folder.shell("\(mended); mv new.sqlite store.sqlite")
        #expect(vacuum == "2\n")
        #expect(try folder.query("PRAGMA auto_vacuum") == vacuum)
        #expect(try folder.shell("exec \"$E\" verify store.sqlite").status == 0)
        #expect(try folder.run().status == 0)
        #expect(try folder.query(FailureFolder.schema) == tables)
        #expect(folder.text("out.csv") == graph)
    }
}
