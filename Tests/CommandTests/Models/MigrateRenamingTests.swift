import Foundation
import Testing

/// Models that both set the renaming identifier of an entity or a property.
@Suite("etl migrate by renaming identifiers") struct MigrateRenamingTests {
    private let folder: FailureFolder

    init() throws {
        folder = try FailureFolder()
        try folder.write(
            "cars-1.yaml",
            """
            model: 1
            version: cars-1
            entities:
              Car:
                renamed-from: Auto
                attributes:
                  id: Integer 32
                  name: { type: String, renamed-from: title }
                relationships:
                  owner: { to: Person, inverse: cars, renamed-from: holder }
                unique: [[id]]
              Person:
                renamed-from: Human
                attributes: { name: String }
                relationships: { cars: { to: Car, many: true, inverse: owner, renamed-from: autos } }
                unique: [[name]]

            """)
        try folder.write(
            "cars-2.yaml",
            """
            model: 1
            version: cars-2
            entities:
              Car:
                renamed-from: Auto
                attributes:
                  id: Integer 32
                  name: { type: String, renamed-from: title }
                  doors: Integer 16
                relationships:
                  owner: { to: Citizen, inverse: cars, renamed-from: holder }
                unique: [[id]]
              Citizen:
                renamed-from: Human
                attributes: { name: String }
                relationships: { cars: { to: Car, many: true, inverse: owner, renamed-from: autos } }
                unique: [[name]]
            history: [cars-1.yaml]

            """)
        try folder.write(
            "spec.yaml",
            """
            etl: 1
            store: { at: store.sqlite, model: cars-1.yaml, open: create }
            stages:
              - import: cars
                read: { files: cars.ndjson }
                into: Car
                link: { owner: { by: { name: owner }, missing: create } }
            """)
        try folder.write(
            "cars.ndjson",
            """
            {"id":1,"name":"a","owner":"Ann"}
            {"id":2,"name":"b","owner":"Bob"}

            """)
        try #require(try folder.run().status == 0)
    }

    @Test("a mapping without `from` finds the old entity by its renaming identifier or name")
    func mapping() throws {
        try folder.shell("mkdir migrations")
        try folder.write(
            "migrations/cars-1-cars-2.yaml",
            """
            mapping: 1
            entities:
              Car: { where: "id > 1", set: { doors: id + 2 } }
              Citizen: { where: TRUEPREDICATE }
            """)
        let done = try folder.shell("\"$E\" migrate store.sqlite --to cars-2.yaml")
        #expect(done.status == 0, "\(done.errors)")
        let cars = try folder.shell(
            "\"$E\" fetch store.sqlite Car --fields id,name,doors,owner.name --format csv")
        #expect(cars.output == "id,name,doors,owner.name\n2,b,4,Bob\n")
        let owners = try folder.shell(
            "\"$E\" fetch store.sqlite Citizen --fields name --format csv")
        #expect(owners.output == "name\nAnn\nBob\n", "\(owners.errors)")
    }

    @Test("a relationship to a renamed entity needs no mapping")
    func destination() throws {
        let done = try folder.shell("\"$E\" model diff cars-1.yaml cars-2.yaml")
        #expect(
            done.output.contains("leads to Citizen, was Person")
                && !done.output.contains("mapping"), "\(done.output)")
    }
}
