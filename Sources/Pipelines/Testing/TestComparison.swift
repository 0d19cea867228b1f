import Diagnostics
import Files
import FoundationEssentials
import GraphModel
import GraphStore
import RecordStreams

/// Compares the expectations of a test with the actual result.
struct TestComparison {
    private static let shownMax = 5

    private let test: SpecificationTest
    private let result: TestRun.Result
    /// The folder to which the comparison may write.
    private let folder: String
    private var model: ManagedObjectModel { result.container.model }

    init(_ test: SpecificationTest, _ result: TestRun.Result, folder: String) {
        self.test = test
        self.result = result
        self.folder = folder
    }

    /// Returns the differences from the expectations; empty if the test passes.
    func differences() throws -> [Diagnostic] {
        var found: [Diagnostic] = []
        if let fails = test.then.fails, result.failedStage == nil {
            found.append(failure("the stage '\(fails.text)' did not fail", fails.location, []))
        }
        return try found + test.then.objects.flatMap(differences) + unexpectedEntities() + rejects()
    }

    private func failure(_ message: String, _ place: SourceLocation, _ lines: [String])
        -> Diagnostic
    {
        let shown = lines.prefix(2 * Self.shownMax)
        let more = lines.count > shown.count ? ["and \(lines.count - shown.count) more lines"] : []
        return Diagnostic(
            code: "test.failed", "'\(test.name)': \(message)", at: .source(place),
            excerpt: lines.isEmpty
                ? nil
                : (shown + more).map { OutputText($0).text }.joined(separator: "\n"))
    }

    // MARK: Objects

    private func differences(of expected: SpecificationTest.Expected) throws -> [Diagnostic] {
        let entity = expected.entity.text
        var expected = expected
        expected.objects = expected.objects.map { $0.withElements(of: entity, model) }
        var names: [String] = []
        for member in expected.objects.flatMap(\.members) where !names.contains(member.name) {
            names.append(member.name)
        }
        let fields =
            names.isEmpty
            ? defaultFields(of: entity)
            : names.map(\.keyPath)
        var actual = try objects(of: entity, fields)
        let matched = ObjectMatching.places(
            of: expected.objects.map { object in
                actual.indices.filter { place in
                    object.members.allSatisfy { same($0, actual[place], entity) }
                }
            })
        let missing = zip(expected.objects, matched).filter { $1 == nil }.map(\.0)
        let found = Set(matched.compactMap(\.self))
        actual = actual.indices.filter { !found.contains($0) }.map { actual[$0] }
        guard !missing.isEmpty || !actual.isEmpty else { return [] }
        let lines =
            missing.map { "- expected  \(TestValue.object($0.members))" }
            + actual.map { "+ actual    \(TestValue.object($0))" }
        return [
            failure(
                "\(entity) has \((expected.objects.count - missing.count).grouped) of "
                    + "\(expected.objects.count.grouped) expected objects, and "
                    + "\(actual.count.grouped) others",
                missing.first?.location ?? expected.entity.location, lines)
        ]
    }

    /// Returns the fields that show an object, without its primary key.
    private func defaultFields(of entity: String) -> [[String]] {
        result.container.schema.defaultFields(of: entity, withToManys: false).filter { field in
            !(field.count == 1 && model.isObjectNumber(field[0], of: entity))
        }
    }

    private func same(_ member: TestMember, _ there: [TestMember], _ entity: String) -> Bool {
        guard let kind = PropertyKind(member.name, of: entity, model),
            let value = there.first(where: { $0.name == member.name })?.value
        else { return false }
        return kind.canonical(value) == kind.canonical(member.value)
    }

    /// Returns the objects of an entity, including its sub-entities, in the form of exports.
    private func objects(of entity: String, _ fields: [[String]]) throws -> [[TestMember]] {
        let path = PathText.join(folder, "actual.ndjson")
        let shape = NestedShape(flat: fields, of: entity, result.container.schema)
        let names = shape.members.map(\.name)
        let background = result.container.newBackgroundContext()
        try background.performAndWait { context in
            let cursor = try context.cursor(RowRequest(entityName: entity, fields: shape.fields))
            let output = try OutputFile(path: path)
            let encoder = RecordEncoder(format: .ndjson, columns: names, output: output)
            let rows = NestedRowEncoder(shape, cursor, to: encoder, MissingFiles(cursor))
            let batch = cursor.makeBatch()
            while try cursor.next(batch) {
                for row in 0..<batch.count { try rows.write(row, of: batch) }
            }
            _ = try encoder.finish()
        }
        return try WholeFile.read(FileName(path)).split(separator: 10).map { line in
            let value = try JSONDecoder().decode(TestValue.self, from: Data(line))
            guard case .object(let members) = value else { return [] }
            // Use the order of names in the test.
            return names.compactMap { name in members.first { $0.name == name } }
        }
    }

    /// Returns objects of entities that the test omits, which means that it expects none of them.
    private func unexpectedEntities() throws -> [Diagnostic] {
        let named = Set(test.then.objects.map(\.entity.text))
        return try model.entities.flatMap { entity -> [Diagnostic] in
            var next: EntityDescription? = entity
            while let one = next {
                guard !named.contains(one.name) else { return [] }
                next = one.superentityName.flatMap { model.entity(named: $0) }
            }
            let found = try ownObjects(of: entity.name)
            guard !found.isEmpty else { return [] }
            return [
                failure(
                    "\(entity.name) has \(ReportNumbers.several(found.count, "object")), of which "
                        + "`then` lists none", test.then.location,
                    found.map { "+ actual    \(TestValue.object($0))" })
            ]
        }
    }

    /// Returns the objects of an entity without objects of its sub-entities.
    private func ownObjects(of entity: String) throws -> [[TestMember]] {
        let fields = defaultFields(of: entity)
        var own = try objects(of: entity, fields)
        for child in model.entities where child.superentityName == entity {
            for object in try objects(of: child.name, fields) {
                if let place = own.firstIndex(of: object) { own.remove(at: place) }
            }
        }
        return own
    }

    // MARK: Rejects

    private func rejects() -> [Diagnostic] {
        let expected = test.then.rejects
        let actual = result.rejects.map { stage, reason in
            Self.members(of: reason, stage)
        }
        let isSame =
            actual.count == expected.count
            && zip(expected, actual).allSatisfy { expected, actual in
                expected.members.allSatisfy { actual.contains($0) }
            }
        guard !isSame else { return [] }
        let lines =
            expected.map { "- expected  \(TestValue.object($0.members))" }
            + actual.map { "+ actual    \(TestValue.object($0))" }
        return [
            failure(
                "the rejects are not those expected", test.then.rejectsLocation,
                lines)
        ]
    }

    private static func members(of reason: RejectReason, _ stage: String) -> [TestMember] {
        var members = [
            TestMember("stage", .text(stage)), TestMember("code", .text(reason.code)),
            TestMember("detail", .text(reason.detail)),
        ]
        if let record = reason.record { members.append(TestMember("record", .number("\(record)"))) }
        if let field = reason.field { members.append(TestMember("field", .text(field))) }
        if let value = reason.value { members.append(TestMember("value", .text(value))) }
        members.append(TestMember("message", .text(reason.message)))
        return members
    }
}
