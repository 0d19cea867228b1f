import Testing

@testable import Pipelines

/// Syntax characters before combining marks, with which they form one `Character`.
@Suite("Combining marks after separators") struct CombiningMarkTests {
    private static let mark = "\u{301}"

    @Test("--set splits at the first equals sign, even before a combining mark")
    func assignment() throws {
        let assignment = try #require(Assignment("t=\(Self.mark)x=y"))
        #expect(assignment.name == "t")
        #expect(Array(assignment.value.unicodeScalars) == Array("\(Self.mark)x=y".unicodeScalars))
        #expect(Assignment("=x") == nil)
        #expect(Assignment("x") == nil)
    }

    @Test("a template ends its parameters at the brace, even before a combining mark")
    func template() throws {
        let folder = try Workspace()
        try folder.write("model.yaml", InputTests.model)
        try folder.write("a.ndjson", #"{"id":"1"}"#)
        let run = try folder.run(
            """
            etl: 1
            params: { t: { type: string } }
            store: { at: store.sqlite, model: model.yaml, open: create }
            stages:
              - { import: a.ndjson, into: Task }
              - { export: Task, to: "out${t}\(Self.mark)$${t.csv" }
            """, sets: ["t=\(Self.mark)x"])
        #expect(run.text == "")
        #expect(folder.exists("out\(Self.mark)x\(Self.mark)${t.csv"), "\(folder.names())")
    }
}
