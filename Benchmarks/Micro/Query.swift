import GraphModel
import GraphStore

/// One query: prints its rows (title and priority) or their count, then its CPU time.
///
/// The time excludes opening the store.
enum Query {
    static func rows(store: String, _ format: String) throws {
        let container = try PersistentContainer(model: nil, at: store)
        let began = cpuSeconds()
        let request = RowRequest(
            entityName: "Task", predicate: try ParsedPredicate(format: format).predicate,
            order: [GraphSortDescriptor(["objectID"])], fields: [["title"], ["priority"]])
        let cursor = try container.newContext().cursor(request)
        var count = 0
        var sum = 0
        let batch = cursor.makeBatch()
        while try cursor.next(batch) {
            count += batch.count
            for row in 0..<batch.count {
                sum += batch[row, 0].bytes.count + Int(batch[row, 1].integerValue)
            }
        }
        print(count, sum, cpuSeconds() - began)
    }

    static func count(store: String, _ format: String) throws {
        let container = try PersistentContainer(model: nil, at: store)
        let began = cpuSeconds()
        let request = RowRequest(
            entityName: "Task", predicate: try ParsedPredicate(format: format).predicate,
            fields: [["title"]])
        print(try container.newContext().cursor(request).matchCount(), 0, cpuSeconds() - began)
    }
}
