import GraphModel
import Testing

@testable import GraphStore

@Suite("Fetching with closures") struct InMemoryFetchTests {
    @Test("rows 89, 93: a closure filters and sorts the objects that match the predicate")
    func filtersAndSorts() throws {
        let entities = "A: { attributes: { x: Integer 64, y: Integer 64 } }"
        try withStore(entities) { store in
            let context = store.context()
            for number in 0..<10 {
                let object = try context.insert("A")
                object[.integer("x")] = number
                object[.integer("y")] = number % 3
            }
            try context.save()
            // Unsaved changes count, as in every fetch.
            let pending = try context.insert("A")
            pending[.integer("x")] = 10
            pending[.integer("y")] = 1
            var request = FetchRequest<ManagedObject>(
                entityName: "A", predicate: try GraphPredicate(format: "x > 1"),
                sortDescriptors: [GraphSortDescriptor(["x"])])
            request.fetchOffset = 1
            request.fetchLimit = 3
            func x(_ objects: [ManagedObject]) -> [Int?] { objects.map { $0[.integer("x")] } }
            var asked = 0
            let even = try context.fetchInMemory(request) {
                asked += 1
                return ($0[.integer("x")] ?? 0) % 2 == 0
            }
            #expect(x(even) == [4, 6, 8])
            #expect(asked == 9)
            let byRest = try context.fetchInMemory(
                request, sortedBy: { ($0[.integer("y")] ?? 0) < ($1[.integer("y")] ?? 0) },
                where: { _ in true })
            #expect(x(byRest) == [6, 9, 4])
            request.fetchOffset = -1
            #expect(throws: StoreError.self) { try context.fetchInMemory(request) { _ in true } }
        }
    }
}
