import AppStoreFixtures
import GraphModel
import Testing

@testable import XcodeModel

/// The contents of archived models other than entities and their columns.
@Suite("Requests and indexes of archived models") struct CachedRequestTests {
    private static let text = """
        model: 1
        entities:
          Item:
            abstract: true
            attributes: { addedOn: Date, title: String }
            indexes:
              byAge: [addedOn desc]
            fetched:
              alike:
                entity: Item
                where: "title == $FETCH_SOURCE.title"
                optional: false
                info: { group: shelf }
          Book:
            parent: Item
            attributes: { pages: Integer 32, rank: Float }
            relationships:
              owner: { to: Person, inverse: books }
            indexes:
              byOwner: [owner, title desc]
              byRank: [{ property: rank, collation: RTree }]
              long: { properties: [pages], where: "pages > 300 AND title != nil" }
          Person:
            attributes: { name: String }
            relationships:
              books: { to: Book, many: true, inverse: owner }
        configurations:
          Cloud: [Book, Item]
          Local: [Person]
        requests:
          everybody: { entity: Person }
          longBooks:
            entity: Book
            where: "pages > $pages AND owner.name BEGINSWITH[cd] \\"A\\""
            limit: 5
            xcode: { fetchBatchSize: 20 }
        """

    private let model: ManagedObjectModel

    init() throws {
        let (read, diagnostics) = ModelFile.read(text: Self.text)
        model = try #require(read, "\(diagnostics)")
    }

    @Test func readsRequestsAndIndexesLikeTheModelFile() throws {
        let cached = try CachedModel(reading: CachedModelWriter.archive(of: model))
        #expect(cached.leftOut == [])
        #expect(cached.model.configurations == model.configurations)
        #expect(cached.model.fetchRequestTemplates == model.fetchRequestTemplates)
        for entity in model.entities {
            let found = try #require(cached.model.entity(named: entity.name))
            #expect(found.indexes == entity.indexes, "\(entity.name)")
            #expect(found.fetchedProperties == entity.fetchedProperties, "\(entity.name)")
        }
        #expect(ModelDiff(from: model, to: cached.model).changes.isEmpty)
    }

    @Test(arguments: [
        "TRUEPREDICATE", "FALSEPREDICATE", "a == 1", "a != nil", "a < 1.5", "a <= -2",
        "NOT a >= YES", "a > 1 AND (b == 2 OR NOT c == 3)", "name CONTAINS[cd] \"x\\\"y\"",
        "name BEGINSWITH \"x\"", "name ENDSWITH[c] \"x\"", "name LIKE \"a*\"",
        "name MATCHES[n] \"[a-z]+\"", "a IN {1, 2}", "a BETWEEN {$low, $high}",
        "ANY tasks.done == YES", "ALL tasks.owner.name == \"x\"", "tasks.@count > 2",
        "tasks.@sum.hours > 2 * a + 1", "SELF == $me", "$FETCH_SOURCE.owner.name == name",
        "lowercase(name) == \"a\"", "day < now()",
        "day > CAST(\"2001-01-01T00:00:01.5Z\", \"NSDate\")",
        "id == CAST(\"00010203-0405-0607-0809-0A0B0C0D0E0F\", \"NSUUID\")",
        "#in == #\"odd key\"",
    ])
    func archivedPredicateReadsBackAsItsText(_ text: String) throws {
        let predicate = try GraphPredicate(format: text)
        let writer = ArchiveWriter()
        let bytes = writer.archive(root: try PredicateArchive(writer).number(of: predicate))
        let root = try #require(KeyedArchive(bytes).root)
        let found = try #require(ArchivedPredicate.text(of: root))
        #expect(found == predicate.description)
        let again = try GraphPredicate(format: found)
        #expect(again == predicate)
    }

    private func text(
        _ make: (ArchiveWriter) -> Int
    ) throws -> String? {
        let writer = ArchiveWriter()
        let root = try #require(KeyedArchive(writer.archive(root: make(writer))).root)
        return ArchivedPredicate.text(of: root)
    }

    @Test func readsPredicatesOfFoundationsParser() throws {
        #expect(try text { $0.text("a == 1") } == "a == 1")
        // `sum:(tasks.hours)` and a cast of a number, as Foundation's parser builds them.
        func typed(_ writer: ArchiveWriter, _ type: Int, _ entries: [(String, BinaryPlist)]) -> Int
        {
            writer.object("NSExpression", entries + [("NSExpressionType", .integer(type))])
        }
        func constant(_ writer: ArchiveWriter, _ value: Int) -> Int {
            typed(writer, 0, [("NSConstantValue", .uid(value))])
        }
        func call(_ writer: ArchiveWriter, _ selector: String, _ arguments: [Int]) -> Int {
            typed(
                writer, 4,
                [
                    ("NSSelectorName", .uid(writer.text(selector))),
                    ("NSArguments", .uid(writer.list(arguments))),
                ])
        }
        let found = try text { writer in
            let hours = typed(writer, 3, [("NSKeyPath", .uid(writer.text("tasks.hours")))])
            let date = call(
                writer, "castObject:toType:",
                [
                    constant(writer, writer.add(.integer(3))),
                    constant(writer, writer.text("NSDate")),
                ])
            return writer.object(
                "NSComparisonPredicate",
                [
                    (
                        "NSPredicateOperator",
                        .uid(
                            writer.object("NSPredicateOperator", [("NSOperatorType", .integer(2))]))
                    ),
                    ("NSLeftExpression", .uid(call(writer, "sum:", [hours]))),
                    ("NSRightExpression", .uid(date)),
                ])
        }
        #expect(found == "tasks.@sum.hours > CAST('2001-01-01T00:00:03Z', 'NSDate')")
    }

    /// Expressions that only the app can evaluate: a comparison with a locale, an app's selector,
    /// and an unknown kind.
    @Test func returnsNilForPredicatesOnlyTheAppCanEvaluate() throws {
        func comparison(_ writer: ArchiveWriter, _ entries: [(String, BinaryPlist)]) -> Int {
            let side = writer.object("NSSelfExpression", [("NSExpressionType", .integer(1))])
            return writer.object(
                "NSComparisonPredicate",
                [
                    ("NSPredicateOperator", .uid(writer.object("NSPredicateOperator", entries))),
                    ("NSLeftExpression", .uid(side)), ("NSRightExpression", .uid(side)),
                ])
        }
        #expect(try text { comparison($0, [("NSOperatorType", .integer(4))]) } == "SELF == SELF")
        #expect(
            try text {
                comparison($0, [("NSOperatorType", .integer(4)), ("NSOptions", .integer(8))])
            } == nil)
        #expect(try text { comparison($0, [("NSOperatorType", .integer(11))]) } == nil)
        #expect(try text { $0.object("NSBlockPredicate", []) } == nil)
        #expect(
            try text { writer in
                let circle = writer.reserve()
                writer.fill(
                    circle, "NSCompoundPredicate",
                    [
                        ("NSCompoundPredicateType", .integer(1)),
                        ("NSSubpredicates", .uid(writer.list([circle, circle]))),
                    ])
                return circle
            } == nil)
    }

    @Test func omitsAndReportsUnreadableRequestsAndIndexes() throws {
        let writer = ArchiveWriter()
        let entity = writer.reserve()
        func request(_ entries: [(String, BinaryPlist)]) -> Int {
            writer.object("NSFetchRequest", entries)
        }
        func index(_ name: String, _ property: String, _ more: [(String, BinaryPlist)] = []) -> Int
        {
            let element = writer.object(
                "NSFetchIndexElementDescription",
                [("NSPropertyName", .uid(writer.text(property)))])
            return writer.object(
                "NSFetchIndexDescription",
                [
                    ("NSIndexName", .uid(writer.text(name))),
                    ("NSIndexElements", .uid(writer.list([element]))),
                ] + more)
        }
        let block = writer.object("NSBlockPredicate", [])
        let gone = try PredicateArchive(writer).number(
            of: .comparison(GraphComparison(.keyPath(["gone"]), .equal, .constant(.integer(1)))))
        let name = writer.object(
            "NSAttributeDescription",
            [("NSPropertyName", .uid(writer.text("name"))), ("NSAttributeType", .integer(700))])
        let fetched = writer.object(
            "NSFetchedPropertyDescription",
            [
                ("NSPropertyName", .uid(writer.text("found"))),
                ("NSFetchRequest", .uid(request([("NSEntityName", .uid(writer.text("Gone")))]))),
            ])
        writer.fill(
            entity, "NSEntityDescription",
            [
                ("NSEntityName", .uid(writer.text("Place"))),
                (
                    "NSProperties",
                    .uid(
                        writer.dictionary([
                            (writer.text("name"), name), (writer.text("found"), fetched),
                        ]))
                ),
                (
                    "NSFetchIndexDescriptions",
                    .uid(
                        writer.list([
                            index("kept", "name"), index("lost", "gone"),
                            index("odd", "name", [("NSPartialIndexPredicate", .uid(block))]),
                            index("dim", "name", [("NSPartialIndexPredicate", .uid(gone))]),
                            writer.object(
                                "NSFetchIndexDescription",
                                [("NSIndexName", .uid(writer.text("none")))]),
                        ]))
                ),
                (
                    "NSCompoundIndexes",
                    .uid(writer.list([writer.list([writer.text("name"), name])]))
                ),
            ])
        let requests = writer.dictionary([
            (
                writer.text("odd"),
                request([("NSEntity", .uid(entity)), ("NSPredicate", .uid(block))])
            ),
            (writer.text("bare"), request([])),
            (writer.text("gone"), request([("NSEntityName", .uid(writer.text("Gone")))])),
        ])
        let root = writer.object(
            "NSManagedObjectModel",
            [
                ("NSEntities", .uid(writer.dictionary([(writer.text("Place"), entity)]))),
                ("NSFetchRequestTemplates", .uid(requests)),
            ])
        let cached = try CachedModel(reading: writer.archive(root: root))
        let place = try #require(cached.model.entity(named: "Place"))
        #expect(place.indexes == [.init(name: "kept", elements: [.init(propertyName: "name")])])
        #expect(place.extras == ["compoundIndexes": "name,name"])
        #expect(place.fetchedProperties == [] && cached.model.fetchRequestTemplates == [])
        #expect(
            cached.leftOut == [
                "The index 'odd' of 'Place' has a predicate that cannot be read",
                "The index 'none' of 'Place' has elements that cannot be read",
                "Place.found fetches 'Gone', which the model does not have",
                "The index 'lost' of 'Place' is over a property that the model does not have",
                "The index 'dim' of 'Place' is over a property that the model does not have",
                "The request 'odd' has a predicate that cannot be read",
                "The request 'bare' names no entity",
                "The request 'gone' is for 'Gone', which the model does not have",
            ])
    }

    /// A derivation from one property of the object, as the framework archives it.
    @Test func readsThePlainKeyOfADerivation() throws {
        let writer = ArchiveWriter()
        let root = try PredicateArchive(writer).number(
            of: .comparison(GraphComparison(.keyPath(["title"]), .equal, .constant(.null))))
        let archive = try KeyedArchive(writer.archive(root: root))
        let left = try #require(archive.root?["NSLeftExpression"])
        #expect(ArchivedExpression.text(of: left) == "title")
    }
}
