import Foundation
import Testing

@testable import Pipelines

/// The mapped records that the model rejects.
extension PreviewTests {
    private static let unless = " unless the store has other values"

    /// A model with constraints and rules over several properties of an object.
    private static let strictModel = """
        model: 1
        entities:
          Trip:
            attributes:
              id:    { type: String, optional: false }
              code:  { type: String, optional: false }
              start: Date
              due:   Date
            relationships:
              owner: { to: Person, optional: false, inverse: trips }
            unique: [[id], [code]]
            validate:
              - { rule: "start == nil OR due == nil OR start <= due", message: it ends too early }
          Person:
            attributes: { email: { type: String, optional: false } }
            relationships: { trips: { to: Trip, many: true, inverse: owner, delete: cascade } }
            unique: [[email]]
        """

    @Test(
        "reports violations of the model, with a condition if they concern only new objects",
        arguments: [("create", false), ("create", true), ("replace", true)])
    func modelRejects(_ open: String, _ isThere: Bool) throws {
        try folder.write("model.yaml", Self.strictModel)
        if isThere { try folder.write("s.sqlite", "") }
        try folder.write(
            "t.ndjson",
            """
            {"id":"1","code":"a","owner":"a@b.c"}
            {"id":"2","owner":"a@b.c"}
            {"id":"3","code":"c"}
            {"id":"4","code":"d","owner":"a@b.c","start":"2026-02-01","due":"2026-01-01"}
            {"id":"5","code":"a","owner":"a@b.c"}
            {"id":"1","start":"2026-03-01"}
            """)
        let seen = try preview(
            """
            - { import: t.ndjson, into: Trip, key: id, link: { owner: { by: { email: owner } } } }
            """, store: "{ at: s.sqlite, model: model.yaml, open: \(open) }")
        let isConditional = isThere && open == "create"
        let rejected = isConditional ? "Rejected if it makes a new object" : "Rejected"
        #expect(
            seen.words == [
                "t.ndjson:2:1: warning: \(rejected): 'code' is required and the record lacks it"
                    + " [required]",
                "t.ndjson:3:1: warning: \(rejected): 'owner' is required and the record lacks it"
                    + " [required]",
                "t.ndjson:4:1: warning: \(rejected): it ends too early [validate]",
                "t.ndjson:5:19: warning: Rejected\(isConditional ? Self.unless : ""): Another Trip has"
                    + " code 'a' [unique]",
            ])
        #expect(
            seen.outcome.stages == [
                Preview.Stage(
                    name: "import-t", mapped: isConditional ? 6 : 2,
                    rejected: isConditional ? 0 : 4, filtered: 0)
            ])
        #expect(seen.outcome.status == .ok)
    }

    @Test("checks records that refer to others of their entity, whether these exist or not")
    func ownLinks() throws {
        try folder.write(
            "model.yaml",
            """
            model: 1
            entities:
              Task:
                attributes:
                  id: { type: String, optional: false }
                  title: { type: String, optional: false }
                relationships:
                  parent: { to: Task, inverse: children }
                  children: { to: Task, many: true, inverse: parent }
                unique: [[id]]
            """)
        try folder.write(
            "t.ndjson",
            """
            {"id":"1","title":"a","parent":"2"}
            {"id":"2","title":"b","parent":"elsewhere"}
            {"id":"3","parent":"2"}
            {"id":"4","parent":"elsewhere"}
            {"id":"2","parent":"1"}
            """)
        let seen = try preview(
            "- { import: t.ndjson, into: Task, link: { parent: { by: { id: parent } } } }")
        #expect(
            seen.words
                == [3, 4].map {
                    "t.ndjson:\($0):1: warning: Rejected: 'title' is required and the record lacks it"
                        + " [required]"
                })
        #expect(seen.outcome.stages.map(\.mapped) == [3])
    }

    @Test("warns with a condition about a record whose object an earlier import may have created")
    func earlierImports() throws {
        try folder.write("model.yaml", Self.strictModel)
        try folder.write("a.ndjson", #"{"id":"1","code":"a","owner":"a@b.c"}"#)
        try folder.write("b.ndjson", #"{"id":"1","start":"2026-03-01"}"#)
        let link = "link: { owner: { by: { email: owner } } }"
        let seen = try preview(
            """
            - { import: a.ndjson, into: Trip, key: id, \(link) }
            - { import: b.ndjson, into: Trip, key: id }
            """)
        #expect(seen.lines.count == 2)
        #expect(
            seen.words == [
                "spec.yaml:6:29: warning: Nothing fills 'owner', which is not optional"
                    + " [spec.unmapped]",
                "b.ndjson:1:1: warning: Rejected if it makes a new object: 'code' is required and"
                    + " the record lacks it [required]",
            ])
    }

    /// Orders with nested lines, which may refer to orders themselves.
    private static let orderModel = """
        model: 1
        entities:
          Order:
            attributes: { id: { type: String, optional: false }, note: String }
            relationships:
              lines: { to: Line, many: true, inverse: order }
              copies: { to: Line, many: true, inverse: origin, delete: cascade }
            unique: [[id]]
          Line:
            attributes:
              id: { type: String, optional: false }
              qty: { type: Integer 32, optional: false }
              note: String
            relationships:
              order: { to: Order, inverse: lines }
              origin: { to: Order, inverse: copies, optional: IS_OPTIONAL }
            unique: [[id]]
        """

    @Test("warns with a condition about a record whose object may be nested in an earlier import")
    func objectsInside() throws {
        try folder.write(
            "model.yaml",
            Self.orderModel.replacingOccurrences(of: "IS_OPTIONAL", with: "true"))
        try folder.write("a.ndjson", #"{"id":"o","lines":[{"id":"a","qty":1}]}"#)
        try folder.write("b.ndjson", #"{"id":"a","note":"n"}"#)
        let seen = try preview(
            """
            - import: a.ndjson
              into: Order
              link: { lines: { each: "lines[*]", key: id, set: { id: id, qty: qty } } }
            - { import: b.ndjson, into: Line }
            """, store: "{ at: s.sqlite, model: model.yaml, open: replace }")
        #expect(
            seen.words == [
                "b.ndjson:1:1: warning: Rejected if it makes a new object: 'qty' is required and"
                    + " the record lacks it [required]"
            ])
        #expect(seen.outcome.stages.map(\.mapped) == [1, 1])
    }

    @Test("accepts a nested object whose required link target may be in the store")
    func requiredLinksInside() throws {
        try folder.write(
            "model.yaml",
            Self.orderModel.replacingOccurrences(of: "IS_OPTIONAL", with: "false"))
        try folder.write("a.ndjson", #"{"id":"o","lines":[{"id":"a","qty":1,"origin":"O-77"}]}"#)
        let seen = try preview(
            """
            - import: a.ndjson
              into: Order
              link:
                lines:
                  each: "lines[*]"
                  key: id
                  link: { origin: { by: { id: origin } } }
            """)
        #expect(seen.words == [])
        #expect(seen.outcome.stages.map(\.mapped) == [1])
    }

    @Test(
        "a rule over an earlier record's object is reported with a condition if a store exists",
        arguments: [true, false])
    func rulesOverStored(_ isThere: Bool) throws {
        try folder.write(
            "model.yaml",
            """
            model: 1
            entities:
              Trip:
                attributes:
                  id: { type: String, optional: false }
                  note: String
                  start: Date
                  due: Date
                unique: [[id]]
                validate:
                  - { rule: "start == nil OR due != nil", message: start needs due }
            """)
        if isThere { try folder.write("s.sqlite", "") }
        try folder.write(
            "t.ndjson",
            """
            {"id":"a","note":"x"}
            {"id":"a","start":"2026-01-01"}
            """)
        let seen = try preview("- { import: t.ndjson, into: Trip, key: id }")
        #expect(
            seen.words == [
                "t.ndjson:2:1: warning: Rejected\(isThere ? Self.unless : ""): start needs due"
                    + " [validate]"
            ])
        #expect(seen.outcome.stages.map(\.mapped) == [isThere ? 2 : 1])
    }

    @Test("warns with a condition about a record to which an earlier record refers")
    func afterLeftOut() throws {
        try folder.write(
            "model.yaml",
            """
            model: 1
            entities:
              Task:
                attributes:
                  id: { type: String, optional: false }
                  title: { type: String, optional: false }
                  size: Integer 32
                relationships:
                  parent: { to: Task, inverse: children, optional: false }
                  children: { to: Task, many: true, inverse: parent, delete: cascade }
                unique: [[id]]
            """)
        try folder.write(
            "t.ndjson",
            """
            {"id":"1","title":"a","parent":"9"}
            {"id":"1","size":2}
            """)
        let seen = try preview(
            "- { import: t.ndjson, into: Task, link: { parent: { by: { id: parent } } } }",
            store: "{ at: s.sqlite, model: model.yaml, open: replace }")
        #expect(
            seen.words == [
                "t.ndjson:2:1: warning: Rejected if it makes a new object: 'title' is required and"
                    + " the record lacks it [required]"
            ])
        #expect(seen.outcome.stages.map(\.mapped) == [2])
    }

    @Test("prints advice on the spec and its model once, before the records")
    func advice() throws {
        try folder.write(
            "model.yaml",
            """
            model: 1
            composites:
              Scale:
                attributes:
                  richter: { type: Double, optional: false }
                  agency: { type: String, default: x }
            entities:
              Quake:
                attributes:
                  id: { type: String, optional: false }
                  mag: { type: Composite, composite: Scale }
                unique: [[id]]
            """)
        try folder.write("q.ndjson", #"{"id":"1"}"#)
        let seen = try preview(
            "- { import: q.ndjson, into: Quake }", store: "{ at: s.sqlite, model: model.yaml }",
            top: "params: { unused: { type: int, default: 1 } }")
        #expect(
            seen.words == [
                "model.yaml:11:7: warning: A new 'Quake' has 'mag.agency' by its default, and is"
                    + " rejected without 'mag.richter', which it requires and which has no default"
                    + " [model.composite-default]",
                "spec.yaml:3:11: warning: Nothing uses the parameter 'unused'"
                    + " [spec.unused-parameter]",
                "q.ndjson:1:1: warning: Rejected: 'mag.richter' is required where 'mag' has a value"
                    + " [required]",
            ])
    }

    @Test("checks the first records of a long input, and a note gives their number")
    func manyRecords() throws {
        let seen = try preview(
            """
            - import: t
              read: { generate: 1500 }
              into: Task
              set: { id: { expr: "$row" }, title: { const: x } }
            """, limit: 2000, triedMax: 1000)
        #expect(
            seen.words == [
                "note: The first 1,024 records were checked against the model; later ones were"
                    + " not [import.untried]"
            ])
        #expect(seen.outcome.stages.map(\.mapped) == [1500])
    }
}
