import Testing

@testable import Pipelines

/// Updates and deletes by predicate, with parameters, guards, and delete rules.
@Suite("Updates and deletes")
struct ChangeTests {
    @Test("the error for an unknown key in an expression suggests to quote it as text")
    func textForExpressions() throws {
        let folder = try Workspace()
        try folder.write("model.yaml", InputTests.model)
        #expect(
            try folder.check(
                """
                etl: 1
                store: { at: store.sqlite, model: model.yaml, open: create }
                stages: [{ update: a, entity: Task, where: ALL, set: { title: "done" } }]
                """) == """
                    spec.yaml:3:63: error: 'Task' has no property 'done' [predicate.unknown-key]
                      done
                      ^
                      in: stages[0].set.title
                      fix: put text in its own quotation marks: "'done'"
                    """)
    }

    @Test("an update adds seconds to a date, and cannot set a link")
    func movesDates() throws {
        let folder = try Self.filled()
        let run = try folder.run(
            model: Self.model,
            """
            - { update: a, entity: Task, where: "id < 3", set: { due: "due + $by" } }
            - { update: b, entity: Task, where: ALL, set: { owner: null } }
            """, top: "params: { by: { type: duration, default: 1w } }", open: "existing")
        #expect(
            run.text == """
                spec.yaml:5:59: error: Arithmetic needs numbers, not a date [predicate.type]
                  due + $by
                  ^
                  in: stages[0].set.due
                  fix: a date is moved by seconds: cast(cast(due, 'Double') + 7 * 86400, 'Date')
                spec.yaml:6:49: error: 'Task.owner' is a relationship, not an attribute \
                [spec.unknown-attribute]
                  in: stages[1].set.owner
                  fix: set it by `link` of an import, where null clears it
                """)
        let moved = try folder.run(
            model: Self.model,
            """
            - update: a
              entity: Task
              where: "id < 3"
              set: { due: "cast(cast(due, 'Double') + $by, 'Date')" }
            - { export: Task, where: "id < 4", fields: [id, due], to: out.csv }
            """, top: "params: { by: { type: duration, default: 1w } }", open: "existing")
        #expect(moved.text == "")
        #expect(
            try folder.text("out.csv") == """
                id,due
                1,2026-01-08T00:00:00Z
                2,2026-02-08T00:00:00Z
                3,2026-03-05T00:00:00Z

                """)
    }

    static let model = """
        model: 1
        entities:
          Task:
            attributes:
              id: { type: Integer 32, optional: false }
              title: String
              size: { type: Integer 16, range: 0..100 }
              done: Boolean
              due: Date
              ratio: Double
            relationships:
              owner: { to: Person, inverse: tasks }
              steps: { to: Step, many: true, inverse: task, delete: cascade }
            unique: [[id]]
          Step:
            attributes: { name: { type: String, optional: false } }
            relationships: { task: { to: Task, inverse: steps } }
            unique: [[name]]
          Person:
            attributes: { name: { type: String, optional: false } }
            relationships: { tasks: { to: Task, many: true, inverse: owner, delete: deny } }
            unique: [[name]]
        """

    /// Returns a folder with six tasks of two people; the first three are done and have one step
    /// each.
    static func filled() throws -> Workspace {
        let folder = try Workspace()
        try folder.write(
            "tasks.csv",
            """
            id,title,size,done,due,owner
            1,a,10,yes,2026-01-01,ann
            2,b,20,yes,2026-02-01,ann
            3,c,30,yes,2026-03-05,bob
            4,d,,no,2026-01-01,bob
            5,e,50,no,,
            6,f,60,,2026-03-04T05:06:07Z,
            """)
        try folder.write("steps.csv", "name,task\nx,1\ny,2\nz,3\n")
        try folder.write("people.csv", "name\ncid\n")
        let run = try folder.run(
            model: model,
            """
            - import: tasks.csv
              into: Task
              link: { owner: { by: { name: owner }, missing: create } }
            - { import: steps.csv, into: Step, link: { task: { by: { id: task } } } }
            - { import: people.csv, into: Person }
            """)
        #expect(run.text == "")
        return folder
    }

    @Test("updates matching objects by expressions over old values, parameters, and the clock")
    func update() throws {
        let folder = try Self.filled()
        let stages = """
            - update: late
              entity: Task
              where: "done != YES AND due < $now AND owner.name == $who"
              set:
                title: "'late'"
                size: "id * 2 + 1"
                ratio: "size / 4.0"
                due: "$day"
                done: true
            """
        let params = """
            params:
              who: { type: string, default: bob }
              day: { type: date, default: "today - 1d" }
            """
        let run = try folder.run(model: Self.model, stages, top: params, open: "existing")
        #expect(run.text == "")
        #expect(run.lines == ["update late: 1 matched, 1 updated"])
        #expect(
            try folder.rows(
                "SELECT ZID, ZTITLE, ZSIZE, ZDONE, ZDUE, ZRATIO, Z_OPT FROM ZTASK"
                    + " WHERE ZTITLE = 'late' OR ZID = 4") == ["4|late|9|1|794188800|NULL|2"])
        let again = try folder.run(
            model: Self.model, stages, top: params, open: "existing", sets: ["who=ann"])
        #expect(again.lines == ["update late: 0 matched, 0 updated"])
    }

    @Test("an update that would break a rule of the model fails and changes nothing")
    func updateAgainstRule() throws {
        let folder = try Self.filled()
        let run = try folder.run(
            model: Self.model,
            "- { update: big, entity: Task, where: ALL, set: { size: \"size * 2\" } }",
            open: "existing")
        #expect(run.status == .dataError)
        #expect(
            run.text == """
                error: 'size' of 1 object would be more than 100; nothing was done \
                [store.validation]
                  stage: spec.yaml:5:3 update big
                  fix: narrow `where`, or set values that the model allows
                """)
        let rows = try folder.rows("SELECT sum(ZSIZE), max(Z_OPT) FROM ZTASK")
        // The steps, which were imported later, incremented the versions of their tasks.
        #expect(rows == ["170|2"])
    }

    @Test("an update that gives an integer attribute a fraction fails and suggests round")
    func updateToFraction() throws {
        let folder = try Self.filled()
        func update(_ value: String) throws -> Run {
            try folder.run(
                model: Self.model,
                "- { update: big, entity: Task, where: ALL, set: { size: \"\(value)\" } }",
                open: "existing")
        }
        #expect(
            try update("id / 4.0").text == """
                error: 'size' of 5 objects would be a fraction (`round`, `floor`, and \
                `ceiling` make whole numbers); nothing was done [store.validation]
                  stage: spec.yaml:5:3 update big
                  fix: narrow `where`, or set values that the model allows
                """)
        #expect(try update("id * 40000.5").text.contains("would be outside Integer 16"))
        #expect(try update("floor(id / 4.0)").text == "")
        #expect(try folder.rows("SELECT typeof(ZSIZE), count(*) FROM ZTASK GROUP BY 1").count == 1)
    }

    @Test("rules: ignore permits values outside the model's rules, but not outside the type")
    func updateIgnoringRules() throws {
        let folder = try Self.filled()
        func update(_ set: String) throws -> Run {
            try folder.run(
                model: Self.model,
                "- { update: big, entity: Task, where: ALL, set: { \(set) }, rules: ignore }",
                open: "existing")
        }
        #expect(try update("size: \"size * 2\"").text == "")
        #expect(try folder.rows("SELECT sum(ZSIZE) FROM ZTASK") == ["340"])
        #expect(try update("size: \"size * 10000\"").text.contains("outside Integer 16"))
        #expect(try update("id: null").text.contains("is not optional, so it cannot be null"))
        #expect(try folder.rows("SELECT sum(ZSIZE), sum(ZID) FROM ZTASK") == ["340|21"])
        #expect(try update("size: 500").text == "")
        #expect(try update("size: 50000").text.contains("must be a whole number in its range"))
    }

    @Test("rules: ignore deletes the matches and no others, despite deny and cascade rules")
    func deleteIgnoringRules() throws {
        let folder = try Self.filled()
        let run = try folder.run(
            model: Self.model,
            """
            - { delete: Person, where: ALL, rules: ignore }
            - { delete: Task, where: "done == YES", rules: ignore }
            """, open: "existing")
        #expect(run.text == "")
        #expect(
            run.lines == [
                "delete delete-person: 3 matched, 3 deleted",
                "delete delete-task: 3 matched, 3 deleted",
            ])
        #expect(try folder.rows("SELECT count(*) FROM ZSTEP") == ["3"])
        #expect(
            try folder.check(
                """
                etl: 1
                store: { at: a.sqlite }
                stages: [{ delete: Task, where: ALL, rules: none }]
                """
            ).contains("'rules' must be enforce or ignore, not 'none'"))
    }

    @Test(
        "an update that would duplicate a unique value names the value and changes nothing",
        arguments: [
            ("{ id: 7 }", "'Task.id' must be unique, and 6 objects would have 7"),
            (
                "{ id: \"ternary(size > 40, 1, id)\" }",
                "'Task.id' must be unique, and 3 objects would have 1"
            ),
            (
                "{ id: \"id + 1\" }",
                "'Task.id' must be unique, and one object would get what another one has before "
                    + "that one changes"
            ),
            (
                "{ id: \"ternary(owner.name == 'bob', 9, id)\" }",
                "'Task.id' must be unique, and 2 objects would have 9"
            ),
        ])
    func updateAgainstUniqueness(_ set: String, _ message: String) throws {
        let folder = try Self.filled()
        let run = try folder.run(
            model: Self.model, "- { update: same, entity: Task, where: ALL, set: \(set) }",
            open: "existing")
        #expect(run.status == .dataError)
        #expect(
            run.text == """
                error: \(message); nothing was done [store.unique]
                  stage: spec.yaml:5:3 update same
                  fix: narrow `where`, set a different value for each object, or change the \
                values in two stages
                """)
        #expect(try folder.rows("SELECT sum(ZID), max(Z_OPT) FROM ZTASK") == ["21|2"])
    }

    @Test(
        "at-most limits a delete by the count with cascades or by the share of matches",
        arguments: [
            ("6", true), ("5", false), ("2", false), ("50%", true), ("49%", false),
        ])
    func atMost(_ limit: String, _ isEnough: Bool) throws {
        let folder = try Self.filled()
        let run = try folder.run(
            model: Self.model, "- { delete: Task, where: \"done == YES\", at-most: \(limit) }",
            open: "existing")
        #expect(run.status == (isEnough ? .ok : .dataError))
        #expect(
            try folder.rows("SELECT (SELECT count(*) FROM ZTASK), (SELECT count(*) FROM ZSTEP)")
                == [isEnough ? "3|0" : "6|3"])
        if isEnough {
            #expect(run.lines == ["delete delete-task: 3 matched, 3 deleted, 3 more by cascade"])
        } else {
            #expect(run.text.contains("[store.too-many]"))
            #expect(run.text.contains("stage: spec.yaml:5:3 delete delete-task"))
        }
    }

    @Test("a deny rule keeps its objects with a warning; the other matches are deleted")
    func deny() throws {
        let folder = try Self.filled()
        let run = try folder.run(
            model: Self.model, "- { delete: Person, where: ALL }", open: "existing")
        #expect(run.text == "")
        #expect(
            run.warningText == """
                warning: 2 of 3 objects of Person that match were kept: `delete: deny` of \
                'Person.tasks' keeps objects that are linked to objects of Task [store.deletion-denied]
                  stage: spec.yaml:5:3 delete delete-person
                  fix: delete the objects of Task in an earlier stage, or exclude these objects \
                in `where` with `AND tasks.@count == 0`
                """)
        #expect(run.status == .ok)
        #expect(run.outcome.stages[0].deniedBy == ["Person.tasks": 2])
        #expect(run.lines == ["delete delete-person: 3 matched, 1 deleted, 2 kept by a deny rule"])
        #expect(try folder.rows("SELECT ZNAME FROM ZPERSON ORDER BY 1") == ["ann", "bob"])
    }

    @Test("warns with the name of a deny rule that stops a cascade, and not if nothing is denied")
    func denyBehindCascade() throws {
        let folder = try Self.filled()
        let model = Self.model.replacing(
            "tasks: { to: Task, many: true, inverse: owner, delete: deny }",
            with: "tasks: { to: Task, many: true, inverse: owner, delete: cascade }"
        ).replacing("inverse: task, delete: cascade", with: "inverse: task, delete: deny")
        func delete(_ predicate: String) throws -> Run {
            try folder.run(
                model: model, "- { delete: Person, where: \"\(predicate)\" }", open: "existing")
        }
        try folder.write("model.yaml", model)
        let run = try delete("name == 'ann'")
        #expect(run.text == "")
        #expect(
            run.warningText == """
                warning: 1 of 1 object of Person that matches was kept: their deletion would \
                also delete objects of Task, and `delete: deny` of 'Task.steps' keeps objects that \
                are linked to objects of Step [store.deletion-denied]
                  stage: spec.yaml:5:3 delete delete-person
                  fix: delete the objects of Step in an earlier stage
                """)
        let rest = try delete("tasks.@count == 0")
        #expect(rest.warningText == "")
        #expect(rest.outcome.stages[0].deniedBy == nil)
        #expect(try folder.rows("SELECT ZNAME FROM ZPERSON ORDER BY 1") == ["ann", "bob"])
    }

    @Test(
        "evaluates every predicate of the first language version",
        arguments: [
            ("id == 3", "3"), ("id != 3 AND NOT id > 4", "1,2,4"), ("id IN {1, 6, 9}", "1,6"),
            ("id BETWEEN {2, 4}", "2,3,4"), ("size == nil", "4"), ("title CONTAINS 'c'", "3"),
            ("title BEGINSWITH 'f'", "6"), ("owner == nil OR owner.name == 'bob'", "3,4,5,6"),
            ("owner.name IN $people", "1,2"), ("due < $now", "1,2,4,6"), ("done == NO", "4,5"),
            ("done != YES", "4,5,6"), ("size > 10 AND size < 60", "2,3,5"), ("ALL", "1,2,3,4,5,6"),
        ])
    func predicates(_ predicate: String, _ expected: String) throws {
        let folder = try Self.filled()
        let run = try folder.run(
            model: Self.model,
            """
            - { export: Task, where: "\(predicate.replacing("$people", with: "{$who}"))", \
            fields: [id], to: out.csv }
            """,
            top: "params: { who: { type: string, default: ann } }", open: "existing")
        #expect(run.text == "")
        #expect(
            try folder.text("out.csv").split(separator: "\n").dropFirst().joined(separator: ",")
                == expected)
    }

    @Test("at-most counts objects deleted by cascade if it is a number, not if it is a share")
    func cascades() throws {
        let folder = try Workspace()
        let model = DerivedAttributeImportTests.model.replacing(
            "inverse: list }", with: "inverse: list, delete: cascade }")
        try folder.write("lists.ndjson", #"{"name":"a","tasks":["x","y"]}"# + "\n")
        func run(_ stage: String) throws -> Run { try folder.run(model: model, stage) }
        let link = "link: { tasks: { by: { title: \"tasks[*]\" }, missing: create } }"
        #expect(try run("- { import: lists.ndjson, into: List, \(link) }").text == "")
        #expect(
            try run("- { delete: List, where: ALL, at-most: 2 }").text.hasPrefix(
                "error: 3 objects would be deleted, including the objects that delete rules add to 1 match, and"
                    + " at most 2 may; nothing was done [store.too-many]\n"))
        #expect(try folder.rows("SELECT count(*) FROM ZTASK") == ["2"])
        try folder.write("other.ndjson", #"{"name":"b"}"# + "\n")
        let mirror = try run(
            "- { import: other.ndjson, into: List, mirror: { where: ALL, at-most: 1 } }")
        #expect(mirror.text.contains("[mirror.refused]"), "\(mirror.text)")
        #expect(try run("- { delete: List, where: ALL, at-most: 100% }").text == "")
        #expect(try folder.rows("SELECT count(*) FROM ZTASK") == ["0"])
    }
}
