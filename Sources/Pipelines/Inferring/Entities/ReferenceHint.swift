/// The evidence in a field's name that the field refers to an entity.
struct ReferenceHint {
    /// The strength of a name that is that of the entity or of its key.
    static let named = 0
    /// The strength of a name that ends in the entity's name, or refers to its own entity.
    static let ownKind = 1
    /// The strength of a name that shares a word with the entity's, or names a role of people.
    static let related = 2
    /// The strength of a name that is not evidence, so that only the values count.
    static let byValues = 4

    private static let people: Set<String> = [
        "employee", "user", "person", "people", "staff", "member", "account", "agent", "worker",
    ]
    private static let roles: Set<String> = [
        "rep", "representative", "agent", "manager", "salesperson", "salesman", "seller", "owner",
        "assignee", "assigned", "author", "creator", "created", "updated", "modified", "editor",
        "reviewer", "approver", "approved", "supervisor", "instructor", "teacher", "driver",
        "operator", "technician", "contact", "sender", "recipient",
    ]
    /// Names of counts and measurements, which are not references.
    private static let measures: Set<String> = [
        "count", "total", "quantity", "qty", "amount", "price", "size", "days", "hours", "age",
        "year", "month", "day", "rank", "level", "units", "score", "weight", "height", "length",
        "width", "number", "num", "position", "version", "rate", "cost", "discount",
    ]
    private static let endings: Set<String> = ["id", "ids", "key", "code", "ref", "uuid", "no"]
    /// Key names that tables of any kind have, so that a field with such a name is no reference to
    /// a table by its key.
    private static let common: Set<String> = [
        "id", "uuid", "guid", "key", "code", "name", "number",
    ]

    /// The minimum length of a word that is tried as the singular of a plural in another language.
    private static let singularMin = 4

    private let leaf: Leaf
    private let target: EntityDraft
    private let isSelf: Bool

    init(_ leaf: Leaf, _ target: EntityDraft, isSelf: Bool) {
        self.leaf = leaf
        self.target = target
        self.isSelf = isSelf
    }

    /// The strength of the name as evidence for the entity, 0 if strongest; `nil` without evidence.
    var strength: Int? {
        let name = InferredNames.folded(leaf.name)
        let entities = Set(
            [target.name, InferredNames.singular(target.name)].map(InferredNames.folded))
        let key = InferredNames.folded(target.keyLeaf?.name ?? "")
        // `category.id`
        if leaf.path.count > 1,
            entities.contains(InferredNames.folded(leaf.path[leaf.path.count - 2]))
        {
            return name == key ? Self.named : nil
        }
        if isSelf, meansOwnKind(name, entities, key) { return Self.ownKind }
        // `category`, `categoryId`, `category_code`
        func isNamed(_ name: String, _ entities: Set<String>) -> Bool {
            entities.contains { [$0, $0 + "id", $0 + key].contains(name) }
        }
        if leaf.lists != nil,
            isNamed(InferredNames.folded(InferredNames.singular(leaf.name)), entities)
        {
            return Self.named
        }
        if leaf.node.items != nil { return nil }
        if isNamed(name, entities) || name == key && !Self.common.contains(key) {
            return Self.named
        }
        guard !isSelf else { return nil }
        // `kunde` of `Kunden`
        return isNamed(name, InferredNames.foreignSingulars(target.name, min: Self.singularMin))
            ? Self.ownKind : related(entities)
    }

    /// Whether the name means a reference even if a few integers are the key of no object.
    ///
    /// `order` may be a position and `previous` a count, but `order_id` is a key.
    var isClearForIntegers: Bool {
        let name = InferredNames.folded(leaf.name)
        let last = InferredNames.parts(leaf.name).last ?? ""
        if Self.endings.contains(last) || name.hasSuffix("id") { return true }
        return isSelf
            ? name.hasPrefix("parent")
            : !KeyNames.isPosition(name) && !Self.measures.contains(name)
    }

    /// Returns whether a name refers to another object of its own entity.
    ///
    /// Examples are `parent`, `parentId`, `parentTicket` of tickets, and `reportsTo.employeeId`, as
    /// exports write it.
    private func meansOwnKind(_ name: String, _ entities: Set<String>, _ key: String) -> Bool {
        InferredNames.meansOwnKind(name, of: entities)
            || !key.isEmpty && name.hasSuffix(key)
                && InferredNames.meansOwnKind(String(name.dropLast(key.count)), of: entities)
    }

    private func related(_ entities: Set<String>) -> Int? {
        let parts = InferredNames.parts(leaf.name)
        let base = parts.filter { !Self.endings.contains($0) }
        guard !base.isEmpty, base.allSatisfy({ !Self.measures.contains($0) }) else { return nil }
        let joined = base.joined()
        let hasEnding = base.count < parts.count
        // `homeTeamId`
        if hasEnding, entities.contains(where: { $0.count > 2 && joined.hasSuffix($0) }) {
            return Self.ownKind
        }
        let words = InferredNames.parts(InferredNames.singular(target.name))
        let isRole =
            (hasEnding || parts.last == "by" || Self.roles.contains(base.last ?? ""))
            && base.contains(where: Self.roles.contains)
        if isRole, words.contains(where: Self.people.contains) { return Self.related }
        // `ship_via` of shippers
        let isAlike = base.contains { part in
            words.contains { word in
                min(part.count, word.count) >= 4 && (word.hasPrefix(part) || part.hasPrefix(word))
            }
        }
        return isAlike ? Self.related : nil
    }
}
