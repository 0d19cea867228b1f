import Diagnostics
import Foundation
import Testing

@testable import Pipelines

/// Specs over one small model, and their problems as users see them.
enum SpecificationTesting {
    static let model = """
        store:
          at: tasks.sqlite
          model:
            entities:
              Item: { abstract: true, attributes: { createdAt: Date } }
              Task:
                parent: Item
                attributes:
                  id: { type: UUID, optional: false }
                  title: { type: String, optional: false }
                  isCompleted: { type: Boolean, default: false }
                  priority: { type: Integer 16, default: 0 }
                  dueDate: Date
                  extra: { type: Transformable, transformer: json }
                  age: { type: Integer 32, transient: true }
                relationships:
                  owner: { to: Person, inverse: tasks, optional: false }
                  tags: { to: Tag, many: true, inverse: tasks }
                unique: [[id]]
              Person:
                attributes:
                  email: { type: String, optional: false }
                  name: { type: String, optional: false }
                  nick: String
                relationships: { tasks: { to: Task, many: true, inverse: owner, delete: deny } }
                unique: [[email], [name, nick]]
              Tag:
                attributes: { name: { type: String, optional: false } }
                relationships: { tasks: { to: Task, many: true, inverse: tags } }
                unique: [[name]]
              Note: { attributes: { text: String } }
        """

    /// A store with tasks, people, and tags.
    static let taskModel = """
        store:
          at: tasks.sqlite
          open: create
          model:
            entities:
              Task:
                attributes:
                  id: { type: UUID, optional: false }
                  title: { type: String, optional: false }
                  priority: { type: Integer 16, default: 0, range: 0..5 }
                  price: Decimal
                  dueDate: Date
                relationships:
                  owner: { to: Person, inverse: tasks }
                  tags: { to: Tag, many: true, inverse: tasks }
                unique: [[id]]
              Person:
                attributes: { email: { type: String, optional: false }, name: String }
                relationships: { tasks: { to: Task, many: true, inverse: owner } }
                unique: [[email]]
              Tag:
                attributes: { name: { type: String, optional: false } }
                relationships: { tasks: { to: Task, many: true, inverse: tags } }
                unique: [[name]]
        """

    /// 2026-03-04 05:06:07.25 UTC.
    static let now = Date(timeIntervalSinceReferenceDate: 794_293_567.25)

    static func context(
        _ sets: [String] = [], _ environment: [String: String] = [:]
    ) -> ParameterValues.Context {
        .init(sets: sets, environment: environment, now: now, workingFolder: "/home/ada")
    }

    static func text(_ diagnostics: [Diagnostic]) -> String {
        diagnostics.map(DiagnosticRenderer.text).joined(separator: "\n")
    }

    /// Returns the problems of a complete spec.
    static func problems(_ spec: String) -> String {
        text(SpecificationFile.check(text: spec, file: "a.yaml", context()).diagnostics)
    }

    /// Returns the problems of stages over the model above; the first stage is on line 2.
    static func stageProblems(_ stages: String, params: String = "") -> String {
        problems("stages:\n\(stages)\netl: 1\n\(params)\n\(model)\n")
    }

    /// Returns the stages of a spec without problems.
    static func stages(_ stages: String) throws -> [Stage] {
        let (spec, _, diagnostics) = SpecificationFile.check(
            text: "stages:\n\(stages)\netl: 1\n\(model)\n", file: "a.yaml", context())
        #expect(diagnostics.filter { $0.severity == .error }.isEmpty)
        return try #require(spec).stages
    }
}
