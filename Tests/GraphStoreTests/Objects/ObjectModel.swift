import GraphModel
import GraphStore
import Testing

/// A model with every kind of relationship and rule, for tests of objects.
let objectModel = """
    Task:
      attributes:
        title: { type: String, optional: false, default: untitled, length: 1..20 }
        number: { type: Integer 16, range: 0..1000 }
        due: Date
        weight: Double
        price: Decimal
        isDone: { type: Boolean, default: false }
        code: String
        draft: { type: String, transient: true }
      relationships:
        category: { to: Category, inverse: tasks }
        project: { to: Project, inverse: steps }
        tags: { to: Tag, many: true, inverse: tasks }
        plan: { to: Plan, inverse: task }
        parent: { to: Task, inverse: subtasks }
        subtasks: { to: Task, many: true, inverse: parent, delete: cascade }
        related: { to: Task, many: true, inverse: related }
      unique: [[code]]
    Bug:
      parent: Task
      attributes: { severity: Integer 32 }
    Category:
      attributes: { name: String }
      relationships:
        tasks: { to: Task, many: true, inverse: category }
    Project:
      attributes: { name: String }
      relationships:
        steps: { to: Task, many: true, ordered: true, inverse: project, delete: deny }
    Tag:
      attributes: { name: String }
      relationships:
        tasks: { to: Task, many: true, inverse: tags }
        board: { to: Board, inverse: tags }
      unique: [[name]]
    Board:
      attributes: { name: String }
      relationships:
        tags: { to: Tag, many: true, ordered: true, inverse: board }
    Plan:
      attributes: { text: String }
      relationships:
        task: { to: Task, inverse: plan, delete: cascade }
        owner: { to: Category, optional: false }
    """

/// A class as the generator would write it.
class Todo: ManagedObject {
    override class var entityName: String { "Task" }

    enum Keys {
        static let title = AttributeKey<String>("title", slot: 0)
        static let number = AttributeKey<Int>("number", slot: 1)
        static let isDone = AttributeKey<Bool>("isDone", slot: 5)
        static let code = AttributeKey<String>("code", slot: 6)
        static let category = ToOneKey<Category>("category", slot: 0)
        static let tags = ToManyKey<Tag>("tags", slot: 0)
        static let subtasks = ToManyKey<Todo>("subtasks", slot: 1)
        static let parent = ToOneKey<Todo>("parent", slot: 3)
    }

    var title: String? {
        get { self[Keys.title] }
        set { self[Keys.title] = newValue }
    }
    var number: Int? {
        get { self[Keys.number] }
        set { self[Keys.number] = newValue }
    }
    var isDone: Bool {
        get { self[Keys.isDone] ?? false }
        set { self[Keys.isDone] = newValue }
    }
    var code: String? {
        get { self[Keys.code] }
        set { self[Keys.code] = newValue }
    }
    var category: Category? {
        get { self[Keys.category] }
        set { self[Keys.category] = newValue }
    }
    var tags: [Tag] {
        get { self[Keys.tags] }
        set { self[Keys.tags] = newValue }
    }
    var subtasks: [Todo] {
        get { self[Keys.subtasks] }
        set { self[Keys.subtasks] = newValue }
    }
    var parent: Todo? {
        get { self[Keys.parent] }
        set { self[Keys.parent] = newValue }
    }

    /// The hooks that were called, in order.
    var calls: [String] = []
    var onWillSave: ((Todo) -> Void)?
    var onValidate: ((Todo, SaveOperation, inout ValidationFailures) -> Void)?

    override func awakeFromInsert() { calls.append("insert \(title ?? "-")") }
    override func awakeFromFetch() { calls.append("fetch") }
    override func willSave() {
        calls.append("willSave")
        onWillSave?(self)
    }
    override func didSave() { calls.append("didSave") }
    override func prepareForDeletion() {
        calls.append("delete in \(category?.name ?? "-")")
    }
    override func willTurnIntoFault() { calls.append("willTurnIntoFault") }
    override func didTurnIntoFault() { calls.append("didTurnIntoFault") }
    override func validate(_ operation: SaveOperation, into failures: inout ValidationFailures) {
        onValidate?(self, operation, &failures)
    }
}

final class Bug: Todo {
    override class var entityName: String { "Bug" }
}

final class Category: ManagedObject {
    static let tasks = ToManyKey<Todo>("tasks", slot: 0)
    var name: String? {
        get { self[.string("name")] }
        set { self[.string("name")] = newValue }
    }
    var tasks: [Todo] {
        get { self[Self.tasks] }
        set { self[Self.tasks] = newValue }
    }
}

final class Tag: ManagedObject {
    static let tasks = ToManyKey<Todo>("tasks", slot: 0)
    var name: String? {
        get { self[.string("name")] }
        set { self[.string("name")] = newValue }
    }
    var tasks: [Todo] {
        get { self[Self.tasks] }
        set { self[Self.tasks] = newValue }
    }
}

/// Runs a test on a new store with the classes above.
func withObjects(_ body: (TestStore) throws -> Void) throws {
    try withStore(objectModel) { store in
        store.container.register(Todo.self, Bug.self, Category.self, Tag.self)
        try body(store)
    }
}

extension TestStore {
    /// Returns a new context.
    func context() -> ManagedObjectContext { container.newContext() }
}

/// Returns the task with the title in a context.
func task(_ title: String, in context: ManagedObjectContext) throws -> Todo? {
    try context.fetch(
        FetchRequest<Todo>(
            predicate: .comparison(
                GraphComparison(.keyPath(["title"]), .equal, .constant(.string(title)))))
    ).first
}
