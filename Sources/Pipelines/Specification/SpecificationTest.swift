package import Diagnostics
import GraphModel
import YAML

/// The keys of a test.
enum TestKeys {
    static let name = Key(
        required: "name", .string, "A description of the test.", example: "drafts are left out",
        fix: "describe the test")
    static let parameters = Key(
        "params",
        Form<[(name: PlacedText, text: String)]>.named("NAME", .scalar) { name, value, _ in
            value.scalarText().map { (name, $0) }
        }, "Parameters for this test.", example: "{ cutoff: 2026-01-01 }")
    static let now = Key(
        "now", .text, without: "the time at which it runs", "The time of the test run.",
        example: "2026-01-31")
    static let given = Key(
        "given",
        Form<[SpecificationTest.Given]>.named("STAGE or ENTITY", .list(.record)) { name, value, _ in
            let records = value.list()?.compactMap { record -> TestValue? in
                guard record.isMapping else { return record.wrong("a mapping, one record") }
                return TestValue(record)
            }
            return SpecificationTest.Given(name: name, records: records ?? [])
        },
        "Records of an import, by its stage's name, or objects in the store before the run.",
        example: "{ Task: [{ title: One }] }")
    static let then = Key(
        required: "then",
        .mapping(thenMapping) { keys in
            SpecificationTest.Outcome(keys)
        },
        "All objects of each named entity. Objects of other entities are not compared.",
        example: "{ Task: [{ title: One }] }", fix: "list what the store must contain at the end")
    static let mapping = DescribedMapping(
        "test", title: "tests",
        """
        Tests the spec in memory and without files: `etl test`. Paths in `params` \
        begin at the spec.
        """,
        example: """
            tests:
              - name: a task without a title is rejected
                given: { Task: [{ title: One }] }
                then: { Task: [{ title: One }], rejects: [] }
            """,
        keys: [name, parameters, now, given, then])

    static let rejects = Key(
        "rejects", Form<[TestObject]>.list(TestObject.reject), default: [],
        "The rejected records, each as its code, or as stage, code, field, and more.",
        example: "[link]")
    static let fails = Key("fails", .text, "The stage that must fail.", example: "sane")
    static let thenMapping = DescribedMapping(
        "then", title: "tests.then",
        "The objects in the store at the end, and the rejected records.",
        keys: [rejects, fails],
        others: ValueForm.Named(placeholder: "ENTITY", form: .list(.record)))
}

/// A test of a spec: input records, and the expected objects and rejects.
package struct SpecificationTest: Sendable, Hashable {
    /// The records of an import, or objects that exist before the run.
    package struct Given: Sendable, Hashable {
        /// The name of the import, or of the entity of the existing objects.
        package var name: PlacedText
        /// The records of the import, or the attributes and links of the objects, in order.
        package var records: [TestValue]
    }

    /// The expected objects of an entity, which must be all of its objects.
    package struct Expected: Sendable, Hashable {
        /// The name of the entity, with the location of its key in `then`.
        package var entity: PlacedText
        /// The expected objects, in the order of the spec.
        package var objects: [TestObject]
    }

    /// The contents of `then`.
    package struct Outcome: Sendable, Hashable {
        /// The expected objects, in the order of the spec.
        package var objects: [Expected] = []
        /// The stage that must fail, or `nil` if none must fail.
        package var fails: PlacedText?
        /// The expected rejects in the order of stages and records; empty if `then` omits them.
        package var rejects: [TestObject] = []
        /// The location of `then`.
        package var location: SourceLocation
        /// The location of the rejects, or of `then` if it omits them.
        package var rejectsLocation: SourceLocation
    }

    /// The name of the test, which is unique in its spec.
    package var name: String
    /// The parameters as texts, each with its location.
    package var parameters: [(PlacedText, String)] {
        parameterNames.enumerated().map { ($1, parameterTexts[$0]) }
    }
    var parameterNames: [PlacedText] = []
    var parameterTexts: [String] = []
    /// The current time in the test, as text such as `2026-01-31`.
    package var now: PlacedText?
    /// The records and existing objects of the test, in the order of the spec.
    package var given: [Given] = []
    /// The expected result.
    package var then: Outcome
    /// The location of the test.
    package var location: SourceLocation
}

/// Properties with the values that a test expects.
package struct TestObject: Sendable, Hashable {
    /// The properties, in the order of the spec; for a reject, its code and other parts.
    package var members: [TestMember]
    /// The location of the object in the spec.
    package var location: SourceLocation
}

extension TestObject {
    /// Returns the same object with composites replaced by their elements.
    ///
    /// `{ magnitude: { richter: 5 } }` becomes `{ magnitude.richter: 5 }`, and null becomes a null
    /// for each element.
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
    /// The name of the property, a key path such as `owner.email`, or a key of a JSON object.
    package var name: String
    /// The value of the property, key path, or key.
    package var value: TestValue

    /// Creates a member.
    package init(_ name: String, _ value: TestValue) {
        self.name = name
        self.value = value
    }
}

/// A value of a test, with the types of YAML and JSON.
package indirect enum TestValue: Sendable, Hashable {
    case null
    case boolean(Bool)
    /// The number as written.
    case number(String)
    case text(String)
    case list([TestValue])
    case object([TestMember])
}

extension SpecificationTest {
    /// The allowed values of `tests`: a list of tests with different names.
    static let form = Form<[SpecificationTest]>(.list(.mapping(TestKeys.mapping))) {
        value, reader in
        var names: Set<String> = []
        let item = Form<SpecificationTest>.mapping(TestKeys.mapping) { SpecificationTest($0) }
        return value.list()?.compactMap { value in
            let test = item.read(value, reader)
            if let test, !names.insert(test.name).inserted {
                value.fail("duplicate-name", "A test is named '\(test.name)' already")
            }
            return test
        }
    }

    private init?(_ keys: KeyedMapping) {
        let name = keys[TestKeys.name]
        let place = keys.location
        self.init(
            name: name ?? "", then: Outcome(location: place, rejectsLocation: place),
            location: place)
        for (name, text) in keys[TestKeys.parameters] ?? [] {
            parameterNames.append(name)
            parameterTexts.append(text)
        }
        now = keys[TestKeys.now]
        given = keys[TestKeys.given] ?? []
        if let outcome = keys[TestKeys.then] { then = outcome }
        if name == nil { return nil }
    }
}

extension SpecificationTest.Outcome {
    fileprivate init(_ keys: KeyedMapping) {
        location = keys.location
        fails = keys[TestKeys.fails]
        rejects = keys[TestKeys.rejects]
        rejectsLocation =
            keys.source.has(TestKeys.rejects.name)
            ? keys.source.keyLocation(TestKeys.rejects.name) : keys.location
        let own = TestKeys.thenMapping.keyNames
        for entry in keys.source.all() where !own.contains(entry.key) {
            let found = entry.value.list()?.compactMap { item -> TestObject? in
                TestObject.form.read(item, keys.reader)
            }
            objects.append(
                SpecificationTest.Expected(
                    entity: PlacedText(entry.key, entry.keyLocation), objects: found ?? []))
        }
    }
}

extension TestObject {
    fileprivate static let form = Form<TestObject>(.record) { value, _ in
        guard case .object(let members) = TestValue(value) else {
            return value.wrong("a mapping, one object")
        }
        return TestObject(members: members, location: value.location)
    }

    /// The allowed values of an expected reject: its code alone, or a mapping.
    fileprivate static let reject = Form<TestObject>(.either([.text, .record])) { value, reader in
        guard case .text? = value.scalar?.value else { return form.read(value, reader) }
        return TestObject(
            members: [TestMember("code", TestValue(value))], location: value.location)
    }
}

extension TestValue {
    /// Converts the value of a file.
    fileprivate init(_ value: YAMLValue) {
        if let items = value.isList ? value.list() : nil {
            self = .list(items.map(TestValue.init))
            return
        }
        if let mapping = value.isMapping ? value.mapping() : nil {
            self = .object(mapping.all().map { TestMember($0.key, TestValue($0.value)) })
            return
        }
        guard let scalar = value.scalar else {
            self = .null
            return
        }
        self =
            switch scalar.value {
            case .null: .null
            case .boolean(let flag): .boolean(flag)
            case .integer(let number): .number(String(number))
            // An integer that is too large for `Int64` keeps its digits.
            case .real where scalar.text.allSatisfy { ("0"..."9").contains($0) }:
                .number(scalar.text)
            case .real(let number) where number.isFinite: .number("\(number)")
            case .real: .text(scalar.text)
            case .text: .text(scalar.text)
            }
    }
}
