import AppStoreFixtures
import GraphModel
import TestSeeds
import Testing

@testable import XcodeModel

@Suite("Models cached in stores") struct CachedModelTests {
    private let model: ManagedObjectModel

    init() throws {
        let (read, diagnostics) = ModelFile.read(text: AppStoreFixture.modelText)
        model = try #require(read, "\(diagnostics)")
    }

    private func reason(_ bytes: [UInt8]) -> String? {
        do throws(ArchiveFault) {
            _ = try CachedModel(reading: bytes)
            return nil
        } catch {
            return error.message
        }
    }

    @Test func readsTheOwnPropertiesOfEveryEntity() throws {
        let cached = try CachedModel(reading: CachedModelWriter.content(of: model).bytes)
        #expect(cached.leftOut == [])
        #expect(cached.model.versionIdentifiers == ["shelf-3"])
        #expect(cached.model.versionHashes == model.versionHashes)
        for entity in model.entities {
            let found = try #require(cached.model.entity(named: entity.name))
            #expect(
                found.ownAttributes == entity.ownAttributes.sorted { $0.name < $1.name },
                "\(entity.name)")
            #expect(
                found.ownRelationships == entity.ownRelationships.sorted { $0.name < $1.name },
                "\(entity.name)")
            #expect(found.superentityName == entity.superentityName)
            #expect(found.isAbstract == entity.isAbstract)
            #expect(found.uniquenessConstraints == entity.uniquenessConstraints)
        }
    }

    @Test(
        "transient relationships, open counts, and constraints over relationships survive caching")
    func rareProperties() throws {
        let (read, diagnostics) = ModelFile.read(
            text: """
                model: 1
                entities:
                  Note:
                    attributes: { title: { type: String, hash-modifier: m } }
                    relationships:
                      owner: { to: Person, inverse: notes }
                      draftOf: { to: Person, transient: true, hash-modifier: r }
                    unique: [[title, owner]]
                  Person:
                    relationships:
                      notes: { to: Note, many: true, inverse: owner, count: 0..-1 }
                      drafts: { to: Note, many: true, transient: true }
                """)
        let model = try #require(read, "\(diagnostics)")
        let cached = try CachedModel(reading: CachedModelWriter.content(of: model).bytes)
        #expect(cached.leftOut == [])
        #expect(cached.model.versionHashes == model.versionHashes)
        for entity in model.entities {
            let found = try #require(cached.model.entity(named: entity.name))
            #expect(
                found.ownRelationships == entity.ownRelationships.sorted { $0.name < $1.name })
            #expect(found.uniquenessConstraints == entity.uniquenessConstraints)
        }
    }

    @Test func reportsWhyDataIsNotAModel() {
        let writer = ArchiveWriter()
        let list = writer.archive(root: writer.list([writer.text("a")]))
        #expect(reason([]) == "it does not inflate")
        #expect(
            reason(Deflation.deflate(Array("hello".utf8)) ?? [])
                == "it is not a binary property list")
        #expect(reason(Deflation.deflate(list) ?? []) == "it holds a NSArray, and no model")
        let plist = BinaryPlist.dictionary([("a", .integer(1))]).bytes
        #expect(reason(plist) == "the property list is not a keyed archive")
        let empty = ArchiveWriter()
        let bare = empty.archive(root: empty.object("NSManagedObjectModel", []))
        #expect(reason(bare) == "the archived model has no entities")
    }

    /// The column of an unknown type is unknown, too; the rest of the model is still read.
    @Test func omitsAndReportsUnknownTypes() throws {
        let writer = ArchiveWriter()
        let strange = writer.object(
            "NSCompositeAttributeDescription",
            [("NSPropertyName", .uid(writer.text("spot"))), ("NSAttributeType", .integer(2100))])
        let plain = writer.object(
            "NSAttributeDescription",
            [
                (
                    "NSPropertyName",
                    .uid(writer.object("NSMutableString", [("NS.string", .text("name"))]))
                ),
                ("NSAttributeType", .integer(700)), ("NSIsOptional", .boolean(true)),
            ])
        let fetched = writer.object(
            "NSFetchedPropertyDescription", [("NSPropertyName", .uid(writer.text("recent")))])
        let entity = writer.object(
            "NSEntityDescription",
            [
                ("NSEntityName", .uid(writer.text("Place"))),
                (
                    "NSProperties",
                    .uid(
                        writer.dictionary([
                            (writer.text("spot"), strange), (writer.text("name"), plain),
                            (writer.text("recent"), fetched),
                        ]))
                ),
            ])
        let root = writer.object(
            "NSManagedObjectModel",
            [("NSEntities", .uid(writer.dictionary([(writer.text("Place"), entity)])))])
        let cached = try CachedModel(reading: writer.archive(root: root))
        #expect(cached.model.entity(named: "Place")?.ownAttributes.map(\.name) == ["name"])
        #expect(
            cached.leftOut == [
                "Place.recent is a NSFetchedPropertyDescription without a column",
                "Place.spot is a composite, and where an app's store keeps one is not known",
            ])
        #expect(cached.composites == ["Place.spot"])
    }

    /// An entity that is its own ancestor must not cause an infinite loop.
    @Test func rejectsEntityCycles() {
        let writer = ArchiveWriter()
        let entity = writer.reserve()
        writer.fill(
            entity, "NSEntityDescription",
            [
                ("NSEntityName", .uid(writer.text("Loop"))), ("NSSuperentity", .uid(entity)),
                ("NSProperties", .uid(writer.dictionary([]))),
            ])
        let root = writer.object(
            "NSManagedObjectModel",
            [("NSEntities", .uid(writer.dictionary([(writer.text("Loop"), entity)])))])
        #expect(reason(writer.archive(root: root)) == "the entity 'Loop' has no root")
    }

    /// Damaged bytes are either read or rejected, without any other effect.
    @Test func damagedArchivesFailWithoutACrash() throws {
        let bytes = try CachedModelWriter.archive(of: model)
        var random = SeededGenerator(seed: 7)
        var refused = 0
        for _ in 0..<1_000 {
            var damaged = bytes
            for _ in 0..<(1 + random.pick(6)) {
                damaged[random.pick(damaged.count)] = UInt8(random.pick(256))
            }
            if random.pick(4) == 0 { damaged.removeLast(random.pick(damaged.count)) }
            if reason(damaged) != nil { refused += 1 }
        }
        // Most of them hit a relevant name, number, or reference.
        #expect(refused > 100)
        for count in stride(from: 0, to: bytes.count, by: 97) {
            #expect(reason(Array(bytes[..<count])) != nil)
        }
    }

    /// Archives of plain values are printed as JSON, others are not.
    @Test func convertsPlainArchivesToJSON() throws {
        let writer = ArchiveWriter()
        let nested = writer.dictionary(
            [
                (writer.text("on"), writer.add(.boolean(true))),
                (writer.text("x"), writer.add(.real(0.5))),
            ],
            kind: "NSDictionary")
        let root = writer.list(
            [
                writer.text("a\"b\n"), writer.add(.integer(-3)), nested,
                writer.object("NSNull", []), writer.object("NSDate", [("NS.time", .real(0))]),
                writer.object(
                    "NSUUID", [("NS.uuidbytes", .data((0..<16).map { UInt8($0) }))]),
                writer.object(
                    "NSURL", [("NS.relative", .uid(writer.text("a:b"))), ("NS.base", .uid(0))]),
                writer.add(.data([1, 2, 3])),
                writer.object("NSMutableString", [("NS.string", .text("é"))]),
            ], kind: "NSSet")
        let json = try #require(ArchiveJSON.text(of: writer.archive(root: root)))
        #expect(
            String(decoding: json, as: UTF8.self) == """
                ["a\\"b\\u000a",-3,{"on":true,"x":0.5},null,"2001-01-01T00:00:00Z",\
                "00010203-0405-0607-0809-0A0B0C0D0E0F","a:b","AQID","é"]
                """)
        let other = ArchiveWriter()
        #expect(ArchiveJSON.text(of: other.archive(root: other.object("UIColor", []))) == nil)
        let plain = BinaryPlist.dictionary([("b", .array([.integer(1)])), ("a", .text("z"))]).bytes
        #expect(
            ArchiveJSON.text(of: plain).map { String(decoding: $0, as: UTF8.self) }
                == #"{"a":"z","b":[1]}"#)
        let circle = ArchiveWriter()
        let list = circle.reserve()
        circle.fill(list, "NSArray", [("NS.objects", .array([.uid(list)]))])
        #expect(ArchiveJSON.text(of: circle.archive(root: list)) == nil)
        #expect(ArchiveJSON.text(of: Array("bplist00 and no more".utf8)) == nil)
    }
}
