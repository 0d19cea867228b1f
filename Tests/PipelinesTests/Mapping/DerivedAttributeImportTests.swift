import Testing

@testable import Pipelines

/// Records cannot set attributes that the model derives.
@Suite("Imports of derived attributes") struct DerivedAttributeImportTests {
    static let model = """
        model: 1
        entities:
          List:
            attributes:
              name: { type: String, optional: false }
              count: { type: Integer 64, optional: false, derived: "tasks.@count" }
            relationships: { tasks: { to: Task, many: true, inverse: list } }
            unique: [[name]]
          Task:
            attributes: { title: String }
            relationships: { list: { to: List, inverse: tasks } }
            unique: [[title]]
        """

    @Test("check rejects `set` of a derived attribute in an import and in an update")
    func mapped() throws {
        let folder = try Workspace()
        try folder.write("model.yaml", Self.model)
        #expect(
            try folder.check(
                """
                etl: 1
                store: { at: store.sqlite, model: model.yaml, open: create }
                stages:
                  - import: lists.csv
                    into: List
                    set: { count: size }
                  - { update: all, entity: List, where: ALL, set: { count: 3 } }
                """) == """
                    spec.yaml:6:12: error: 'List.count' is derived from 'tasks.@count', so each save \
                    computes it [spec.derived]
                      in: stages[0].set.count
                      fix: remove 'count' here
                    spec.yaml:7:53: error: 'List.count' is derived from 'tasks.@count', so each save \
                    computes it [spec.derived]
                      in: stages[1].set.count
                      fix: remove 'count' here
                    """)
    }

    @Test("a field with the name of a derived attribute is ignored, and is not an unknown field")
    func unmapped() throws {
        let folder = try Workspace()
        try folder.write(
            "lists.ndjson",
            #"{"name":"a","count":7,"tasks":["x"]}"# + "\n" + #"{"name":"b","count":7}"# + "\n")
        func run(_ keys: String) throws -> Run {
            try folder.run(
                model: Self.model,
                """
                - import: lists.ndjson
                  into: List
                  \(keys)
                  link: { tasks: { by: { title: "tasks[*]" }, missing: create } }
                """)
        }
        let first = try run("")
        #expect(first.text == "")
        #expect(
            first.outcome.stages[0].extraFields.map { "\($0.name) \($0.records)" } == ["count 2"])
        let rows = "SELECT ZNAME, ZCOUNT FROM ZLIST ORDER BY 1"
        #expect(try folder.rows(rows) == ["a|1", "b|0"])
        // Exports contain the field, so it is not an unknown field.
        let second = try run("extra: reject")
        #expect(second.text == "")
        #expect(second.lines == ["import import-lists: 2 read, 2 unchanged"])
        #expect(try folder.rows(rows) == ["a|1", "b|0"])
    }
}
