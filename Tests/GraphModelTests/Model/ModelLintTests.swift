import Diagnostics
import GraphModel
import Testing

@Suite("Model lints") struct ModelLintTests {
    private func problems(_ entities: String, rest: String = "") -> String {
        let indented = entities.split(separator: "\n", omittingEmptySubsequences: false)
            .map { "  " + $0 }.joined(separator: "\n")
        return ModelFile.read(text: "model: 1\nentities:\n\(indented)\n\(rest)", file: "m.yaml")
            .diagnostics.map(DiagnosticRenderer.text).joined(separator: "\n")
    }

    @Test func reportsUnknownAndMissingKeys() {
        let text = """
            Task:
              atributes: {}
              fetched: { some: { where: "a != nil" } }
              attributes:
                a: { type: String, defualt: x, derived: "tags.@count", searchable: true }
              indexes: { byA: { properties: [a], were: "a != nil" } }
            """
        #expect(
            problems(text, rest: "requests: { all: { entity: Tusk } }\nhistory: old.yaml\n") == """
                m.yaml:4:5: error: The key 'atributes' is unknown here. Did you mean \
                'attributes'? [model.unknown-key]
                  in: entities.Task.atributes
                m.yaml:5:22: error: The key 'entity' is missing [model.missing-key]
                  in: entities.Task.fetched.some
                m.yaml:7:26: error: The key 'defualt' is unknown here. Did you mean 'default'? \
                [model.unknown-key]
                  in: entities.Task.attributes.a.defualt
                m.yaml:8:40: error: The key 'were' is unknown here. Did you mean 'where'? \
                [model.unknown-key]
                  in: entities.Task.indexes.byA.were
                m.yaml:9:28: error: No entity is named 'Tusk'. Did you mean 'Task'? \
                [model.unknown-entity]
                  in: requests.all.entity
                m.yaml:10:10: error: 'history' must be a list, not the text 'old.yaml' [model.type]
                  in: history
                """)
    }

    @Test func warnsIfTwoNamesAreRenamedFromTheSameName() {
        let text = """
            Task:
              attributes:
                title: { type: String, renamed-from: name }
                caption: { type: String, renamed-from: name }
                name: String
            Note: { renamed-from: Memo }
            Letter: { renamed-from: Memo, attributes: { title: { type: String, renamed-from: name } } }
            """
        #expect(
            problems(text) == """
                m.yaml:6:7: warning: 'caption' is renamed from 'name', and so is 'title': a migration \
                keeps the values of one of them [model.renamed-twice]
                  in: entities.Task.attributes.caption
                m.yaml:9:3: warning: 'Letter' is renamed from 'Memo', and so is 'Note': a migration \
                keeps the values of one of them [model.renamed-twice]
                  in: entities.Letter
                """)
    }

    @Test func checksTypesAndTheirRules() {
        let text = """
            Task:
              attributes:
                a: Sting
                b: { optional: false }
                c: { type: Boolean, range: 0..1, length: 1.., pattern: x, transformer: json }
                d: { type: Integer 16, range: 5..1 }
                e: { type: Date, range: monday.. }
                f: { type: String, length: -1..5 }
                g: { type: String, pattern: "a(?=b)" }
                h: { type: String, pattern: "(a" }
                i: Undefined
                j: { type: String, external: true }
                k: { type: Double, range: ".." }
                l: 5
            """
        #expect(
            problems(text) == """
                m.yaml:5:10: error: 'Sting' is not an attribute type. Did you mean 'String'? \
                [model.attribute-type]
                  in: entities.Task.attributes.a
                  fix: use Integer 16, Integer 32, Integer 64, Decimal, Double, Float, String, \
                Boolean, Date, Binary, UUID, URI, Transformable, or Composite
                m.yaml:6:10: error: The key 'type' is missing [model.missing-key]
                  in: entities.Task.attributes.b
                m.yaml:7:34: error: 'range' is for numbers and dates, not for Boolean [model.rule]
                  in: entities.Task.attributes.c.range
                m.yaml:7:48: error: 'length' is for String, not for Boolean [model.rule]
                  in: entities.Task.attributes.c.length
                m.yaml:7:62: error: 'pattern' is for String, not for Boolean [model.rule]
                  in: entities.Task.attributes.c.pattern
                m.yaml:7:78: warning: 'transformer' has no effect on the type Boolean \
                [model.rule]
                  in: entities.Task.attributes.c.transformer
                  fix: remove it, or give the attribute the type Transformable
                m.yaml:8:37: error: 'range' is empty: 5..1 ends before it begins [model.range]
                  in: entities.Task.attributes.d.range
                m.yaml:9:31: error: 'range' must be a range of dates such as \
                2020-01-01..2030-12-31, not the text 'monday..' [model.type]
                  in: entities.Task.attributes.e.range
                m.yaml:10:34: error: 'length' must be a range of whole numbers from 0 such as \
                1..500, not the text '-1..5' [model.type]
                  in: entities.Task.attributes.f.length
                m.yaml:11:35: warning: The pattern is kept, but not checked: Look-ahead and look-behind are \
                not supported (column 2 of the pattern) [model.pattern]
                  in: entities.Task.attributes.g.pattern
                m.yaml:12:35: warning: The pattern is kept, but not checked: '(' is not closed \
                (column 1 of the pattern) [model.pattern]
                  in: entities.Task.attributes.h.pattern
                m.yaml:13:10: error: Only a transient attribute can be Undefined \
                [model.attribute-type]
                  in: entities.Task.attributes.i
                  fix: give it a type, or `transient: true`
                m.yaml:14:36: error: 'external' is for Binary and Transformable, not for String \
                [model.rule]
                  in: entities.Task.attributes.j.external
                m.yaml:15:33: error: 'range' must be a range of numbers such as 0..10, not the \
                text '..' [model.type]
                  in: entities.Task.attributes.k.range
                m.yaml:16:10: error: 'l' must be text, not the number 5 [model.type]
                  in: entities.Task.attributes.l
                  fix: put it in quotes: "5"
                """)
    }

    @Test func checksDefaults() {
        let text = """
            Task:
              attributes:
                a: { type: Integer 16, default: 32768 }
                b: { type: Integer 64, default: 1.5 }
                c: { type: Boolean, default: yes }
                d: { type: Date, default: tomorrow }
                e: { type: UUID, default: 12 }
                f: { type: URI, default: no-scheme }
                g: { type: Binary, default: "a" }
                h: { type: Decimal, default: 0.12345678901234567890 }
                i: { type: Double, default: .inf }
                j: { type: String, default: 12 }
                k: { type: Transformable, default: {} }
                l: { type: Integer 16, default: 3, range: 0..2 }
                m: { type: String, default: "", length: 1..5 }
                n: { type: String, default: abc, pattern: "[A-Z]+" }
                o: { type: String, default: null }
            """
        #expect(
            problems(text) == """
                m.yaml:5:39: error: 'default' must be from -32768 to 32767, not 32768 [model.range]
                  in: entities.Task.attributes.a.default
                m.yaml:6:39: error: 'default' must be a whole number, not the number 1.5 \
                [model.type]
                  in: entities.Task.attributes.b.default
                m.yaml:7:36: error: 'default' must be true or false, not the text 'yes' \
                [model.type]
                  in: entities.Task.attributes.c.default
                  fix: write `true`
                m.yaml:8:33: error: 'default' must be an ISO 8601 date, not the text 'tomorrow' \
                [model.type]
                  in: entities.Task.attributes.d.default
                m.yaml:9:33: error: 'default' must be a UUID, not the number 12 [model.type]
                  in: entities.Task.attributes.e.default
                m.yaml:10:32: error: 'default' must be a URI with a scheme, not the text \
                'no-scheme' [model.type]
                  in: entities.Task.attributes.f.default
                m.yaml:11:35: error: 'default' must be base64 text, not the text 'a' [model.type]
                  in: entities.Task.attributes.g.default
                m.yaml:12:36: error: 'default' must be a decimal number of at most 15 to 17 \
                digits, not the number 0.12345678901234567890 [model.type]
                  in: entities.Task.attributes.h.default
                m.yaml:13:35: error: 'default' must be a finite number [model.default]
                  in: entities.Task.attributes.i.default
                m.yaml:14:35: error: 'default' must be text, not the number 12 [model.type]
                  in: entities.Task.attributes.j.default
                  fix: put it in quotes: "12"
                m.yaml:15:42: error: A Transformable attribute cannot have a default \
                [model.default]
                  in: entities.Task.attributes.k.default
                m.yaml:16:39: error: The default breaks the attribute's own range [model.default]
                  in: entities.Task.attributes.l.default
                m.yaml:17:35: error: The default breaks the attribute's own length [model.default]
                  in: entities.Task.attributes.m.default
                m.yaml:18:35: error: The default breaks the attribute's own pattern [model.default]
                  in: entities.Task.attributes.n.default
                """)
    }

    @Test func checksParentsAndNames() {
        let text = """
            A: { parent: B }
            B: { parent: C }
            C: { parent: A }
            Task: { parent: Itme, attributes: { x: String, description: String, in: String } }
            Item: { attributes: { x: String, _pk: Date, 1st: String } }
            Sub:
              parent: Item
              attributes: { x: Date, y: Date }
              relationships: { y: { to: Item } }
            CHANGE: {}
            TASK: {}
            """
        #expect(
            problems(text, rest: "configurations: { L: [Item, Item, Tsk] }\n") == """
                m.yaml:3:16: error: 'A' is its own ancestor: A → B → C → A [model.parent-cycle]
                  in: entities.A.parent
                m.yaml:6:19: error: No entity is named 'Itme'. Did you mean 'Item'? \
                [model.unknown-entity]
                  in: entities.Task.parent
                m.yaml:6:50: warning: Every object has a member 'description', which this property \
                hides [model.reserved-name]
                  in: entities.Task.attributes.description
                m.yaml:6:71: warning: 'in' is a word of the predicate language \
                [model.reserved-name]
                  in: entities.Task.attributes.in
                m.yaml:7:36: error: '_pk' would take the store's own column Z_PK \
                [model.reserved-name]
                  in: entities.Item.attributes._pk
                m.yaml:7:47: error: '1st' is not a valid property name [model.name]
                  in: entities.Item.attributes.1st
                  fix: begin with a letter or underscore; then letters, digits, and underscores
                m.yaml:10:19: error: 'Sub' inherits 'x' from 'Item' already [model.duplicate-name]
                  in: entities.Sub.attributes.x
                m.yaml:11:22: error: 'Sub' has two properties 'y' \
                [model.duplicate-name]
                  in: entities.Sub.relationships.y
                m.yaml:11:22: warning: 'Sub.y' has no inverse, so no delete rule of 'Item' \
                applies to it [model.no-inverse]
                  in: entities.Sub.relationships.y
                  fix: add a relationship to 'Sub' in 'Item', and name it here
                m.yaml:12:3: error: 'CHANGE' is the name of one of the store's history entities \
                [model.reserved-name]
                  in: entities.CHANGE
                m.yaml:14:29: error: 'L' lists 'Item' already [model.duplicate-name]
                  in: configurations.L[1]
                m.yaml:14:35: error: No entity is named 'Tsk'. Did you mean 'Task'? \
                [model.unknown-entity]
                  in: configurations.L[2]
                """)
    }

    @Test func rejectsMoreThan64Ancestors() {
        let chain = (0...70).map { "E\($0): { parent: E\($0 + 1) }" }.joined(separator: "\n")
        #expect(
            problems(chain + "\nE71: {}") == """
                m.yaml:3:17: error: 'E0' has more than 64 ancestors [model.parent-depth]
                  in: entities.E0.parent
                """)
    }

    @Test func checksColumns() {
        let text = """
            Item: { attributes: { userID: String } }
            A: { parent: Item, attributes: { userId: String, title: String } }
            B: { parent: Item, attributes: { title: String, title1: String } }
            ITEM: {}
            """
        #expect(
            problems(text) == """
                m.yaml:4:36: error: 'userId' and 'userID' of 'A' would share the column ZUSERID \
                [model.column-collision]
                  in: entities.A.attributes.userId
                m.yaml:5:36: error: 'B.title' would get the column ZTITLE1, which another \
                property has [model.column-collision]
                  in: entities.B.attributes.title
                m.yaml:6:3: error: 'ITEM' and 'Item' would share the table ZITEM \
                [model.column-collision]
                  in: entities.ITEM
                """)
    }

    @Test func checksRelationships() {
        let text = """
            Task:
              attributes: { name: String }
              relationships:
                a: { to: Tga }
                b: { many: true }
                c: { to: Tag, inverse: taks }
                d: { to: Tag, inverse: name }
                e: { to: Tag, inverse: tasks }
                f: { to: Tag, inverse: other }
                g: { to: Tag }
                h: { to: Tag, delete: destroy, ordered: true, count: 1..2 }
                i: { to: Tag, inverse: owner, many: true, count: 5..2 }
                j: { to: Tag, optional: false, delete: deny, inverse: j }
                k: Tag
            Tag:
              attributes: { name: String }
              relationships:
                tasks: { to: Task, many: true, inverse: g }
                other: { to: Tag, inverse: f }
                owner: { to: Task, inverse: i, optional: false }
                j: { to: Task, inverse: j }
            """
        #expect(
            problems(text) == """
                m.yaml:6:16: error: No entity is named 'Tga'. Did you mean 'Tag'? \
                [model.unknown-entity]
                  in: entities.Task.relationships.a.to
                m.yaml:7:10: error: The key 'to' is missing [model.missing-key]
                  in: entities.Task.relationships.b
                m.yaml:8:30: error: 'Tag' has no relationship 'taks'. Did you mean 'tasks'? \
                [model.inverse]
                  in: entities.Task.relationships.c.inverse
                m.yaml:9:30: error: 'Tag.name' is an attribute, not a relationship [model.inverse]
                  in: entities.Task.relationships.d.inverse
                m.yaml:10:30: error: 'Tag.tasks' does not point back: its inverse is 'g' \
                [model.inverse]
                  in: entities.Task.relationships.e.inverse
                  fix: give 'Tag.tasks' `inverse: e`
                m.yaml:11:30: error: 'Tag.other' does not point back: it leads to 'Tag', not to \
                'Task' [model.inverse]
                  in: entities.Task.relationships.f.inverse
                m.yaml:12:7: warning: 'Task.g' has no inverse, so no delete rule of 'Tag' \
                applies to it [model.no-inverse]
                  in: entities.Task.relationships.g
                  fix: add `inverse: tasks`
                m.yaml:13:7: warning: 'Task.h' has no inverse, so no delete rule of 'Tag' \
                applies to it [model.no-inverse]
                  in: entities.Task.relationships.h
                  fix: add a relationship to 'Task' in 'Tag', and name it here
                m.yaml:13:29: error: 'delete' must be no action, nullify, cascade, or deny, not \
                'destroy' [model.choice]
                  in: entities.Task.relationships.h.delete
                m.yaml:13:47: warning: 'ordered' has no effect on a relationship to one object \
                [model.rule]
                  in: entities.Task.relationships.h.ordered
                  fix: remove it, or add `many: true`
                m.yaml:13:60: warning: 'count' has no effect on a relationship to one object \
                [model.rule]
                  in: entities.Task.relationships.h.count
                  fix: remove it, or add `many: true`
                m.yaml:14:7: warning: `nullify` cannot succeed: 'Tag.owner' must not be empty \
                [model.delete-rule]
                  in: entities.Task.relationships.i
                  fix: use cascade or deny, or make 'owner' optional
                m.yaml:14:56: error: 'count' is empty: 5..2 ends before it begins [model.range]
                  in: entities.Task.relationships.i.count
                m.yaml:15:46: warning: 'j' is never empty, so `deny` forbids every deletion \
                [model.delete-rule]
                  in: entities.Task.relationships.j.delete
                  fix: use nullify, or let it be optional
                m.yaml:16:10: error: 'k' must be a mapping, not the text 'Tag' [model.type]
                  in: entities.Task.relationships.k
                m.yaml:20:47: error: 'Task.g' does not point back: it has no inverse \
                [model.inverse]
                  in: entities.Tag.relationships.tasks.inverse
                  fix: give 'Task.g' `inverse: tasks`
                m.yaml:21:34: error: 'Tag' has no relationship 'f'. Did you mean 'j'? \
                [model.inverse]
                  in: entities.Tag.relationships.other.inverse
                m.yaml:23:7: warning: `nullify` cannot succeed: 'Task.j' must not be empty \
                [model.delete-rule]
                  in: entities.Tag.relationships.j
                  fix: use cascade or deny, or make 'j' optional
                """)
    }

    @Test func warnsOfUnsupportedIndexes() {
        let text = """
            Place:
              attributes: { name: String, x: Double, y: Double }
              indexes:
                byName: name
                near: [{ property: x, collation: RTree }, { property: y, collation: RTree }]
                long: [{ expression: "length(name)" }, name]
            """
        #expect(
            problems(text) == """
                m.yaml:7:13: warning: The index 'near' is an R-tree, which stores made here do not \
                have [model.index-kind]
                  in: entities.Place.indexes.near
                m.yaml:8:13: warning: The index 'long' is over an expression, which stores made here \
                do not have [model.index-kind]
                  in: entities.Place.indexes.long
                """)
    }

    @Test func checksConstraintsAndIndexes() {
        let text = """
            Item:
              attributes: { id: UUID, temp: { type: String, transient: true } }
              unique: [[id]]
            Task:
              parent: Item
              attributes: { title: String }
              relationships: { kin: { to: Task, many: true, inverse: kin } }
              unique: [[titel], [title, title], [temp], [kin], title, [], [id], [id]]
              indexes:
                byTitle: [titel desc, title, title]
                byTemp: temp
                byKin: [kin up]
                byMany: [kin]
              validate: [{ rule: "title != nil" }, { message: x, rul: y }]
            """
        #expect(
            problems(text) == """
                m.yaml:10:15: error: 'Task' has no attribute 'titel'. Did you mean 'title'? \
                [model.unknown-property]
                  in: entities.Task.unique[0][0]
                m.yaml:10:15: warning: 'Task' and its ancestor 'Item' both have uniqueness \
                constraints; Apple advises to keep them on one level \
                [model.constraints-in-hierarchy]
                  in: entities.Task.unique[0][0]
                m.yaml:10:31: error: 'title' is in this constraint already [model.duplicate-name]
                  in: entities.Task.unique[1][1]
                m.yaml:10:40: error: 'temp' is transient, so the store cannot keep it unique \
                [model.unique]
                  in: entities.Task.unique[2][0]
                m.yaml:10:48: error: 'kin' leads to many objects and has no column [model.unique]
                  in: entities.Task.unique[3][0]
                m.yaml:10:54: error: 'unique[4]' must be a list of attributes, not the text \
                'title' [model.type]
                  in: entities.Task.unique[4]
                  fix: write one list for each constraint: `unique: [[name], [code, year]]`
                m.yaml:10:61: error: 'unique[5]' names no attribute [model.type]
                  in: entities.Task.unique[5]
                m.yaml:10:72: warning: This constraint is declared already [model.duplicate-name]
                  in: entities.Task.unique[7][0]
                m.yaml:12:17: error: 'Task' has no property 'titel'. Did you mean 'title'? \
                [model.unknown-property]
                  in: entities.Task.indexes.byTitle[0]
                m.yaml:12:36: warning: 'title' is in the index 'byTitle' already \
                [model.duplicate-name]
                  in: entities.Task.indexes.byTitle[2]
                m.yaml:13:15: warning: 'temp' is transient and has no column [model.index]
                  in: entities.Task.indexes.byTemp
                m.yaml:14:15: error: 'byKin[0]' must be a property, then asc or desc, not 'kin \
                up' [model.type]
                  in: entities.Task.indexes.byKin[0]
                m.yaml:15:16: warning: 'kin' leads to many objects and has no column [model.index]
                  in: entities.Task.indexes.byMany[0]
                m.yaml:16:16: error: The key 'message' is missing [model.missing-key]
                  in: entities.Task.validate[0]
                m.yaml:16:56: error: The key 'rul' is unknown here. Did you mean 'rule'? \
                [model.unknown-key]
                  in: entities.Task.validate[1].rul
                """)
    }

    @Test func rejectsSearchableOnTransientOrNonStringAttributes() {
        let text = """
            Task:
              attributes:
                a: { type: Double, searchable: true }
                b: { type: String, searchable: true, transient: true }
                c: { type: String, searchable: true }
            """
        #expect(
            problems(text) == """
                m.yaml:5:38: error: 'searchable' is for String, not for Double [model.rule]
                  in: entities.Task.attributes.a.searchable
                m.yaml:6:38: error: A transient attribute is in no store to be searched [model.rule]
                  in: entities.Task.attributes.b.searchable
                """)
    }

    @Test func needsAFormatAndEntities() {
        let found = ModelFile.read(text: "entities:\n", file: "m.yaml").diagnostics
        #expect(
            found.map(DiagnosticRenderer.text).joined(separator: "\n") == """
                m.yaml:1:1: error: The key 'model' is missing [model.missing-key]
                  fix: begin the file with `model: 1`
                m.yaml:1:10: error: 'entities' has no value; it must be a mapping [model.type]
                  in: entities
                """)
        let list = ModelFile.read(text: "[1]", file: "m.yaml").diagnostics
        #expect(
            list.map(DiagnosticRenderer.text).joined(separator: "\n") == """
                m.yaml:1:1: error: 'model' must be a mapping, not a list [model.type]
                """)
    }
}
