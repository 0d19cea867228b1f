package import Diagnostics
import GraphModel

/// A test of a spec: records go in, and the whole graph and the rejects are as it says.
package struct SpecificationTest: Sendable, Hashable {
    /// The records of an import, or objects that are there before.
    package struct Given: Sendable, Hashable {
        /// The import, or the entity.
        package var name: PlacedText
        package var records: [TestValue]
    }

    /// What is expected of all objects of an entity.
    package struct Expected: Sendable, Hashable {
        package var entity: PlacedText
        package var objects: [TestObject]
    }

    package var name: String
    /// Parameters, as texts; each with its place.
    package var parameters: [(PlacedText, String)] {
        parameterNames.enumerated().map { ($1, parameterTexts[$0]) }
    }
    var parameterNames: [PlacedText] = []
    var parameterTexts: [String] = []
    /// The time at which the test plays; text such as `2026-01-31`.
    package var now: PlacedText?
    package var given: [Given] = []
    /// In the order of the spec.
    package var then: [Expected] = []
    /// The stage that is to fail; nil where none is.
    package var fails: PlacedText?
    /// In the order of the stages, and of the records in each; empty where `then` is silent.
    package var rejects: [TestObject] = []
    /// Where the test stands, its `then`, and what `then` says of rejects.
    package var location: SourceLocation
    package var thenLocation: SourceLocation
    package var rejectsLocation: SourceLocation
}

/// Properties with the values that a test expects.
package struct TestObject: Sendable, Hashable {
    package var members: [TestMember]
    package var location: SourceLocation
}

extension TestObject {
    /// The same with composites by their elements: `{ magnitude: { richter: 5 } }` is
    /// `{ magnitude.richter: 5 }`; null is no value in any of them.
    func withElements(of entity: String, _ model: ManagedObjectModel) -> TestObject {
        func elements(_ name: String, _ value: TestValue) -> [TestMember] {
            let paths = model.elementPaths(at: name.keyPath, from: entity)
            let isSingle = model.isSingle(name.keyPath, from: entity)
            switch value {
            case .object(let members) where !isSingle:
                return members.flatMap { elements("\(name).\($0.name)", $0.value) }
            case .null where !isSingle:
                return paths.map { TestMember($0.joined(separator: "."), .null) }
            default: return [TestMember(name, value)]
            }
        }
        var object = self
        object.members = members.flatMap { elements($0.name, $0.value) }
        return object
    }
}

/// A name with a value.
package struct TestMember: Sendable, Hashable {
    package var name: String
    package var value: TestValue

    package init(_ name: String, _ value: TestValue) {
        self.name = name
        self.value = value
    }
}

/// A value of a test, as YAML or JSON has it.
package indirect enum TestValue: Sendable, Hashable {
    case null
    case boolean(Bool)
    /// As written.
    case number(String)
    case text(String)
    case list([TestValue])
    case object([TestMember])
}
