import AppStoreFixtures
import Foundation
import Testing

@testable import Pipelines

/// Public data sets whose keys and links are known: inference finds these and no others.
@Suite("Inference from known data sets") struct InferenceDataSetTests {
    private static let folder = CoreDataSpecimens.root + "/datasets"
    private static var isThere: Bool { FileManager.default.fileExists(atPath: folder) }

    private static let chinook = [
        "Album.artist Artist", "Customer.supportRep Employee", "Employee.reportsTo Employee",
        "Invoice.customer Customer", "InvoiceLine.invoice Invoice", "InvoiceLine.track Track",
        "Playlist.track Track *", "Track.album Album", "Track.genre Genre",
        "Track.mediaType MediaType", "Track.playlist Playlist *",
    ]
    private static let northwind = [
        "CustomerDemographics.customers Customers *",
        "Customers.customerDemographics CustomerDemographics *",
        "Employees.reportsTo Employees", "Employees.territories Territories *",
        "OrderDetails.order Orders", "OrderDetails.product Products", "Orders.customer Customers",
        "Orders.employee Employees", "Orders.shipVia Shippers", "Products.category Categories",
        "Products.supplier Suppliers", "Territories.employees Employees *",
        "Territories.region Region",
    ]
    private static let placeholder = [
        "Albums.user Users", "Comments.post Posts", "Photos.album Albums", "Posts.user Users",
        "Todos.user Users",
    ]
    static let sets = [
        ("chinook/csv/*.csv", chinook), ("chinook/ChinookData.json", chinook),
        ("northwind/csv/*.csv", northwind), ("jsonplaceholder/[!d]*.json", placeholder),
        ("jsonplaceholder/data.json", placeholder),
    ]

    @Test(
        "infers all links, and a second run changes nothing",
        .enabled(if: isThere, "../shared/specimens is absent"),
        arguments: sets)
    func links(pattern: String, links: [String]) throws {
        let files =
            pattern.contains("[!d]")
            ? ["albums", "comments", "photos", "posts", "todos", "users"].map {
                "\(Self.folder)/jsonplaceholder/\($0).json"
            } : ["\(Self.folder)/\(pattern)"]
        let inference = try Inference(from: files)
        let found = Self.links(in: inference.model ?? "")
        #expect(found == links)
        let workspace = try Workspace()
        let spec = inference.spec(modelFile: nil)
        #expect(!spec.contains("rowkey()"))
        #expect(try workspace.check(spec) == "")
        #expect(try workspace.run(spec).status == .ok)
        let again = try workspace.run(spec)
        #expect(again.status == .ok)
        for stage in again.outcome.stages {
            #expect(stage.records?.inserted == 0, "\(stage.line())")
            #expect(stage.records?.updated == 0, "\(stage.line())")
        }
    }

    /// Returns the relationships that are to-one, or to-many on both sides.
    private static func links(in model: String) -> [String] {
        var entity = ""
        var all: [(entity: String, name: String, target: String, isMany: Bool, inverse: String)] =
            []
        for line in model.split(separator: "\n") {
            if let match = line.wholeMatch(of: #/  (\w+):/#) { entity = String(match.1) }
            guard
                let match = line.wholeMatch(
                    of: #/ {6}(\w+): \{ to: (\w+), (many: true, )?inverse: (\w+) \}/#)
            else { continue }
            all.append(
                (entity, String(match.1), String(match.2), match.3 != nil, String(match.4)))
        }
        return all.filter { link in
            !link.isMany
                || all.contains {
                    $0.entity == link.target && $0.name == link.inverse && $0.isMany
                }
        }.map { "\($0.entity).\($0.name) \($0.target)" + ($0.isMany ? " *" : "") }.sorted()
    }
}
