import Testing

@testable import Pipelines

/// Predicates and expressions are checked with the rest of the spec, before anything runs.
@Suite("Expressions in check")
struct ExpressionCheckTests {
    static let head = """
        etl: 1
        params: { cutoff: { type: date, default: "today - 90d" }, n: { type: int, default: 1 } }
        store:
          at: a.sqlite
          open: create
          model:
            entities:
              Task:
                attributes:
                  id: { type: String, optional: false }
                  size: Integer 32
                  due: Date
                relationships:
                  owner: { to: Person, inverse: tasks }
                unique: [[id]]
              Person:
                attributes: { name: String }
                relationships: { tasks: { to: Task, many: true, inverse: owner } }
        stages:

        """

    /// The head without the parameter that no predicate on records uses.
    private static let headOfRecords = head.replacing(
        "cutoff: { type: date, default: \"today - 90d\" }, ", with: "")

    @Test("reports the invalid derivation expressions of a model, in the spec or in its own file")
    func derivations() throws {
        let folder = try Workspace()
        let entities = """
            entities:
              R:
                attributes:
                  id: { type: Integer 32, optional: false }
                  t: String
                  a: { type: String, derived: "foo(t)" }
                  b: { type: String, derived: "uppercase:(nope)" }
                  c: { type: String, derived: "t +" }
                  d: { type: String, derived: "uppercase:(t)" }
                unique: [[id]]
            """
        func expected(_ file: String, from line: Int, _ column: Int, in path: String) -> String {
            """
            \(file):\(line):\(column): error: 'R.a' cannot be derived from 'foo(t)': There is no \
            function 'foo' [predicate.function]
              foo(t)
              ^
              in: \(path)entities.R.attributes.a
              fix: correct `derived`, or remove it
            \(file):\(line + 1):\(column): error: 'R.b' cannot be derived from 'uppercase:(nope)': \
            'R' has no property 'nope' [predicate.unknown-key]
              uppercase:(nope)
                         ^
              in: \(path)entities.R.attributes.b
              fix: correct `derived`, or remove it
            \(file):\(line + 2):\(column): error: 'R.c' cannot be derived from 't +': A value is \
            missing at the end [predicate.syntax]
              t +
                 ^
              in: \(path)entities.R.attributes.c
              fix: correct `derived`, or remove it
            """
        }
        let inline = try folder.check(
            """
            etl: 1
            stages: [{ export: R, to: x.csv }]
            store:
              at: x.sqlite
              open: create
              model:
                \(entities.replacing("\n", with: "\n    "))
            """)
        #expect(inline == expected("spec.yaml", from: 12, 11, in: "store.model."))
        try folder.write("model.yaml", "model: 1\n\(entities)\n")
        let inFile = try folder.check(
            """
            etl: 1
            stages: [{ export: R, to: x.csv }]
            store: { at: x.sqlite, open: create, model: model.yaml }
            """)
        #expect(inFile == expected("model.yaml", from: 7, 7, in: ""))
    }

    @Test("reports all invalid expressions at once, each at its position with a caret")
    func allAtOnce() throws {
        let folder = try Workspace()
        let found = try folder.check(
            Self.head + """
                - { import: a.csv, into: Task, keep-if: "size >" }
                - update: one
                  entity: Task
                  where: "siz > 1"
                  set: { size: "size +", due: "id", nothing: "1 + 1" }
                - { delete: Task, where: "id == 5" }
                - { export: Person, where: "tasks.id == 'x'", to: out.csv }
                - { export: Task, where: "due < $cutof AND size < $n", to: out2.csv }
                - { export: Task, where: "due < $cutoff AND owner.name != 'x'", to: out3.csv }
                - { import: b.csv, into: Nobody, keep-if: "size IN" }
                """)
        let expected = """
            spec.yaml:20:41: error: A value is missing at the end [predicate.syntax]
              size >
                    ^
              in: stages[0].keep-if
            spec.yaml:23:10: error: 'Task' has no property 'siz'. Did you mean 'size'? \
            [predicate.unknown-key]
              siz > 1
              ^
              in: stages[1].where
            spec.yaml:24:16: error: A value is missing at the end [predicate.syntax]
              size +
                    ^
              in: stages[1].set.size
            spec.yaml:24:31: error: 'due' (Date) cannot hold text [predicate.type]
              id
              ^
              in: stages[1].set.due
              fix: cast(id, 'Date') is its date
            spec.yaml:24:37: error: 'Task' has no attribute 'nothing' [spec.unknown-attribute]
              in: stages[1].set.nothing
            spec.yaml:25:26: error: Text cannot be compared with a number (5) [predicate.type]
              id == 5
                    ^
              in: stages[2].where
              fix: a text needs quotes: '5'
            spec.yaml:26:28: error: A to-many key path needs ANY, ALL, or NONE before it, or an \
            operator such as @count [predicate.to-many]
              tasks.id == 'x'
              ^
              in: stages[3].where
              fix: write `ANY tasks.id` to ask for at least one
            spec.yaml:27:26: error: The variable '$cutof' has no value. Did you mean 'cutoff'? \
            [predicate.variable]
              due < $cutof AND size < $n
                    ^
              in: stages[4].where
            spec.yaml:29:26: error: The model has no entity 'Nobody' [spec.unknown-entity]
              in: stages[6].into
            spec.yaml:29:43: error: A value is missing at the end [predicate.syntax]
              size IN
                     ^
              in: stages[6].keep-if
            """
        #expect(found == expected)
    }

    @Test("reports expressions over records that fail for every record")
    func ofRecords() throws {
        let folder = try Workspace()
        let found = try folder.check(
            Self.headOfRecords + """
                - import: a.csv
                  into: Task
                  keep-if: "no == 'x' OR length(5) > kind + $n"
                  set:
                    id: { expr: "'a' + 'b'" }
                    size: { expr: "-lowercase(a) + size + '5'" }
                - update: one
                  entity: Task
                  where: ALL
                  set: { id: "id + 'x'" }
                """)
        #expect(
            found == """
                spec.yaml:22:12: error: 'no' is a keyword; a key of that name is written #no \
                [predicate.syntax]
                  no == 'x' OR length(5) > kind + $n
                  ^
                  in: stages[0].keep-if
                spec.yaml:22:12: error: 'length' needs text, not a number [predicate.function]
                  no == 'x' OR length(5) > kind + $n
                                      ^
                  in: stages[0].keep-if
                spec.yaml:24:17: error: Arithmetic needs numbers, not text [predicate.type]
                  'a' + 'b'
                  ^
                  in: stages[0].set.id.expr
                  fix: join texts by `join({a, b}, ' ')`
                spec.yaml:25:19: error: Arithmetic needs numbers, not text [predicate.type]
                  -lowercase(a) + size + '5'
                   ^
                  in: stages[0].set.size.expr
                  fix: join texts by `join({a, b}, ' ')`
                spec.yaml:25:19: error: Arithmetic needs numbers, not text [predicate.type]
                  -lowercase(a) + size + '5'
                                         ^
                  in: stages[0].set.size.expr
                  fix: join texts by `join({a, b}, ' ')`
                spec.yaml:29:14: error: Arithmetic needs numbers, not text [predicate.type]
                  id + 'x'
                  ^
                  in: stages[1].set.id
                  fix: join texts by `join({a, b}, ' ')`
                """)
    }

    @Test("accepts every valid expression over records")
    func lawfulOfRecords() throws {
        let folder = try Workspace()
        let found = try folder.check(
            Self.headOfRecords + """
                - import: a.csv
                  into: Task
                  keep-if: "#no == 'x' AND flag == no AND $n == yes"
                  set:
                    id: { expr: "join({a, sha256(uuid()), 5}, format('2026-01-31', 'd.M.y'))" }
                    size: { expr: "a + coalesce(b, 1) * $n - TERNARY(c == 1, '1', 2)" }
                """)
        #expect(found == "")
    }

    @Test("accepts case-insensitive comparisons, functions, and links")
    func wholeLanguage() throws {
        let folder = try Workspace()
        let found = try folder.check(
            Self.head + """
                - { delete: Task, where: "id BEGINSWITH[c] 'x' OR length(id) > $n" }
                - { delete: Task, where: "due < $cutoff" }
                - { update: a, entity: Task, where: ALL, set: { id: "uppercase(id)" } }
                """)
        #expect(found == "")
    }

    @Test("checks syntax even if the model is in the store")
    func withoutModel() throws {
        let folder = try Workspace()
        let found = try folder.check(
            """
            etl: 1
            store: { at: a.sqlite }
            stages:
              - { delete: Task, where: "id ==" }
            """)
        #expect(
            found == """
                spec.yaml:4:28: error: A value is missing at the end [predicate.syntax]
                  id ==
                       ^
                  in: stages[0].where
                """)
    }

    @Test("reports keys unknown to the store's model before the first stage")
    func modelOfTheStore() throws {
        let folder = try Workspace()
        try folder.write("tasks.ndjson", #"{"id":"1","title":"a"}"#)
        _ = try folder.run(
            model: InputTests.model, "- { import: tasks.ndjson, into: Task }")
        let run = try folder.run(
            """
            etl: 1
            store: { at: store.sqlite }
            stages:
            - { delete: Task, where: ALL }
            - { delete: Task, where: "titel == 'a'" }
            """)
        #expect(run.status == .configuration)
        #expect(
            run.text == """
                spec.yaml:5:26: error: 'Task' has no property 'titel'. Did you mean 'title'? \
                [predicate.unknown-key]
                  titel == 'a'
                  ^
                  in: stages[1].where
                """)
        #expect(try folder.rows("SELECT count(*) FROM ZTASK") == ["1"])
    }
}
