import Foundation
import GraphModel
import Testing

@testable import GraphStore
@testable import RowStore

@Suite("Mapping files") struct MappingFileTests {
    private static let old = """
        Base: { abstract: true, attributes: { code: String } }
        Task:
          attributes: { title: String, tagText: String }
          relationships: { owner: { to: Person, inverse: tasks } }
        Person:
          parent: Base
          attributes: { name: String }
          relationships:
            tasks: { to: Task, many: true, inverse: owner }
            boss: { to: Person }
        """
    private static let new = """
        Task:
          attributes: { title: String, level: Integer 16 }
          relationships:
            owner: { to: Person, inverse: tasks }
            chief: { to: Person }
            tags: { to: Tag, many: true, inverse: tasks }
        Person:
          attributes: { name: String }
          relationships: { tasks: { to: Task, many: true, inverse: owner } }
        Tag:
          attributes: { name: String, weight: Double }
          relationships: { tasks: { to: Task, many: true, inverse: tags } }
        """

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var text: String
        var problems: String
    }

    private static let cases: [Case] = [
        Case(
            testDescription: "the file is a list", text: "[mapping, 1]",
            problems: """
                map.yaml:1:1: error: 'mapping' must be a mapping, not a list [mapping.type]
                """),
        Case(
            testDescription: "the file is not YAML", text: "mapping: [",
            problems: """
                map.yaml:2:1: error: Did not find expected node content, while parsing a flow node \
                that begins at line 2 [yaml.syntax]
                  in: mapping
                """),
        Case(
            testDescription: "the format is unknown", text: "mapping: 2\nentities: {}\n",
            problems: """
                map.yaml:1:10: error: The mapping is of format 2; this program reads format 1 \
                [mapping.version]
                  in: mapping
                """),
        Case(
            testDescription: "a decision is empty, and the entities are missing",
            text: "mapping: 1\ntodo: \"\"\n",
            problems: """
                map.yaml:1:1: error: The key 'entities' is missing [mapping.missing-key]
                map.yaml:2:7: error: 'todo' is empty [mapping.type]
                  in: todo
                """),
        Case(
            testDescription: "a mapping is not a mapping, or has an unsuitable old entity",
            text: """
                mapping: 1
                entities:
                  Task: [text, { from: Tasks }, { from: Base }]
                """,
            problems: """
                map.yaml:3:10: error: 'Task[0]' must be a mapping, not the text 'text' [mapping.type]
                  in: entities.Task[0]
                map.yaml:3:24: error: The old model has no entity 'Tasks'. Did you mean 'Task'? \
                [mapping.entity]
                  in: entities.Task[1].from
                  fix: name the old entity with `from`
                map.yaml:3:41: error: The old entity 'Base' is abstract, so it has no objects \
                [mapping.entity]
                  in: entities.Task[2].from
                  fix: map its sub-entities
                """),
        Case(
            testDescription: "properties and links do not exist",
            text: """
                mapping: 1
                entities:
                  Task:
                    set: { levl: "1", title: [a], chief: owner.bos, owner: ownr, tags: tasks.owner }
                    lookup: { tag: { by: name, from: tagText }, tags: x }
                """,
            problems: """
                map.yaml:4:12: error: 'Task' has no 'levl'. Did you mean 'level'? [mapping.property]
                  in: entities.Task.set.levl
                map.yaml:4:30: error: 'title' must be text, not a list [mapping.type]
                  in: entities.Task.set.title
                map.yaml:4:42: error: 'Task.chief' cannot be 'owner.bos': 'Person' has no \
                relationship 'bos' [mapping.links]
                  in: entities.Task.set.chief
                map.yaml:4:60: error: The old entity 'Task' has no relationship 'ownr'. Did you mean \
                'owner'? [mapping.links]
                  in: entities.Task.set.owner
                map.yaml:4:72: error: 'Task.tags' cannot be 'tasks.owner': 'Task' has no relationship \
                'tasks' [mapping.links]
                  in: entities.Task.set.tags
                map.yaml:5:15: error: 'Task' has no relationship 'tag'. Did you mean 'tags'? \
                [mapping.property]
                  in: entities.Task.lookup.tag
                map.yaml:5:55: error: 'tags' must be a mapping, not the text 'x' [mapping.type]
                  in: entities.Task.lookup.tags
                """),
        Case(
            testDescription: "a lookup lacks its expression",
            text: "mapping: 1\nentities:\n  Task:\n    lookup: { tags: { by: name } }\n",
            problems: """
                map.yaml:4:21: error: The key 'from' is missing [mapping.missing-key]
                  in: entities.Task.lookup.tags
                """),
        Case(
            testDescription: "an attribute cannot be the key of a lookup",
            text: """
                mapping: 1
                entities:
                  Task:
                    lookup: { tags: { by: weight, from: tagText }, owner: { by: nam, from: title } }
                """,
            problems: """
                map.yaml:4:27: error: 'Tag.weight' is Double; a key is a string or an integer \
                [mapping.lookup]
                  in: entities.Task.lookup.tags.by
                map.yaml:4:65: error: 'Person' has no attribute 'nam'. Did you mean 'name'? \
                [mapping.property]
                  in: entities.Task.lookup.owner.by
                """),
        Case(
            testDescription: "expressions have mistakes",
            text: """
                mapping: 1
                entities:
                  Task:
                    where: "titel == 1"
                    set: { level: hello, title: "title[" }
                """,
            problems: """
                map.yaml:4:12: error: 'Task' has no property 'titel'. Did you mean 'title'? \
                [predicate.unknown-key]
                  titel == 1
                  ^
                  in: entities.Task.where
                map.yaml:5:19: error: 'Task' has no property 'hello' [predicate.unknown-key]
                  hello
                  ^
                  in: entities.Task.set.level
                  fix: put text in its own quotation marks: "'hello'"
                map.yaml:5:33: error: A value is missing at the end [predicate.syntax]
                  title[
                        ^
                  in: entities.Task.set.title
                """),
        Case(
            testDescription: "expressions over an unknown entity are not checked",
            text: """
                mapping: 1
                entities:
                  Task:
                    from: Tasks
                    where: "titel == 1"
                    set: { level: hello, owner: x }
                    lookup: { tags: { by: name, from: nothing } }
                """,
            problems: """
                map.yaml:4:11: error: The old model has no entity 'Tasks'. Did you mean 'Task'? \
                [mapping.entity]
                  in: entities.Task.from
                  fix: name the old entity with `from`
                """),
    ]

    @Test("a mapping file is rejected with every problem and its location", arguments: cases)
    func problems(_ test: Case) throws {
        let folder = try TemporaryFolder()
        let file = folder.file("map.yaml")
        try test.text.write(toFile: file, atomically: true, encoding: .utf8)
        let error = try #require(throws: ModelFileError.self) {
            try MappingModel(yamlFile: file, from: model(Self.old), to: model(Self.new))
        }
        #expect(error.description.replacing(folder.path + "/", with: "") == test.problems)
    }

    @Test("an expression that no store can evaluate is rejected")
    func unsupported() throws {
        let folder = try TemporaryFolder()
        let file = folder.file("map.yaml")
        let path = "owner" + String(repeating: ".boss", count: 256) + ".name"
        try "mapping: 1\nentities:\n  Task:\n    set: { title: \(path) }\n"
            .write(toFile: file, atomically: true, encoding: .utf8)
        let error = try #require(throws: ModelFileError.self) {
            try MappingModel(yamlFile: file, from: model(Self.old), to: model(Self.new))
        }
        #expect(
            error.description == """
                \(file):4:19: error: A key path has 258 keys; the most is 256 [mapping.unsupported]
                  in: entities.Task.set.title
                """)
    }

    @Test("a file of several mappings, paths, and lookups becomes a mapping model")
    func valid() throws {
        let folder = try TemporaryFolder()
        let file = folder.file("map.yaml")
        try """
        mapping: 1
        entities:
          Task:
            - where: "title != nil"
              set: { level: 2, owner: owner, chief: owner.boss }
              lookup: { tags: { by: name, from: tagText, split: "," } }
            - { from: Person, set: { title: name, owner: $source } }
        """.write(toFile: file, atomically: true, encoding: .utf8)
        let mapping = try MappingModel(
            yamlFile: file, from: model(Self.old), to: model(Self.new))
        let found = mapping.entities.map { entity in
            let values = entity.values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            return "\(entity.source) \(entity.destination) \(entity.predicate ?? "-")"
                + " \(values.joined(separator: " "))"
        }
        #expect(
            found == [
                "Task Task title != nil chief=owner.boss level=2 owner=owner",
                "Person Task - owner=$source title=name",
            ])
        #expect(
            mapping.entities.map(\.lookups) == [
                [RelationshipLookup("tags", by: "name", from: "tagText", split: ",")], [],
            ])
    }
}
