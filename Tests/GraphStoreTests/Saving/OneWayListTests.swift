import GraphModel
import Testing

@testable import GraphStore

/// Ordered relationships without an inverse, whose links are in the rows of the objects.
@Suite("Lists without an inverse") struct OneWayListTests {
    @Test("an object moves between owners of several entities, and lists keep their order")
    func moves() throws {
        try withStore(
            """
            Book: { attributes: { title: String } }
            Shelf:
              attributes: { name: String }
              relationships: { books: { to: Book, many: true, ordered: true } }
            Box: { parent: Shelf }
            """
        ) { store in
            let context = store.context()
            let owners = [try context.insert("Shelf"), try context.insert("Box")]
            let books = try (0..<4).map { number in
                let book = try context.insert("Book")
                try book.setValue(.init("b\(number)"), forKey: "title")
                return book
            }
            /// Returns the books of each owner, by their numbers.
            func lists(_ context: ManagedObjectContext) throws -> [[Int?]] {
                try owners.map { owner in
                    try context.object(with: owner.objectID).objectIDs(for: "books").map { id in
                        books.firstIndex { $0.objectID == id }
                    }
                }
            }
            func check(_ expected: [[Int?]]) throws {
                try context.save()
                #expect(try lists(context) == expected)
                #expect(try lists(store.context()) == expected)
                #expect(!context.hasChanges)
            }
            try owners[0].setValue(.objects([books[2], books[0]]), forKey: "books")
            try owners[1].setValue(.objects([books[3], books[1]]), forKey: "books")
            try check([[2, 0], [3, 1]])
            try owners[1].setValue(.objects([books[1], books[2], books[3]]), forKey: "books")
            try check([[0], [1, 2, 3]])
            try owners[0].setValue(.objects([books[3], books[0], books[1]]), forKey: "books")
            try check([[3, 0, 1], [2]])
            try owners[0].setValue(.objects([]), forKey: "books")
            try check([[], [2]])
        }
    }
}
