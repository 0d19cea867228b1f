import Testing

@testable import Pipelines

/// One check reports every problem of a spec.
@Suite("All problems reported at once") struct AllProblemsTests {
    private func problems(overModel text: String) -> String {
        SpecificationTesting.problems("etl: 1\n\(text)\n\(SpecificationTesting.taskModel)\n")
    }

    private func problems(_ text: String) -> String {
        SpecificationTesting.problems("etl: 1\n\(text)\n")
    }

    @Test func reportsEveryMistakeInAPredicate() {
        let text = """
            stages:
              - delete: Task
                where: "prority > 3 AND titel == 'x' AND dueDat < $now AND $foo == 3"
              - update: raise
                entity: Task
                where: "ANY tags.nme == 'x' OR tags.name == 'y'"
                set: { price: "prioritty + prize", title: 5, prio: "1", priority: "9" }
              - import: in.ndjson
                into: Task
                keep-if: "status == $undeclared AND foo(x) == 1"
                set: { title: { expr: "uper(a)" }, price: { expr: "cast(a, 'Foo') + $nope + $nada" \
            } }
            """
        #expect(
            problems(overModel: text) == """
                a.yaml:4:12: error: 'Task' has no property 'prority'. Did you mean 'priority'? \
                [predicate.unknown-key]
                  prority > 3 AND titel == 'x' AND dueDat < $now AND $foo == 3
                  ^
                  in: stages[0].where
                a.yaml:4:12: error: 'Task' has no property 'titel'. Did you mean 'title'? \
                [predicate.unknown-key]
                  prority > 3 AND titel == 'x' AND dueDat < $now AND $foo == 3
                                  ^
                  in: stages[0].where
                a.yaml:4:12: error: 'Task' has no property 'dueDat'. Did you mean 'dueDate'? \
                [predicate.unknown-key]
                  prority > 3 AND titel == 'x' AND dueDat < $now AND $foo == 3
                                                   ^
                  in: stages[0].where
                a.yaml:4:12: error: The variable '$foo' has no value [predicate.variable]
                  prority > 3 AND titel == 'x' AND dueDat < $now AND $foo == 3
                                                                     ^
                  in: stages[0].where
                a.yaml:7:12: error: 'Tag' has no property 'nme'. Did you mean 'name'? \
                [predicate.unknown-key]
                  ANY tags.nme == 'x' OR tags.name == 'y'
                      ^
                  in: stages[1].where
                a.yaml:7:12: error: A to-many key path needs ANY, ALL, or NONE before it, or an \
                operator such as @count [predicate.to-many]
                  ANY tags.nme == 'x' OR tags.name == 'y'
                                         ^
                  in: stages[1].where
                  fix: write `ANY tags.name` to ask for at least one
                a.yaml:8:19: error: 'Task' has no property 'prioritty'. Did you mean 'priority'? \
                [predicate.unknown-key]
                  prioritty + prize
                  ^
                  in: stages[1].set.price
                a.yaml:8:19: error: 'Task' has no property 'prize'. Did you mean 'price'? \
                [predicate.unknown-key]
                  prioritty + prize
                              ^
                  in: stages[1].set.price
                a.yaml:8:50: error: 'Task' has no attribute 'prio' [spec.unknown-attribute]
                  in: stages[1].set.prio
                a.yaml:8:71: error: 'priority' must be from 0 to 5, and is 9 [spec.constant]
                  in: stages[1].set.priority
                a.yaml:11:14: error: The variable '$undeclared' has no value [predicate.variable]
                  status == $undeclared AND foo(x) == 1
                            ^
                  in: stages[2].keep-if
                a.yaml:11:14: error: There is no function 'foo' [predicate.function]
                  status == $undeclared AND foo(x) == 1
                                            ^
                  in: stages[2].keep-if
                a.yaml:12:27: error: There is no function 'uper' [predicate.function]
                  uper(a)
                  ^
                  in: stages[2].set.title.expr
                a.yaml:12:55: error: The variable '$nope' has no value [predicate.variable]
                  cast(a, 'Foo') + $nope + $nada
                                   ^
                  in: stages[2].set.price.expr
                a.yaml:12:55: error: The variable '$nada' has no value [predicate.variable]
                  cast(a, 'Foo') + $nope + $nada
                                           ^
                  in: stages[2].set.price.expr
                a.yaml:12:55: error: cast needs the name of an attribute's type, such as 'Integer \
                64' [predicate.function]
                  cast(a, 'Foo') + $nope + $nada
                  ^
                  in: stages[2].set.price.expr
                """)
    }

    @Test func reportsOtherProblemsOfAStageWithAnInvalidKey() {
        let text = """
            stages:
              - export: Task
                where: "titel == 1"
                order: "title des"
                fields: [idd, owner.emial]
                level: 99
                shape: nestd
                to: "out/${x"
              - update: 5
                entity: Task
                set: { prioriti: 1, title: [a], dueDate: "today() + 1" }
                at-most: many
              - delete: [Task]
                where: ALL
                limit: 0
              - export: Taks
                order: "nothing"
                as: xml
                to: out/tasks
              - verify: sane
                expect: { "Task where titel == nil": some, "Tsk": 1 }
              - import: [a]
                into: Task
                key: titel
            """
        #expect(
            problems(overModel: text) == """
                a.yaml:4:12: error: 'Task' has no property 'titel'. Did you mean 'title'? \
                [predicate.unknown-key]
                  titel == 1
                  ^
                  in: stages[0].where
                a.yaml:5:12: error: 'asc', 'desc', 'nocase', 'localized', 'nulls', or a comma \
                belongs here [predicate.syntax]
                  title des
                        ^
                  in: stages[0].order
                a.yaml:6:14: error: 'Task' has no property 'idd'. Did you mean 'id'? \
                [spec.unknown-property]
                  in: stages[0].fields[0]
                a.yaml:6:19: error: 'Person' has no property 'emial'. Did you mean 'email'? \
                [spec.unknown-property]
                  in: stages[0].fields[1]
                a.yaml:7:12: error: 'level' must be from 1 to 9, not 99 [spec.range]
                  in: stages[0].level
                a.yaml:8:12: error: 'shape' must be flat or nested, not 'nestd'. Did you mean \
                'nested'? [spec.choice]
                  in: stages[0].shape
                a.yaml:9:9: error: A '${' in 'to' is never closed [spec.parameter]
                  in: stages[0].to
                  fix: close it with '}', or write '$${' for the two characters themselves
                a.yaml:10:5: error: The key 'where' is missing [spec.missing-key]
                  in: stages[1]
                  fix: write `where: ALL` if you mean every object
                a.yaml:10:13: error: 'update' must be text, not the number 5 [spec.type]
                  in: stages[1].update
                  fix: put it in quotes: "5"
                a.yaml:12:12: error: 'Task' has no attribute 'prioriti'. Did you mean 'priority'? \
                [spec.unknown-attribute]
                  in: stages[1].set.prioriti
                a.yaml:12:32: error: 'title' must be an expression or a constant, not a list \
                [spec.type]
                  in: stages[1].set.title
                  fix: write the expression itself: "priority + 1"
                a.yaml:12:46: error: Arithmetic needs numbers, not a date [predicate.type]
                  today() + 1
                  ^
                  in: stages[1].set.dueDate
                  fix: a date is moved by seconds: cast(cast(today(), 'Double') + 7 * 86400, 'Date')
                a.yaml:13:14: error: 'at-most' must be a number such as 100 or a percentage such \
                as 5%, not the text 'many' [spec.type]
                  in: stages[1].at-most
                a.yaml:14:13: error: 'delete' must be text, not a list [spec.type]
                  in: stages[2].delete
                a.yaml:16:12: error: 'limit' must be from 1 to 1000000000, not 0 [spec.range]
                  in: stages[2].limit
                a.yaml:17:13: error: The model has no entity 'Taks'. Did you mean 'Task'? \
                [spec.unknown-entity]
                  in: stages[3].export
                a.yaml:19:9: error: 'as' must be csv, tsv, json, or ndjson, not 'xml' [spec.choice]
                  in: stages[3].as
                a.yaml:22:15: error: 'Task' has no property 'titel'. Did you mean 'title'? \
                [predicate.unknown-key]
                  titel == nil
                  ^
                  in: stages[4].expect["Task where titel == nil"]
                a.yaml:22:42: error: 'Task where titel == nil' must be a comparison such as ">= 1" \
                or "== 0", not the text 'some' [spec.type]
                  in: stages[4].expect["Task where titel == nil"]
                a.yaml:22:48: error: The model has no entity 'Tsk'. Did you mean 'Task'? \
                [spec.unknown-entity]
                  in: stages[4].expect.Tsk
                a.yaml:23:13: error: 'import' must be text, not a list [spec.type]
                  in: stages[5].import
                a.yaml:25:10: error: 'Task' has no attribute 'titel'. Did you mean 'title'? \
                [spec.unknown-attribute]
                  in: stages[5].key
                """)
    }

    @Test func checksNamesWhoseValuesAreInvalid() {
        let text = """
            stages:
              - import: a.ndjson
                into: Task
                set:
                  titel: [a, b]
                  priority: { from: "" }
                  id: 5
                link:
                  ownr: Person
                  tags: { to: Tag, by: name, many: some }
                  owner: { by: { emial: [x] } }
              - import: b.ndjson
                into: Person
                set: { email: { from: "" } }
                link: { tasks: { each: "x[*].y[*]", into: Tsk, many: add, key: nam } }
            """
        #expect(
            problems(overModel: text) == """
                a.yaml:6:7: error: 'Task' has no attribute 'titel'. Did you mean 'title'? \
                [spec.unknown-attribute]
                  in: stages[0].set.titel
                a.yaml:6:14: error: 'titel' must be text, not a list [spec.type]
                  in: stages[0].set.titel
                a.yaml:7:25: error: 'from' is empty [spec.type]
                  in: stages[0].set.priority.from
                a.yaml:8:11: error: 'id' must be the name of a field, not the number 5 [spec.type]
                  in: stages[0].set.id
                  fix: write `{ const: 5 }` for the value itself
                a.yaml:10:7: error: 'Task' has no relationship 'ownr'. Did you mean 'owner'? \
                [spec.unknown-relationship]
                  in: stages[0].link.ownr
                a.yaml:10:13: error: 'ownr' must be a mapping, not the text 'Person' [spec.type]
                  in: stages[0].link.ownr
                  fix: say how the objects are found: `{ by: { email: owner.email } }`
                a.yaml:11:28: error: 'by' must be a mapping such as { email: owner.email }, not \
                the text 'name' [spec.type]
                  in: stages[0].link.tags.by
                a.yaml:11:40: error: 'many' must be replace, add, or remove, not 'some' [spec.choice]
                  in: stages[0].link.tags.many
                a.yaml:12:22: error: 'Person' has no attribute 'emial'. Did you mean 'email'? \
                [spec.unknown-attribute]
                  in: stages[0].link.owner.by.emial
                a.yaml:12:29: error: 'emial' must be text, not a list [spec.type]
                  in: stages[0].link.owner.by.emial
                a.yaml:15:27: error: 'from' is empty [spec.type]
                  in: stages[1].set.email.from
                a.yaml:16:28: error: 'x[*].y[*]' leads through a list in a list [spec.path]
                  in: stages[1].link.tasks.each
                  fix: take one list at a time, and put the other `each` under its `link`
                a.yaml:16:47: error: The model has no entity 'Tsk'. Did you mean 'Task'? \
                [spec.unknown-entity]
                  in: stages[1].link.tasks.into
                """)
    }

    @Test func checksStagesAgainstTheValidPartsOfABrokenModel() {
        let text = """
            stages:
              - import: t.ndjson
                into: Task
                set: { titel: x }
              - import: p.ndjson
                into: Person
                set: { emial: x, n: { const: 7 } }
                link: { boss: { by: { emial: x } }, tasks: { by: { id: x } }, bos: { by: { email: \
            x } } }
              - delete: Person
                where: "emial == 3 AND boss.emial == 4 AND code > 3 AND tasks.@count > 3 AND ANY \
            tasks.x == 3"
              - export: Person
                fields: [email, boss.email, tasks.x, nn]
                order: boss.x
                to: a.csv
              - delete: Taks
                where: ALL
            store:
              at: x.sqlite
              open: create
              model:
                entities:
                  Base: foo
                  Task:
                    parent: Bse
                    attributes: { id: UUID, title: String }
                    relationships: { owner: { to: Person, inverse: tasks } }
                    unique: [[id]]
                  Person:
                    attributes:
                      email: { type: String, optional: false }
                      code: { type: Strin }
                      n: { type: Integer 16, range: 0..5, default: 9 }
                    relationships:
                      tasks: { to: Task, many: yes, inverse: owner }
                      boss: { to: Persn }
                    unique: [[email]]
                    indexes: { b: { properties: [email], where: "emial == nil AND m == 3" } }
                    validate:
                      - { rule: "n > 'x' AND code != nil AND nn == 2", message: m }
                      - { rule: "n >" }
            """
        #expect(
            problems(text) == """
                a.yaml:8:12: error: 'Person' has no attribute 'emial'. Did you mean 'email'? \
                [spec.unknown-attribute]
                  in: stages[1].set.emial
                a.yaml:8:34: error: 'n' must be from 0 to 5, and is 7 [spec.constant]
                  in: stages[1].set.n.const
                  fix: give a value that the model allows
                a.yaml:9:67: error: 'Person' has no relationship 'bos' [spec.unknown-relationship]
                  in: stages[1].link.bos
                a.yaml:11:12: error: 'Person' has no property 'emial'. Did you mean 'email'? \
                [predicate.unknown-key]
                  emial == 3 AND boss.emial == 4 AND code > 3 AND tasks.@count > 3 AND ANY tasks.x \
                == 3
                  ^
                  in: stages[2].where
                a.yaml:13:42: error: 'Person' has no property 'nn'. Did you mean 'n'? \
                [spec.unknown-property]
                  in: stages[3].fields[3]
                a.yaml:16:13: error: The model has no entity 'Taks'. Did you mean 'Task'? \
                [spec.unknown-entity]
                  in: stages[4].delete
                a.yaml:23:13: error: 'Base' must be a mapping, not the text 'foo' [model.type]
                  in: store.model.entities.Base
                a.yaml:25:17: error: No entity is named 'Bse'. Did you mean 'Base'? \
                [model.unknown-entity]
                  in: store.model.entities.Task.parent
                a.yaml:32:25: error: 'Strin' is not an attribute type. Did you mean 'String'? \
                [model.attribute-type]
                  in: store.model.entities.Person.attributes.code.type
                  fix: use Integer 16, Integer 32, Integer 64, Decimal, Double, Float, String, \
                Boolean, Date, Binary, UUID, URI, Transformable, or Composite
                a.yaml:33:56: error: The default breaks the attribute's own range [model.default]
                  in: store.model.entities.Person.attributes.n.default
                a.yaml:35:36: error: 'many' must be true or false, not the text 'yes' [model.type]
                  in: store.model.entities.Person.relationships.tasks.many
                  fix: write `true`
                a.yaml:36:23: error: No entity is named 'Persn'. Did you mean 'Person'? \
                [model.unknown-entity]
                  in: store.model.entities.Person.relationships.boss.to
                a.yaml:38:53: error: 'Person' has no property 'emial'. Did you mean 'email'? \
                (column 1) [predicate.unknown-key]
                  in: store.model.entities.Person.indexes.b.where
                a.yaml:38:53: error: 'Person' has no property 'm'. Did you mean 'n'? (column 18) \
                [predicate.unknown-key]
                  in: store.model.entities.Person.indexes.b.where
                a.yaml:40:21: error: A number cannot be compared with text ("x") (column 5) \
                [predicate.type]
                  in: store.model.entities.Person.validate[0].rule
                a.yaml:40:21: error: 'Person' has no property 'nn'. Did you mean 'n'? (column 29) \
                [predicate.unknown-key]
                  in: store.model.entities.Person.validate[0].rule
                a.yaml:41:13: error: The key 'message' is missing [model.missing-key]
                  in: store.model.entities.Person.validate[1]
                a.yaml:41:21: error: A value is missing at the end (column 4) [predicate.syntax]
                  in: store.model.entities.Person.validate[1].rule
                """)
    }

    @Test func checksStagesWithoutAStore() {
        let text = """
            stages:
              - delete: Task
                where: "titel =="
                foo: 1
              - export: Task
                to: "${nope}"
            """
        #expect(
            problems(text) == """
                a.yaml:1:1: error: The key 'store' is missing [spec.missing-key]
                a.yaml:4:12: error: A value is missing at the end [predicate.syntax]
                  titel ==
                          ^
                  in: stages[0].where
                a.yaml:5:5: error: The key 'foo' is unknown here [spec.unknown-key]
                  in: stages[0].foo
                a.yaml:7:9: error: No parameter is named 'nope' [spec.unknown-parameter]
                  in: stages[1].to
                  fix: declare it under `params`, or write '$${' for the two characters themselves
                """)
    }
}
