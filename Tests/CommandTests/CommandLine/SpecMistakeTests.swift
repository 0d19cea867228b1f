import Foundation
import Testing

/// Beginners' mistakes in specs, and the complete messages about them.
@Suite("Mistakes in specs") struct SpecMistakeTests {
    private static let model = """
        model: 1
        entities:
          Task:
            attributes:
              id: { type: Integer 64, optional: false }
              title: String
              status: String
              due: Date
            unique: [[id]]
        """

    /// Returns a folder with the model, a table, and a spec of these stages.
    private func folder(
        _ stages: String,
        store: String = "store: { at: s.sqlite, open: create, model: tasks.yaml }",
        tasks: String = "id,title,status,due\n"
    ) throws -> FailureFolder {
        let folder = try FailureFolder()
        try folder.write("tasks.yaml", Self.model)
        try folder.write("tasks.csv", tasks)
        try folder.write("a.yaml", "etl: 1\n\(store)\nstages:\n\(stages)\n")
        return folder
    }

    private func check(_ folder: FailureFolder) throws -> String {
        try folder.shell("exec \"$E\" check a.yaml").errors
    }

    @Test("a run warns of % in LIKE without a terminal, too, and in its report")
    func percentUnderCron() throws {
        let folder = try folder(
            """
              - { import: tasks.csv, into: Task }
              - { delete: old, entity: Task, where: "NOT title LIKE '%a%'" }
            """, tasks: "id,title,status,due\n1,a,,\n")
        let result = try folder.shell("exec \"$E\" run a.yaml")
        #expect(result.status == 0)
        #expect(
            result.errors == """
                a.yaml:5:41: warning: LIKE takes % for itself in '%a%'; * is any text, and ? one \
                character [predicate.like-percent]
                  in: stages[1].where
                  fix: write '*a*'

                """)
        #expect(
            try folder.shell("exec \"$E\" report a.yaml").output.contains(
                "[predicate.like-percent]"))
    }

    @Test("each misspelled key gives one error")
    func misspelledKeys() throws {
        let folder = try folder(
            """
              - { import: tasks.csv, ino: Task }
              - { update: x, entity: Task, were: "title == 'a'", set: { title: "'x'" } }
              - { import: tasks, read: { file: tasks.csv }, into: Task, storage: 1 }
            """, store: "store: { at: s.sqlite, open: create, modle: tasks.yaml }")
        #expect(
            try check(folder) == """
                a.yaml:2:38: error: The key 'modle' is unknown here. Did you mean 'model'? \
                [spec.unknown-key]
                  in: store.modle
                a.yaml:4:26: error: The key 'ino' is unknown here. Did you mean 'into'? \
                [spec.unknown-key]
                  in: stages[0].ino
                a.yaml:5:32: error: The key 'were' is unknown here. Did you mean 'where'? \
                [spec.unknown-key]
                  in: stages[1].were
                a.yaml:6:30: error: The key 'file' is unknown here. Did you mean 'files'? \
                [spec.unknown-key]
                  in: stages[2].read.file
                a.yaml:6:61: error: The key 'storage' is unknown here [spec.unknown-key]
                  in: stages[2].storage

                """)
        try folder.write(
            "a.yaml", "etl: 1\nstor: { at: s.sqlite }\nstages: [{ export: Task, to: x.csv }]\n")
        #expect(
            try check(folder) == """
                a.yaml:2:1: error: The key 'stor' is unknown here. Did you mean 'store'? \
                [spec.unknown-key]
                  in: stor

                """)
    }

    @Test(
        "a misspelled key of a model gives one error, in the model and in a spec that uses it",
        arguments: [
            ("entities:", "entitis:", "2:1", "entitis", "entities"),
            (
                "    attributes: { id: I", "    atributes: { id: I", "4:5",
                "entities.Task.atributes", "attributes"
            ),
            (
                "    relationships: { owner", "    relationship: { owner", "5:5",
                "entities.Task.relationship", "relationships"
            ),
            (
                "owner: { to: P", "owner: { too: P", "5:31",
                "entities.Task.relationships.owner.too", "to"
            ),
            (
                "inverse: owner", "invers: owner", "12:53",
                "entities.Person.relationships.tasks.invers", "inverse"
            ),
            ("    parent: Task", "    parrent: Task", "8:5", "entities.Chore.parrent", "parent"),
            ("composites:", "composits:", "14:1", "composits", "composites"),
        ])
    func misspelledModelKeys(
        key: String, wrong: String, place: String, path: String, meant: String
    ) throws {
        let model = """
            model: 1
            entities:
              Task:
                attributes: { id: Integer 64, title: String, at: { type: Composite, composite: Place } }
                relationships: { owner: { to: Person, inverse: tasks } }
                unique: [[owner, id]]
              Chore:
                parent: Task
                indexes: { byTitle: [title] }
              Person:
                attributes: { name: String }
                relationships: { tasks: { to: Task, many: true, inverse: owner } }
                unique: [[name]]
            composites:
              Place: { attributes: { x: Double } }

            """
        let folder = try folder(
            """
              - import: tasks
                read: { files: tasks.csv }
                into: Task
                key: [id, owner]
                set: { title: title }
                link: { owner: { by: { name: status } } }
              - { export: Chore, fields: [id, title], to: x.csv }
            """)
        try folder.write("tasks.yaml", model)
        #expect(try check(folder) == "")
        #expect(model.ranges(of: key).count == 1)
        try folder.write("tasks.yaml", model.replacing(key, with: wrong))
        let word = path.split(separator: ".").last ?? ""
        let message = """
            tasks.yaml:\(place): error: The key '\(word)' is unknown here. Did you mean '\(meant)'? \
            [model.unknown-key]
              in: \(path)

            """
        #expect(try folder.shell("exec \"$E\" model show tasks.yaml").errors == message)
        #expect(try check(folder) == message)
    }

    @Test("`null-text` is an alias of `null`")
    func nullText() throws {
        let folder = try folder(
            "  - { import: tasks, read: { files: tasks.csv, null-text: [\"\", NULL] }, into: Task }",
            tasks: "id,title,status\n1,NULL,\n2,x,open\n")
        let run = try folder.shell(
            "\"$E\" run a.yaml && exec \"$E\" fetch s.sqlite Task --fields id,title,status --format csv"
        )
        #expect(run.errors == "")
        #expect(run.output == "id,title,status\n1,,\n2,x,open\n")
        let text = folder.text("a.yaml")
        try folder.write("a.yaml", text.replacing("null-text:", with: "\"null\": x, null-text:"))
        #expect(
            try check(folder) == """
                a.yaml:4:70: error: 'null-text' is another name of 'null', which is there [spec.rule]
                  in: stages[0].read.null-text
                  fix: remove one of the two

                """)
    }

    @Test("check warns of % in LIKE unless it is meant literally")
    func like() throws {
        let folder = try folder(
            """
              - { delete: x, entity: Task, where: "status == 'a' OR title LIKE[c] '%foo%'" }
              - import: tasks.csv
                into: Task
                keep-if: "NOT title LIKE 'a%'"
                set: { status: { expr: "ternary(title LIKE '%b', 'b', 'c')" } }
              - { delete: y, entity: Task, where: "title LIKE '*%' OR title LIKE '5\\\\%'" }
              - { export: Task, to: x.csv, where: "title LIKE '100*' OR title CONTAINS '%'" }
            """)
        let result = try folder.shell("exec \"$E\" check a.yaml")
        #expect(result.status == 0)
        #expect(
            result.errors == """
                a.yaml:4:39: warning: LIKE takes % for itself in '%foo%'; * is any text, and ? one \
                character [predicate.like-percent]
                  in: stages[0].where
                  fix: write '*foo*'
                a.yaml:7:14: warning: LIKE takes % for itself in 'a%'; * is any text, and ? one \
                character [predicate.like-percent]
                  in: stages[1].keep-if
                  fix: write 'a*'
                a.yaml:8:28: warning: LIKE takes % for itself in '%b'; * is any text, and ? one \
                character [predicate.like-percent]
                  in: stages[1].set.status.expr
                  fix: write '*b'

                """)
    }

    @Test(
        "a date pattern in another notation fails with the right pattern as the fix",
        arguments: [
            (
                "dd.mm.yyyy", "The date pattern has minutes (m) and no hour; the month is M",
                "dd.MM.yyyy"
            ),
            (
                "%d.%m.%Y", "A date pattern has letters without %, as in 'dd.MM.yyyy'",
                "dd.MM.yyyy"
            ),
            (
                "YYYY-MM-DD", "A date pattern cannot have 4 of the letter 'Y'; the year is y",
                "yyyy-MM-dd"
            ),
            (
                "dd.MM.yyyy hh:mm", "In a date pattern, h (1 to 12) and a (AM or PM) go together",
                "dd.MM.yyyy HH:mm"
            ),
        ])
    func datePatterns(pattern: String, message: String, meant: String) throws {
        let folder = try folder(
            "  - { import: tasks.csv, into: Task, set: { due: { date: \"\(pattern)\" } } }")
        #expect(
            try check(folder) == """
                a.yaml:4:58: error: \(message) [spec.date-pattern]
                  in: stages[0].set.due.date
                  fix: write `\(meant)`

                """)
    }

    @Test(
        "a value that is not a date is reported with the pattern, or as a day that does not exist")
    func dates() throws {
        let folder = try folder(
            "  - { import: tasks.csv, into: Task, set: { due: { date: dd.MM.yyyy } } }",
            tasks: "id,due\n1,31.02.2026\n2,2026-01-31\n")
        #expect(
            try folder.shell("exec \"$E\" run a.yaml").errors.hasPrefix(
                """
                tasks.csv:2:3: error: 'due' is '31.02.2026', and there is no such day [cast]
                  in: record 1, field 'due', byte 9
                  stage: a.yaml:4:5 import import-tasks
                tasks.csv:3:3: error: 'due' takes a date in the pattern dd.MM.yyyy, such as 20.11.2026, \
                not '2026-01-31' [cast]
                  in: record 2, field 'due', byte 22
                  stage: a.yaml:4:5 import import-tasks
                error: 2 of 2 records were rejected; none is allowed [rejects.too-many]

                """))
        try folder.write("tasks.csv", "id,due\n1,2026-02-31\n2,31.01.2026\n")
        try folder.write(
            "a.yaml",
            folder.text("a.yaml").replacing(", set: { due: { date: dd.MM.yyyy } }", with: ""))
        #expect(
            try folder.shell("exec \"$E\" run --restart a.yaml").errors.hasPrefix(
                """
                tasks.csv:2:3: error: 'due' is '2026-02-31', and there is no such day [cast]
                  in: record 1, field 'due', byte 9
                  stage: a.yaml:4:5 import import-tasks
                tasks.csv:3:3: error: 'due' takes an ISO 8601 date such as 2026-11-20 (or say \
                `date: dd.MM.yyyy`), not '31.01.2026' [cast]

                """.dropLast()))
    }

    @Test("a word without quotes is reported with its location, in `keep-if` and in `where`")
    func words() throws {
        let folder = try folder(
            """
              - import: tasks.csv
                into: Task
                keep-if: status == Done
            """)
        #expect(
            try folder.shell("exec \"$E\" run a.yaml").errors == """
                tasks.csv:1:1: error: The header has no column 'Done' [csv.unknown-column]
                  stage: a.yaml:6:14 import import-tasks, keep-if
                  fix: a text needs quotes: 'Done'; or use one of: id, title, status, due

                """)
        try folder.write(
            "a.yaml",
            folder.text("a.yaml").replacing("    keep-if: status == Done", with: "")
                + "  - { delete: Task, where: status == Done }\n")
        #expect(
            try check(folder) == """
                a.yaml:7:28: error: 'Task' has no property 'Done' [predicate.unknown-key]
                  status == Done
                            ^
                  in: stages[1].where
                  fix: a text needs quotes: 'Done'

                """)
    }

    @Test(
        "suggests quotes for a lowercase word that is compared with text, unless it is misspelled",
        arguments: [
            ("status == done", 11, "done", "  fix: a text needs quotes: 'done'\n"),
            ("status IN {done, open}", 12, "done", "  fix: a text needs quotes: 'done'\n"),
            ("NOT title BEGINSWITH abc", 22, "abc", "  fix: a text needs quotes: 'abc'\n"),
            ("id == done", 7, "done", ""), ("done == 1", 1, "done", ""),
            ("status == titel", 11, "titel", ""),
        ])
    func smallWords(predicate: String, column: Int, word: String, fix: String) throws {
        let folder = try folder("  - { import: tasks.csv, into: Task, when-found: append }")
        #expect(try folder.shell("exec \"$E\" run a.yaml").status == 0)
        let hint = word == "titel" ? ". Did you mean 'title'?" : ""
        let result = try folder.shell("exec \"$E\" fetch s.sqlite Task --where \"\(predicate)\"")
        #expect(result.status == 64)
        #expect(
            result.errors == """
                --where: error: 'Task' has no property '\(word)'\(hint) [predicate.unknown-key]
                  \(predicate)
                  \(String(repeating: " ", count: column - 1))^

                """ + fix)
    }

    @Test("suggests quotes for a lowercase word in a filter")
    func smallWordOfFilter() throws {
        let folder = try folder(
            """
              - import: tasks.csv
                into: Task
                keep-if: status IN {done, 'open'}
            """)
        #expect(
            try folder.shell("exec \"$E\" run a.yaml").errors == """
                tasks.csv:1:1: error: The header has no column 'done' [csv.unknown-column]
                  stage: a.yaml:6:14 import import-tasks, keep-if
                  fix: a text needs quotes: 'done'; or use one of: id, title, status, due

                """)
    }
}
