import Testing

@testable import Pipelines

/// Paths into records, columns, files, and parameters.
@Suite("Paths, columns, files, and parameters in check") struct NameProblemTests {
    private func problems(overModel text: String) -> String {
        SpecificationTesting.problems("etl: 1\n\(text)\n\(SpecificationTesting.taskModel)\n")
    }

    @Test func rejectsInvalidFieldPaths() {
        let text = """
            stages:
              - import: in.ndjson
                into: Task
                set:
                  title: "a["
                  price: x..y
                  dueDate: "tags[*"
                  priority: { from: "a[*]b", need: true }
                  id: "a\\\\.b[*].c"
                link:
                  owner: { by: { email: "owner..email" } }
                  tags: { each: "tags[", many: add, set: { name: "x." } }
              - import: in.csv
                into: Person
                set: { email: "e-mail [work]..", name: "a[" }
              - import: "inbox/*"
                into: Tag
                set: { name: "name [en]" }
            """
        #expect(
            problems(overModel: text) == """
                a.yaml:6:14: error: The path 'a[' is not valid: only [*] may follow a name \
                [spec.path]
                  a[
                   ^
                  in: stages[0].set.title
                  fix: write a dot before each further name, [*] for every element of a list, and \
                \\ before a dot or bracket of a name
                a.yaml:7:14: error: The path 'x..y' is not valid: a name is empty [spec.path]
                  x..y
                    ^
                  in: stages[0].set.price
                  fix: write a dot before each further name, [*] for every element of a list, and \
                \\ before a dot or bracket of a name
                a.yaml:8:16: error: The path 'tags[*' is not valid: only [*] may follow a name \
                [spec.path]
                  tags[*
                      ^
                  in: stages[0].set.dueDate
                  fix: write a dot before each further name, [*] for every element of a list, and \
                \\ before a dot or bracket of a name
                a.yaml:9:25: error: The path 'a[*]b' is not valid: a dot must follow ']' [spec.path]
                  a[*]b
                      ^
                  in: stages[0].set.priority.from
                  fix: write a dot before each further name, [*] for every element of a list, and \
                \\ before a dot or bracket of a name
                a.yaml:12:29: error: The path 'owner..email' is not valid: a name is empty \
                [spec.path]
                  owner..email
                        ^
                  in: stages[0].link.owner.by.email
                  fix: write a dot before each further name, [*] for every element of a list, and \
                \\ before a dot or bracket of a name
                a.yaml:13:21: error: The path 'tags[' is not valid: only [*] may follow a name \
                [spec.path]
                  tags[
                      ^
                  in: stages[0].link.tags.each
                a.yaml:13:54: error: The path 'x.' is not valid: a name is empty [spec.path]
                  x.
                    ^
                  in: stages[0].link.tags.set.name
                  fix: write a dot before each further name, [*] for every element of a list, and \
                \\ before a dot or bracket of a name
                a.yaml:19:18: error: The path 'name [en]' is not valid: only [*] may follow a name \
                [spec.path]
                  name [en]
                       ^
                  in: stages[2].set.name
                  fix: write a dot before each further name, [*] for every element of a list, and \
                \\ before a dot or bracket of a name; for tables say `as: csv`
                """)
    }

    @Test func rejectsInvalidRecordPaths() {
        let text = """
            stages:
              - import: a
                read: { files: a.json, at: "$[0].x[*]" }
                into: Task
              - import: b
                read: { files: a.json, at: "data.items" }
                into: Task
              - import: c
                read: { files: a.json, at: "$.data..items[*]" }
                into: Task
              - import: d
                read: { files: a.json, at: "$x" }
                into: Task
              - import: e
                read: { files: a.json, at: "$." }
                into: Task
              - import: f
                read: { files: a.json, at: "$.data[*].items[*]" }
                into: Task
            """
        #expect(
            problems(overModel: text) == """
                a.yaml:4:32: error: The path '$[0].x[*]' is not valid: only [*] may follow a name \
                [spec.path]
                  $[0].x[*]
                   ^
                  in: stages[0].read.at
                  fix: begin with $, then a dot before each name, and [*] for every element of a \
                list: $.data.items[*]
                a.yaml:7:32: error: The path 'data.items' is not valid: it must start with '$' \
                [spec.path]
                  data.items
                  ^
                  in: stages[1].read.at
                  fix: begin with $, then a dot before each name, and [*] for every element of a \
                list: $.data.items[*]
                a.yaml:10:32: error: The path '$.data..items[*]' is not valid: a name is empty \
                [spec.path]
                  $.data..items[*]
                         ^
                  in: stages[2].read.at
                  fix: begin with $, then a dot before each name, and [*] for every element of a \
                list: $.data.items[*]
                a.yaml:13:32: error: The path '$x' is not valid: a dot must follow '$' [spec.path]
                  $x
                   ^
                  in: stages[3].read.at
                  fix: begin with $, then a dot before each name, and [*] for every element of a \
                list: $.data.items[*]
                a.yaml:16:32: error: The path '$.' is not valid: a name is empty [spec.path]
                  $.
                    ^
                  in: stages[4].read.at
                  fix: begin with $, then a dot before each name, and [*] for every element of a \
                list: $.data.items[*]
                """)
    }

    @Test func rejectsFieldsThatAreNotListedColumns() {
        let text = """
            stages:
              - import: x
                read: { files: a.csv, header: false, columns: [id, titel, prio, e-mail] }
                into: Task
                keep-if: "prio > 1 AND state == 2"
                set: { title: title, priority: { from: Prio }, price: { expr: "prio * amount" } }
                link: { owner: { by: { email: { from: email } } }, tags: { by: { name: tags } } }
            """
        #expect(
            problems(overModel: text) == """
                a.yaml:6:14: error: 'state' is none of the columns [spec.unknown-column]
                  in: stages[0].keep-if
                  fix: use a name that `read.columns` lists
                a.yaml:7:19: error: 'title' is none of the columns. Did you mean 'titel'? \
                [spec.unknown-column]
                  in: stages[0].set.title
                  fix: use a name that `read.columns` lists
                a.yaml:7:44: error: 'Prio' is none of the columns. Did you mean 'prio'? \
                [spec.unknown-column]
                  in: stages[0].set.priority.from
                  fix: use a name that `read.columns` lists
                a.yaml:7:67: error: 'amount' is none of the columns [spec.unknown-column]
                  in: stages[0].set.price.expr
                  fix: use a name that `read.columns` lists
                a.yaml:8:43: error: 'email' is none of the columns. Did you mean 'e-mail'? \
                [spec.unknown-column]
                  in: stages[0].link.owner.by.email.from
                  fix: use a name that `read.columns` lists
                a.yaml:8:76: error: 'tags' is none of the columns [spec.unknown-column]
                  in: stages[0].link.tags.by.name
                  fix: use a name that `read.columns` lists
                """)
    }

    @Test func rejectsConflictingUsesOfAFile() {
        let text = """
            params: { out: { type: path }, in: { type: path, default: "-" } }
            stages:
              - import: x
                read: { files: "-", as: ndjson }
                into: Task
              - import: y
                read: { files: ["${in}", b.csv], as: csv }
                into: Person
              - { export: Task, to: out/a.csv }
              - { export: Person, to: ./out/../out//a.csv }
              - { export: Person, to: tasks.sqlite, as: csv }
              - { export: Person, to: ./a.yaml, as: csv }
              - { export: Person, to: b.csv }
              - { export: Person, to: "${out}/c.csv" }
              - { export: Person, to: "${out}/c.csv" }
              - { export: Tag, to: "out/${run.date}.csv", manifest: true }
              - { export: Tag, to: "out/${run.date}.csv.manifest.json" }
              - { export: Tag, to: tasks.sqlite-journal, as: csv }
            """
        #expect(
            problems(overModel: text) == """
                a.yaml:8:21: error: Standard input can be read once, and line 5 reads it \
                [spec.standard-input]
                  in: stages[1].read.files[0]
                  fix: give one of the two a file
                a.yaml:11:27: error: The export on line 10 writes out/a.csv too \
                [output.twice]
                  in: stages[3].to
                  fix: name another file
                a.yaml:12:27: error: tasks.sqlite is the store of this run, which the export would \
                replace [output.protected]
                  in: stages[4].to
                  fix: name another file
                a.yaml:13:27: error: a.yaml is the spec of this run, which the export would \
                replace [output.protected]
                  in: stages[5].to
                  fix: name another file
                a.yaml:14:27: error: b.csv is an input of this run, which the export would replace \
                [output.protected]
                  in: stages[6].to
                  fix: name another file
                a.yaml:16:27: error: The export on line 15 writes ${out}/c.csv too [output.twice]
                  in: stages[8].to
                  fix: name another file
                a.yaml:18:24: error: The export on line 17 writes out/2026-03-04.csv.manifest.json \
                too [output.twice]
                  in: stages[10].to
                  fix: name another file
                a.yaml:19:24: error: tasks.sqlite-journal is the store of this run, which the \
                export would replace [output.protected]
                  in: stages[11].to
                  fix: name another file
                """)
    }

    @Test func warnsOfUnusedParameters() {
        let text = """
            params:
              in: { type: path, default: a.csv }
              age: { type: duration, default: 1h }
              min: { type: int }
              left: { type: bool }
            stages:
              - import: ${in}
                into: Task
                set: { title: { expr: "replace(t, 'min', 'x')" } }
              - verify: v
                expect: { "Task where priority > $min": 1 }
              - { delete: Task, where: "priority > 9 AND dueDate < $now", at-most: 5% }
            """
        #expect(
            problems(overModel: text) == """
                a.yaml:4:3: warning: Nothing uses the parameter 'age' [spec.unused-parameter]
                  in: params.age
                  fix: write ${age} in a text or $age in a predicate, or remove it
                a.yaml:6:3: warning: Nothing uses the parameter 'left' [spec.unused-parameter]
                  in: params.left
                  fix: write ${left} in a text or $left in a predicate, or remove it
                """)
    }

    @Test func namesTheParameterInATypeError() {
        let text = """
            params: { age: { type: duration, default: 1h }, left: { type: bool } }
            stages:
              - { delete: Task, where: "priority > 9 AND dueDate < $age" }
            """
        #expect(
            problems(overModel: text) == """
                a.yaml:2:49: warning: Nothing uses the parameter 'left' [spec.unused-parameter]
                  in: params.left
                  fix: write ${left} in a text or $left in a predicate, or remove it
                a.yaml:4:28: error: A date cannot be compared with a number ($age) [predicate.type]
                  priority > 9 AND dueDate < $age
                                             ^
                  in: stages[0].where
                """)
    }

    @Test func suggestsFixesForCommonMistakes() {
        let text = """
            stages:
              - { delete: Task, where: all }
              - import: a
                read: b.csv
                into: Task
                set-only: yes
              - import: c
                read: { generate: 5, files: a.csv }
                into: Tag
              - import: d
                read: { files: d.csv, quote: "" }
                into: Tag
                key: [name, name]
            """
        #expect(
            problems(overModel: text) == """
                a.yaml:3:28: error: 'all' is not a predicate [spec.choice]
                  in: stages[0].where
                  fix: write `ALL` for every object
                a.yaml:5:11: error: 'read' must be a mapping such as { files: people.csv }, not \
                the text 'b.csv' [spec.type]
                  in: stages[1].read
                a.yaml:7:15: error: 'set-only' must be true or false, not the text 'yes' [spec.type]
                  in: stages[1].set-only
                  fix: write `true`
                a.yaml:9:33: error: 'generate' creates the records, so 'files' has no effect \
                [spec.rule]
                  in: stages[2].read.files
                  fix: remove one of the two
                a.yaml:12:34: error: 'quote' must be one ASCII character other than a line end, \
                not the text '' [spec.type]
                  in: stages[3].read.quote
                  fix: write `none` for no quotes
                a.yaml:14:17: error: 'name' is in the key already [spec.duplicate-name]
                  in: stages[3].key[1]
                """)
    }
}
