/// Tasks that link to other tasks: one to many, twice, and many to many.
enum LinkedTasks {
    static let entities = """
        Task:
          attributes:
            id: { type: Integer 32, optional: false }
            title: { type: String, optional: false }
            slug: String
          relationships:
            parent: { to: Task, inverse: children }
            children: { to: Task, many: true, inverse: parent }
            next: { to: Task, inverse: previous }
            previous: { to: Task, many: true, inverse: next }
            blockers: { to: Task, many: true, inverse: blocked }
            blocked: { to: Task, many: true, inverse: blockers }
          unique: [[id], [slug]]
        """

    /// Returns a record: number, title, slug, and then its links.
    static func record(
        _ id: Int64, _ title: TestValue, _ slug: TestValue, _ links: [TestValue]
    ) -> [TestValue] {
        [.integer(id), title, slug] + links
    }
}
