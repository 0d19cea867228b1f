import Testing

@testable import Pipelines

@Suite("Spec against model") struct SpecificationCheckerTests {
    private func problems(_ stages: String) -> String {
        SpecificationTesting.stageProblems(stages)
    }

    @Test func acceptsAValidSpec() {
        let stages = """
              - import: tasks.ndjson
                into: Task
                set:
                  title: { from: Title, need: true }
                  isCompleted: { from: status, map: { done: true, open: false, odd: null } }
                  dueDate: { from: due, date: "yyyy-MM-dd" }
                  priority: { const: 2 }
                  extra: { from: words, split: " " }
                link:
                  owner: { by: { email: owner.email } }
                  tags: { to: Tag, by: { name: "tags[*]" }, missing: create, many: add }
              - import: people.csv
                into: Person
                key: [nick, name]
              - update: escalate
                entity: Item
                where: "createdAt < $now"
                set: { createdAt: "$now" }
              - export: Task
                fields: [id, owner, owner.email, tags, tags.name, createdAt]
                order: [owner.name desc, id]
                to: tasks.csv
            """
        #expect(problems(stages) == "")
    }

    @Test func checksEntities() {
        let stages = """
              - { import: a.csv, into: Tsk }
              - { import: b.csv, into: Item }
              - { import: c.csv, into: Note }
              - { import: d.csv, into: Person }
              - { delete: Tags, where: ALL }
              - { export: task, to: z.csv }
              - { update: u, entity: Persn, where: ALL, set: { name: "'x'" } }
            """
        #expect(
            problems(stages) == """
                a.yaml:2:28: error: The model has no entity 'Tsk'. Did you mean 'Task'? \
                [spec.unknown-entity]
                  in: stages[0].into
                a.yaml:3:28: error: 'Item' is abstract, so no object can be one \
                [spec.abstract-entity]
                  in: stages[1].into
                  fix: import into Task
                a.yaml:4:28: error: 'Note' has no uniqueness constraint, so an import cannot \
                distinguish new records from existing ones [spec.no-key]
                  in: stages[2].into
                  fix: add `key:` with the attributes that identify its objects, or \
                `when-found: append`
                a.yaml:5:28: error: 'Person' has several uniqueness constraints [spec.no-key]
                  in: stages[3].into
                  fix: add `key:` with [email] or [name, nick]
                a.yaml:6:15: error: The model has no entity 'Tags'. Did you mean 'Tag'? \
                [spec.unknown-entity]
                  in: stages[4].delete
                a.yaml:7:15: error: The model has no entity 'task'. Did you mean 'Task'? \
                [spec.unknown-entity]
                  in: stages[5].export
                a.yaml:8:26: error: The model has no entity 'Persn'. Did you mean 'Person'? \
                [spec.unknown-entity]
                  in: stages[6].entity
                """)
    }

    @Test func checksKeys() {
        let stages = """
              - { import: a.csv, into: Tag, key: nam }
              - { import: b.csv, into: Person, key: [name] }
              - { import: c.csv, into: Note, key: text }
              - { import: d.csv, into: Task, key: [owner], link: { owner: { by: { email: o } } } }
              - { import: e.csv, into: Tag, set-only: true }
            """
        #expect(
            problems(stages) == """
                a.yaml:2:38: error: 'Tag' has no attribute 'nam'. Did you mean 'name'? \
                [spec.unknown-attribute]
                  in: stages[0].key
                a.yaml:3:42: note: No uniqueness constraint of 'Person' covers [name]; records \
                whose key several objects share are rejected [spec.key]
                  in: stages[1].key[0]
                a.yaml:4:39: note: No uniqueness constraint of 'Note' covers [text]; records whose \
                key several objects share are rejected [spec.key]
                  in: stages[2].key
                a.yaml:5:40: note: No uniqueness constraint of 'Task' covers [owner]; records \
                whose key several objects share are rejected [spec.key]
                  in: stages[3].key[0]
                a.yaml:6:28: error: Nothing fills 'name', which is part of the key \
                [spec.unmapped-key]
                  in: stages[4].into
                  fix: add it to `set`
                """)
    }

    @Test func checksAttributes() {
        let stages = """
              - import: a.csv
                into: Task
                set:
                  titel: x
                  owner: x
                  age: x
                  title: { from: x, split: "," }
                  priority: { from: x, date: "yyyy" }
                  isCompleted: { from: s, map: { a: maybe, b: 1, c: true } }
                  id: { const: null }
                  dueDate: { const: 5 }
                link: { owner: { by: { email: x } } }
              - update: u
                entity: Task
                where: ALL
                set: { titel: "'x'", owner: null, age: 1, priority: 40000, title: null, id: "id" }
            """
        #expect(
            problems(stages) == """
                a.yaml:5:7: error: 'Task' has no attribute 'titel'. Did you mean 'title'? \
                [spec.unknown-attribute]
                  in: stages[0].set.titel
                a.yaml:6:7: error: 'Task.owner' is a relationship, not an attribute \
                [spec.unknown-attribute]
                  in: stages[0].set.owner
                  fix: put it under `link`
                a.yaml:7:7: error: 'Task.age' is transient, so no store keeps it [spec.transient]
                  in: stages[0].set.age
                a.yaml:8:32: error: 'split' makes a list, and 'title' is String [spec.rule]
                  in: stages[0].set.title.split
                a.yaml:9:34: error: 'date' is for Date, and 'priority' is Integer 16 [spec.rule]
                  in: stages[0].set.priority.date
                a.yaml:10:41: error: 'isCompleted' is Boolean and must be true or false \
                [spec.constant]
                  in: stages[0].set.isCompleted.map.a
                a.yaml:11:20: error: 'id' is not optional, so it cannot be null [spec.constant]
                  in: stages[0].set.id.const
                a.yaml:12:25: error: 'dueDate' is Date and must be an ISO 8601 date [spec.constant]
                  in: stages[0].set.dueDate.const
                a.yaml:17:12: error: 'Task' has no attribute 'titel'. Did you mean 'title'? \
                [spec.unknown-attribute]
                  in: stages[1].set.titel
                a.yaml:17:26: error: 'Task.owner' is a relationship, not an attribute \
                [spec.unknown-attribute]
                  in: stages[1].set.owner
                  fix: set it by `link` of an import, where null clears it
                a.yaml:17:39: error: 'Task.age' is transient, so no store keeps it [spec.transient]
                  in: stages[1].set.age
                a.yaml:17:57: error: 'priority' is Integer 16 and must be a whole number in its \
                range [spec.constant]
                  in: stages[1].set.priority
                a.yaml:17:71: error: 'title' is not optional, so it cannot be null [spec.constant]
                  in: stages[1].set.title
                """)
    }

    @Test func rejectsConstantDatesThatLosePrecision() {
        let stages = """
              - import: a.csv
                into: Task
                set: { dueDate: { const: "2500-06-01T00:00:00.123456Z" } }
                link: { owner: { by: { email: x } } }
            """
        #expect(
            problems(stages) == """
                a.yaml:4:30: error: 'dueDate' is Date and must be a date whose fraction of a \
                second is kept, to the microsecond from 1729 to 2272 [spec.constant]
                  in: stages[0].set.dueDate.const
                """)
    }

    @Test func checksLinks() {
        let stages = """
              - import: a.csv
                into: Task
                link:
                  ownr: { by: { email: x } }
                  title: { by: { email: x } }
                  owner: { to: Tag, by: { name: x } }
                  tags: { to: Tg, by: { name: x } }
              - import: b.csv
                into: Task
                link:
                  owner: { by: { emial: x }, missing: null, many: add }
                  tags: { by: { tasks: x } }
              - import: c.csv
                into: Task
                link:
                  owner: { by: { email: x }, missing: create }
                  tags: { by: { name: { from: x, date: "yyyy" } } }
              - import: d.csv
                into: Person
                key: email
                link:
                  tasks: { to: Item, by: { id: x } }
              - import: e.csv
                into: Task
                link:
                  owner: { by: { name: x } }
            """
        #expect(
            problems(stages) == """
                a.yaml:5:7: error: 'Task' has no relationship 'ownr'. Did you mean 'owner'? \
                [spec.unknown-relationship]
                  in: stages[0].link.ownr
                a.yaml:6:7: error: 'Task.title' is an attribute, not a relationship \
                [spec.unknown-relationship]
                  in: stages[0].link.title
                  fix: put it under `set`
                a.yaml:7:20: error: 'owner' leads to 'Person', and 'Tag' is not such an entity [spec.link-target]
                  in: stages[0].link.owner.to
                  fix: use Person
                a.yaml:8:19: error: The model has no entity 'Tg'. Did you mean 'Tag'? \
                [spec.unknown-entity]
                  in: stages[0].link.tags.to
                a.yaml:12:7: error: 'many' is for relationships to many objects [spec.rule]
                  in: stages[1].link.owner
                  fix: remove it
                a.yaml:12:22: error: 'Person' has no attribute 'emial'. Did you mean 'email'? \
                [spec.unknown-attribute]
                  in: stages[1].link.owner.by.emial
                a.yaml:12:43: error: `missing: null` would leave 'owner' empty, which is not \
                optional [spec.rule]
                  in: stages[1].link.owner.missing
                  fix: use create or reject
                a.yaml:13:21: error: 'tasks' leads to many objects, so it cannot be part of a key \
                [spec.rule]
                  in: stages[1].link.tags.by.tasks
                  fix: use attributes and to-one relationships
                a.yaml:17:43: error: `missing: create` would make a 'Person' without 'name', \
                which must not be empty [spec.link-create]
                  in: stages[2].link.owner.missing
                  fix: use reject or null, or import them first
                a.yaml:18:44: error: 'date' is for Date, and 'name' is String [spec.rule]
                  in: stages[2].link.tags.by.name.date
                a.yaml:23:20: error: 'tasks' leads to 'Task', and 'Item' is not such an entity [spec.link-target]
                  in: stages[3].link.tasks.to
                  fix: use Task
                a.yaml:27:22: note: No uniqueness constraint of 'Person' covers [name]; records \
                whose key several objects share are rejected [spec.link-key]
                  in: stages[4].link.owner.by.name
                """)
    }

    @Test func warnsOfRequiredPropertiesThatNothingFills() {
        let stages = """
              - import: a.csv
                into: Task
              - import: b
                read: { files: b.csv, header: false, columns: [email, nick] }
                into: Person
                key: email
              - import: c.csv
                into: Task
                set-only: true
                set: { id: id }
                link: { owner: { by: { email: x } } }
            """
        #expect(
            problems(stages) == """
                a.yaml:3:11: warning: Nothing fills 'owner', which is not optional [spec.unmapped]
                  in: stages[0].into
                  fix: add it to `link`
                a.yaml:6:11: warning: Nothing fills 'name', which is not optional and has no \
                default [spec.unmapped]
                  in: stages[1].into
                  fix: add it to `set`
                a.yaml:9:11: warning: Nothing fills 'title', which is not optional and has no \
                default [spec.unmapped]
                  in: stages[2].into
                  fix: add it to `set`
                """)
    }

    @Test func checksPaths() {
        let stages = """
              - export: Task
                to: a.json
                fields:
                  - titel
                  - owner.emial
                  - title.length
                  - age
                  - tags.tasks
                  - tags.tasks.id
                  - owner.tasks.id
                  - owner.tasks.tags.name
                  - tags.nam
                  - owner..name
                order: [tags, owner, owner.name.x, tags.name, nothing]
            """
        #expect(
            problems(stages) == """
                a.yaml:5:9: error: 'Task' has no property 'titel'. Did you mean 'title'? \
                [spec.unknown-property]
                  in: stages[0].fields[0]
                a.yaml:6:9: error: 'Person' has no property 'emial'. Did you mean 'email'? \
                [spec.unknown-property]
                  in: stages[0].fields[1]
                a.yaml:7:9: error: 'Task.title' is an attribute, so 'title.length' cannot \
                continue after it [spec.path]
                  in: stages[0].fields[2]
                a.yaml:8:9: error: 'Task.age' is transient, so no store keeps it [spec.transient]
                  in: stages[0].fields[3]
                a.yaml:9:9: error: 'Tag.tasks' leads to many objects in 'tags.tasks', and so does \
                'Task.tags' [spec.path]
                  in: stages[0].fields[4]
                  fix: a field can cross one to-many relationship: name an attribute of 'Tag', such as \
                'tags.name', or export 'Tag'
                a.yaml:10:9: error: 'Tag.tasks' leads to many objects in 'tags.tasks.id', and so does \
                'Task.tags' [spec.path]
                  in: stages[0].fields[5]
                  fix: a field can cross one to-many relationship: name an attribute of 'Tag', such as \
                'tags.name', or export 'Tag'
                a.yaml:11:9: error: 'Person.tasks' leads to many objects in 'owner.tasks.id' \
                [spec.path]
                  in: stages[0].fields[6]
                  fix: a to-many relationship must be the first step of a field: use 'Person', and 'tasks.createdAt' of it
                a.yaml:12:9: error: 'Person.tasks' leads to many objects in \
                'owner.tasks.tags.name' [spec.path]
                  in: stages[0].fields[7]
                  fix: a to-many relationship must be the first step of a field: use 'Person', and 'tasks.createdAt' of it
                a.yaml:13:9: error: 'Tag' has no property 'nam'. Did you mean 'name'? \
                [spec.unknown-property]
                  in: stages[0].fields[8]
                a.yaml:14:9: error: The path 'owner..name' has an empty step \
                [spec.unknown-property]
                  in: stages[0].fields[9]
                a.yaml:15:13: error: 'Task.tags' leads to many objects in 'tags' [spec.path]
                  in: stages[0].order[0]
                  fix: order by attributes and to-one relationships
                a.yaml:15:19: error: 'owner' ends in a relationship, which has no order [spec.path]
                  in: stages[0].order[1]
                  fix: name an attribute of 'Person'
                a.yaml:15:26: error: 'Person.name' is an attribute, so 'owner.name.x' cannot \
                continue after it [spec.path]
                  in: stages[0].order[2]
                a.yaml:15:40: error: 'Task.tags' leads to many objects in 'tags.name' [spec.path]
                  in: stages[0].order[3]
                  fix: order by attributes and to-one relationships
                a.yaml:15:51: error: 'Task' has no property 'nothing' [spec.unknown-property]
                  in: stages[0].order[4]
                """)
    }
}
