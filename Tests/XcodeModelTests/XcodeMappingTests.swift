import AppStoreFixtures
import Diagnostics
import Foundation
import Testing

@testable import XcodeModel

@Suite("Mapping models of Xcode") struct XcodeMappingTests {
    /// The parts of the specimens' mapping models that cannot be inferred.
    private static let translations: [(path: String, lines: [String])] = [
        (
            "objcio-core-data/Migrations/Migrations/Moody 2-Moody 3",
            [
                "Moody 2 > Moody 3",
                "MoodToMood continent links(country.continent, ContinentToContinent)",
                "MoodToMood country links(country, CountryToCountry)",
                "ContinentToContinent moods links(countries.moods, MoodToMood)",
            ]
        ),
        ("objcio-core-data/Migrations/Migrations/Moody 3-Moody 4", ["Moody 3 > Moody 4"]),
        (
            "objcio-core-data/Migrations/Migrations/Moody 4-Moody 5",
            [
                "Moody 4 > Moody 5",
                "CountryToCountry isoContinent continent.numericISO3166Code",
            ]
        ),
        (
            "objcio-core-data/Migrations/Migrations/Moody 5-Moody 6",
            [
                "Moody 5 > Moody 6",
                "CountryToCountry class Migrations.Country5ToCountry6Policy",
            ]
        ),
        (
            "alemar11-CoreDataPlus/Tests/Resources/SampleModel/MappingModels/V2toV3",
            [
                "SampleModel2 > SampleModel3",
                "CarToCar class REPLACE_AT_RUNTIME.V2to3MakerPolicy",
                "CarToCar previousOwners links(owner, PersonToPerson)",
                "LuxuryCarToLuxuryCar class REPLACE_AT_RUNTIME.V2to3MakerPolicy",
                "LuxuryCarToLuxuryCar previousOwners links(owner, PersonToPerson)",
                "PersonToPerson previousCars links(cars, )",
                "SportCarToSportCar class REPLACE_AT_RUNTIME.V2to3MakerPolicy",
                "SportCarToSportCar previousOwners links(owner, PersonToPerson)",
            ]
        ),
        (
            "wibosco-CoreDataMigrationRevised-Example/CoreDataMigration-Example/CoreData/Migration/"
                + "Mappings/Migration2to3ModelMapping",
            [
                "CoreDataMigration_Example 2 > CoreDataMigration_Example 3",
                "PostToPost class CoreDataMigration_Example.Post2ToPost3MigrationPolicy",
            ]
        ),
    ]

    @Test(
        "reads the mapping models of the specimens",
        .enabled(if: CoreDataSpecimens.arePresent, "../shared/specimens is absent"),
        arguments: translations.indices)
    func specimens(_ place: Int) throws {
        let (path, lines) = Self.translations[place]
        let mapping = try XcodeMappingReader.read(
            "\(CoreDataSpecimens.root)/coredata/\(path).xcmappingmodel")
        var found = ["\(mapping.sourceVersion ?? "") > \(mapping.destinationVersion ?? "")"]
        for entity in mapping.entities {
            #expect(entity.objects == .all)
            if let name = entity.policyClass { found.append("\(entity.name) class \(name)") }
            for property in entity.properties {
                switch property.value {
                case .inferred: break
                case .expression(let text):
                    found.append("\(entity.name) \(property.name) \(text)")
                case .links(let path, let name):
                    found.append(
                        "\(entity.name) \(property.name) links(\(path.joined(separator: ".")),"
                            + " \(name ?? ""))")
                case .untranslatable(let text):
                    Issue.record("\(entity.name) \(property.name): \(text)")
                }
            }
        }
        #expect(found == lines)
    }

    @Test("a file that is not a mapping model fails with its location")
    func damaged() throws {
        for (text, message, column) in [
            ("<database>\n  <object", "The tag <object> is not closed", 10),
            ("<database></database>", "The file contains no mapping model", 1),
        ] {
            let error = #expect(throws: Diagnostic.self) {
                try XcodeMappingReader.read(Array(text.utf8), file: "xcmapping.xml")
            }
            #expect(error?.message == message)
            guard case .source(let place)? = error?.place else {
                Issue.record("The error has no place")
                continue
            }
            #expect(place.file == "xcmapping.xml" && place.column == column)
        }
    }
}
