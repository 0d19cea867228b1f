import Diagnostics
import Testing

@testable import GraphModel

@Suite("Rules over whole objects") struct RuleLintTests {
    @Test func checksRulesAgainstTheModel() {
        let text = """
            model: 1
            entities:
              Task:
                attributes:
                  done: Boolean
                  at: Date
                  days: { type: Integer 32, transient: true }
                relationships: { owner: { to: Task, inverse: tasks }, tasks: { to: Task, many: true, inverse: owner } }
                validate:
                  - { rule: "at == nil OR done == YES", message: fine }
                  - { rule: "att == nil", message: unknown }
                  - { rule: "at ==", message: cut }
                  - { rule: "owner.done == YES", message: far }
                  - { rule: "days > 3", message: transient }
            """
        let found = ModelFile.read(text: text, file: "m.yaml").diagnostics
        #expect(
            found.map(DiagnosticRenderer.text).joined(separator: "\n") == """
                m.yaml:11:17: error: 'Task' has no property 'att'. Did you mean 'at'? (column 1) \
                [predicate.unknown-key]
                  in: entities.Task.validate[1].rule
                m.yaml:12:17: error: A value is missing at the end (column 6) [predicate.syntax]
                  in: entities.Task.validate[2].rule
                m.yaml:13:17: error: A rule may not follow a relationship yet, as 'owner.done' \
                does [model.rule]
                  in: entities.Task.validate[3].rule
                  fix: use properties of the object itself
                m.yaml:14:17: error: 'days' is transient, so no stored row has it [model.rule]
                  in: entities.Task.validate[4].rule
                """)
    }
}
