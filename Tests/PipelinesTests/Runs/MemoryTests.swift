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
}
