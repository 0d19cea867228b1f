import Foundation
import Testing

/// Fixes in messages for mistakes that stem from other tools.
@Suite("Fixes for habits of other tools") struct MessageFixTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try write("t.csv", "id,name\n1,a\n2,\n")
        _ = try etl("import", "t.csv", "--into", "t.sqlite", "-q")
    }

    private func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder.path)/\(name)"))
    }

    private func etl(_ arguments: String...) throws -> ToolResult {
        try Tool.etl(arguments, in: folder.path)
    }

    @Test(
        "IS NULL of SQL fails with the comparison with nil as the fix",
        arguments: [
            ("name IS NULL", "     ^", "IS NULL", "name == nil"),
            ("name  is not null", "      ^", "IS NOT NULL", "name != nil"),
        ])
    func isNull(_ text: String, _ caret: String, _ words: String, _ fix: String) throws {
        #expect(
            try etl("fetch", "t.sqlite", "T", "--where", text)
                == ToolResult(
                    status: 64,
                    standardError: """
                        --where: error: \(words) is SQL; predicates compare with nil [predicate.syntax]
                          \(text)
                          \(caret)
                          fix: write `\(fix)`

                        """))
        #expect(
            try etl("fetch", "t.sqlite", "T", "--where", fix, "--fields", "id").standardOutput
                == (fix.contains("==") ? "{\"id\":2}\n" : "{\"id\":1}\n"))
    }

    @Test(
        "IS NULL is reported anywhere in a predicate",
        arguments: [
            ("id > 1 AND name IS NULL", "IS NULL", "name == nil"),
            ("NOT name IS NULL", "IS NULL", "name == nil"),
            ("(name IS NOT NULL) AND id > 1", "IS NOT NULL", "name != nil"),
            ("id > 1 OR (id < 0 AND name is null)", "IS NULL", "name == nil"),
            ("name IS NULL OR id > 1", "IS NULL", "name == nil"),
        ])
    func isNullInside(_ text: String, _ words: String, _ fix: String) throws {
        let result = try etl("fetch", "t.sqlite", "T", "--where", text)
        #expect(result.status == 64)
        #expect(
            result.standardError.hasPrefix(
                "--where: error: \(words) is SQL; predicates compare with nil [predicate.syntax]\n"),
            "\(result)")
        #expect(result.standardError.hasSuffix("\n  fix: write `\(fix)`\n"), "\(result)")
    }

    @Test("fetch warns of % in LIKE, the wildcard of SQL", arguments: [false, true])
    func like(_ counts: Bool) throws {
        let flags = counts ? ["--count"] : ["--fields", "id"]
        #expect(
            try Tool.etl(
                ["fetch", "t.sqlite", "T", "--where", "name LIKE 'a%'"] + flags, in: folder.path)
                == ToolResult(
                    status: 0, standardOutput: counts ? "0\n" : "",
                    standardError: """
                        --where: warning: LIKE takes % for itself in 'a%'; * is any text, and ? one \
                        character [predicate.like-percent]
                          fix: write 'a*'

                        """))
    }

    @Test("a missing spec fails with a similar name")
    func missingSpec() throws {
        try write("nightly.yaml", "etl: 1\n")
        #expect(
            try etl("run", "nightl.yaml")
                == ToolResult(
                    status: 78,
                    standardError: """
                        nightl.yaml: error: The file does not exist. Did you mean 'nightly.yaml'? \
                        [file.missing]
                          fix: check the name; a relative path starts at the working folder

                        """))
    }

    @Test("fetch of a file of records fails with the command that creates a store")
    func fetchOfRecords() throws {
        #expect(
            try etl("fetch", "t.csv", "T")
                == ToolResult(
                    status: 74,
                    standardError: """
                        error: t.csv is not an SQLite file, or is damaged [store.corrupt]
                          fix: name a store; `etl import FILE --into STORE` creates one; if it was \
                        a store, see `etl verify t.csv`

                        """))
    }

    @Test("an empty name of the store fails, and a new folder is printed")
    func storeNames() throws {
        let empty = try etl("import", "t.csv", "--into", "")
        #expect(empty.status == 64)
        #expect(
            empty.standardError.contains("--into has an empty name; name the store's file"),
            "\(empty)")
        #expect(
            try etl("import", "t.csv", "--into", "new/t.sqlite", "-v")
                == ToolResult(
                    status: 0,
                    standardOutput: """
                        T from t.csv: key id; name String
                        The folder new is new
                        Imported into new/t.sqlite (new): 2 read, 2 inserted
                        Next: etl fetch new/t.sqlite T

                        """))
    }

    @Test("a misspelled key gives no second error for the key that is missing")
    func comand() throws {
        try write(
            "s.yaml",
            """
            etl: 1
            store: { at: t.sqlite }
            stages:
            - { import: t, read: { comand: [cat, t.csv], as: csv }, into: T }
            """)
        #expect(
            try etl("check", "s.yaml")
                == ToolResult(
                    status: 78,
                    standardError: """
                        s.yaml:4:24: error: The key 'comand' is unknown here. Did you mean 'command'? \
                        [spec.unknown-key]
                          in: stages[0].read.comand

                        """))
    }

    @Test("suggests the missing key that begins with the unknown one over a closer match")
    func shortKey() throws {
        try write(
            "s.yaml",
            """
            etl: 1
            store: { at: t.sqlite }
            stages:
            - { import: t, read: { files: t.csv }, in: T }
            """)
        #expect(
            try etl("check", "s.yaml")
                == ToolResult(
                    status: 78,
                    standardError: """
                        s.yaml:4:40: error: The key 'in' is unknown here. Did you mean 'into'? \
                        [spec.unknown-key]
                          in: stages[0].in

                        """))
    }

    @Test(
        "`date: unix` and `date: epoch-ms` fail with `number` as the fix",
        arguments: [("unix", "seconds"), ("epoch-ms", "milliseconds")])
    func epoch(_ word: String, _ form: String) throws {
        try write(
            "s.yaml",
            """
            etl: 1
            store: { at: t.sqlite }
            stages:
            - import: t
              read: { files: t.csv }
              into: T
              set: { name: { date: \(word) } }
            """)
        #expect(
            try etl("check", "s.yaml").standardError.hasPrefix(
                """
                s.yaml:7:24: error: '\(word)' is not a date pattern [spec.date-pattern]
                  in: stages[0].set.name.date
                  fix: write `number: \(form)` for the \(form) since 1970 instead of `date`

                """))
    }

    @Test("explain describes the results of records")
    func results() throws {
        #expect(
            try etl("explain", "superseded")
                == ToolResult(
                    status: 0,
                    standardOutput: """
                        superseded
                          Another record of the same import has the same key and was used instead.
                          → Set `duplicates` to first to keep the first one, or to reject to list them.

                        """))
        let overview = try etl("explain").standardOutput
        #expect(overview.contains("\nResults of records\n  inserted    The record has created"))
    }
}
