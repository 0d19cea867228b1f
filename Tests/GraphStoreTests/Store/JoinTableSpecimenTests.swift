import AppStoreFixtures
import Foundation
import GraphModel
import Testing
import XcodeModel

@testable import GraphStore

@Suite(
    "Join tables of apps",
    .enabled(if: CoreDataSpecimens.arePresent, "../shared/specimens is absent"))
struct JoinTableSpecimenTests {
    private struct Version: Decodable {
        var entities: [String: String]
        var joinTables: [String: [String]]
    }

    @Test("join tables have the same names and columns as in the app's own stores")
    func names() throws {
        let bundle = CoreDataSpecimens.root + "/xcdatamodel/wireapp-wire-ios-data-model"
        let data = try Data(contentsOf: URL(filePath: bundle + "/join-tables.json"))
        let expected = try JSONDecoder().decode([String: Version].self, from: data)
        #expect(expected.count == 2)
        for (name, version) in expected {
            let path = try #require(
                CoreDataSpecimens.models.first { $0.hasSuffix("/\(name).xcdatamodel") })
            let schema = StoreLayout(try ManagedObjectModel(xcodeModel: path))
            let entities = Dictionary(
                uniqueKeysWithValues: schema.entities.map { (String($0.number), $0.name) })
            #expect(entities == version.entities)
            let tables = Dictionary(
                uniqueKeysWithValues: schema.joinTables.map {
                    ($0.name, Set([$0.firstColumn, $0.secondColumn] + $0.orderColumns))
                })
            #expect(tables == version.joinTables.mapValues(Set.init), "\(name)")
        }
    }
}
