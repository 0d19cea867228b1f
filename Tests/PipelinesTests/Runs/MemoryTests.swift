import Testing

@testable import Pipelines

/// `budget.memory`: its allowed values, and imports with a small budget that have the same result.
@Suite("Memory")
struct MemoryTests {
    @Test("budget.memory must be a size of at least 32 MiB")
    func sizes() throws {
        let folder = try Workspace()
        try folder.write("model.yaml", InputTests.model)
        func check(_ memory: String) throws -> String {
            try folder.check(
                """
                etl: 1
                store: { at: a.sqlite, model: model.yaml, open: create }
                budget: { memory: \(memory) }
                stages: [{ import: a.ndjson, into: Task }]
                """)
        }
        #expect(try check("1GiB") == "")
        #expect(try check("32MiB") == "")
        #expect(
            try check("31MiB") == """
                spec.yaml:3:19: error: 'memory' must be at least 32MiB, which a load cannot do \
                without [spec.range]
                  in: budget.memory
                  fix: raise it, or leave it out for 256MiB
                """)
        #expect(try check("much").contains("'memory' must be a size such as 8MiB"))
    }

    @Test("imports a record that alone fills a batch, between small ones")
    func largeRecord() throws {
        let folder = try Workspace()
        let text = String(repeating: "x", count: 7 << 20)
        try folder.write(
            "notes.ndjson",
            #"{"id":1,"text":"a"}"# + "\n" + #"{"id":2,"text":"\#(text)"}"# + "\n"
                + #"{"id":3,"text":"c"}"#)
        let model = """
            model: 1
            entities: { Note: { attributes: { id: Integer 64, text: String }, unique: [[id]] } }
            """
        let stages = "- { import: notes.ndjson, into: Note }"
        for counts in ["3 inserted", "3 unchanged"] {
            let run = try folder.run(model: model, stages, top: "budget: { memory: 64MiB }")
            #expect(run.text == "")
            #expect(run.lines == ["import import-notes: 3 read, \(counts)"])
            #expect(
                try folder.rows("SELECT ZID, length(ZTEXT) FROM ZNOTE ORDER BY 1")
                    == ["1|1", "2|\(7 << 20)", "3|1"])
        }
    }
}
