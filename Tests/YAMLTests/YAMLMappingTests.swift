import Diagnostics
import Testing

@testable import YAML

@Suite("YAML reading layer") struct YAMLMappingTests {
    private enum Color: String, CaseIterable {
        case red, green, blue
    }

    private func read(_ text: String, _ body: (YAMLMapping) throws -> Void) throws -> String {
        let (root, diagnostics) = YAMLParser.parse(text, file: "a.yaml")
        #expect(diagnostics.isEmpty)
        let problems = YAMLProblems(file: "a.yaml", area: "spec")
        let value = YAMLValue(root: try #require(root), problems: problems)
        if let mapping = value.mapping() { try body(mapping) }
        return problems.sorted.map(DiagnosticRenderer.text).joined(separator: "\n")
    }

    @Test func readsEveryKindOfValue() throws {
        let text = "t: x\ni: 3\nn: 1.5\nb: true\nl: [1, 2]\no: one\nc: green\ns: 1.50\n"
        let problems = try read(text) { mapping in
            #expect(mapping.required("t")?.filledText() == "x")
            #expect(mapping.required("i")?.integer(in: 0...5) == 3)
            #expect(mapping.required("n")?.number() == 1.5)
            #expect(mapping.required("b")?.boolean() == true)
            #expect(mapping.required("l")?.list()?.compactMap { $0.integer() } == [1, 2])
            #expect(mapping.required("o")?.listOrOne()?.compactMap { $0.text() } == ["one"])
            #expect(mapping.required("c")?.choice(Color.self) == .green)
            #expect(mapping.required("s")?.scalarText() == "1.50")
            #expect(mapping.optional("absent")?.text() == nil)
            mapping.finish()
        }
        #expect(problems.isEmpty)
    }

    @Test func reportsEveryProblemWithItsPosition() throws {
        let text = """
            stages:
              - name: 5
                into: [a]
                keys: { a: 1 }
                rows: 9
                empty:
                blank: ""
                color: gren
                recieve: 1
            """
        let problems = try read(text) { mapping in
            let stage = try #require(mapping.required("stages")?.list()?.first?.mapping())
            _ = stage.required("name")?.text()
            _ = stage.required("into")?.text()
            _ = stage.required("keys")?.list()
            _ = stage.required("rows")?.integer(in: 1...5)
            _ = stage.required("empty")?.boolean()
            _ = stage.required("blank")?.filledText()
            _ = stage.required("color")?.choice(Color.self)
            _ = stage.optional("receive")
            _ = stage.required("to", fix: "say where the rows go")
            stage.finish()
            mapping.finish()
        }
        #expect(
            problems == """
                a.yaml:2:5: error: The key 'to' is missing [spec.missing-key]
                  in: stages[0]
                  fix: say where the rows go
                a.yaml:2:11: error: 'name' must be text, not the number 5 [spec.type]
                  in: stages[0].name
                  fix: put it in quotes: "5"
                a.yaml:3:11: error: 'into' must be text, not a list [spec.type]
                  in: stages[0].into
                a.yaml:4:11: error: 'keys' must be a list, not a mapping [spec.type]
                  in: stages[0].keys
                a.yaml:5:11: error: 'rows' must be from 1 to 5, not 9 [spec.range]
                  in: stages[0].rows
                a.yaml:6:11: error: 'empty' has no value; it must be true or false [spec.type]
                  in: stages[0].empty
                a.yaml:7:12: error: 'blank' is empty [spec.type]
                  in: stages[0].blank
                a.yaml:8:12: error: 'color' must be red, green, or blue, not 'gren'. \
                Did you mean 'green'? [spec.choice]
                  in: stages[0].color
                a.yaml:9:5: error: The key 'recieve' is unknown here. \
                Did you mean 'receive'? [spec.unknown-key]
                  in: stages[0].recieve
                """)
    }
}
