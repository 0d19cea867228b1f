import Foundation
import GraphModel
import Testing

@Suite("Predicates in Swift")
struct PredicateBuilderTests {
    private enum Keys {
        static let title = Key<String?>("title")
        static let code = Key<String>("code")
        static let priority = Key<Int>("priority")
        static let limit = Key<Int>("limit")
        static let dueDate = Key<Date?>("dueDate")
        static let tags = Key<Set<ManagedObjectID>>("tags")
        static let name = Key<String?>("name")
        static let owner = Key<ManagedObjectID>("owner")
    }

    private static let title = GraphKey("title")
    private static let priority = GraphKey("priority")
    private static let tags = GraphKey("tags")
    private static let tasks = GraphKey("tasks")

    static let untypedCases: [(GraphPredicate, String)] = [
        (
            title == "x" && priority > 3 || !tags.any.name.contains("x", [.c, .d]),
            "title == 'x' AND priority > 3 OR NOT ANY tags.name CONTAINS[cd] 'x'"
        ),
        (
            title == "a" && title != "b" && priority >= 1,
            "title == 'a' AND title != 'b' AND priority >= 1"
        ),
        (
            title == "a" && (title != "b" && priority <= 1),
            "title == 'a' AND (title != 'b' AND priority <= 1)"
        ),
        (
            (title == "a" || title == "b") && priority < 1,
            "(title == 'a' OR title == 'b') AND priority < 1"
        ),
        (priority.in([1, 2]) || title.in(["a"], [.c]), "priority IN {1, 2} OR title IN[c] {'a'}"),
        (priority.in([Int]()) || title.in([String]()), "priority IN {} OR title IN {}"),
        (title == [UInt8](), "title == CAST('', 'NSData')"),
        (priority.between(1...5), "priority BETWEEN {1, 5}"),
        (priority.between(tags.count, 7), "priority BETWEEN {tags.@count, 7}"),
        (title.isNil || title == nil, "title == nil OR title == nil"),
        (title.isNotNil && title != nil, "title != nil AND title != nil"),
        (title.like("a*") || title.matches("a+"), "title LIKE 'a*' OR title MATCHES 'a+'"),
        (
            title.beginsWith("a", .c) && title.endsWith("b"),
            "title BEGINSWITH[c] 'a' AND title ENDSWITH 'b'"
        ),
        (title.equals("x", [.c, .d, .n]), "title ==[cdn] 'x'"),
        (tags.count > 2, "tags.@count > 2"),
        (
            tasks.sum("estimate") > tasks.maximum("owner.age"),
            "tasks.@sum.estimate > tasks.@max.owner.age"
        ),
        (
            tasks.average("a") == 1.5 && tasks.minimum("a") < 0,
            "tasks.@avg.a == 1.5 AND tasks.@min.a < 0"
        ),
        (
            subquery("tags") { $0.name == "x" }.count > 0,
            "SUBQUERY(tags, $x, $x.name == 'x').@count > 0"
        ),
        (
            subquery("tags") { tag in
                tag.name == title && subquery(tag.tasks) { $0.title == tag.name }.count > 1
            }.count == 0,
            "SUBQUERY(tags, $x2, $x2.name == title "
                + "AND SUBQUERY($x2.tasks, $x, $x.title == $x2.name).@count > 1).@count == 0"
        ),
        ((priority + 1) * 2 - priority / 3 > 3, "(priority + 1) * 2 - priority / 3 > 3"),
        (-priority < 0, "-priority < 0"),
        (GraphFunction.length(title) > 3, "length(title) > 3"),
        (
            GraphFunction.coalesce(title, GraphKey("code"), "x") == "y",
            "coalesce(title, code, 'x') == 'y'"
        ),
        (
            GraphFunction.ternary(priority > 1, title, "none") == "none",
            "TERNARY(priority > 1, title, 'none') == 'none'"
        ),
        (GraphKey("dueDate") < GraphFunction.now, "dueDate < now()"),
        (GraphFunction.cast(title, to: .integer64) == 5, "cast(title, 'Integer 64') == 5"),
        (
            tags.all.name == "x" && tags.none.name == "y",
            "ALL tags.name == 'x' AND NONE tags.name == 'y'"
        ),
        (tags[.first].name == "x" && tags[2] == nil, "tags[FIRST].name == 'x' AND tags[2] == nil"),
        (tags[.size] > 1 && GraphKey("in")["any"] == 1, "tags[SIZE] > 1 AND #in.#any == 1"),
        (GraphKey.object.in(GraphKey.variable("ids")), "SELF IN $ids"),
        (GraphKey("owner.tasks.@count") > 1, "owner.tasks.@count > 1"),
        (GraphKey("Full Name") == true, "#'Full Name' == YES"),
    ]

    static let functionCases: [(GraphPredicate, String)] = [
        (GraphKey("dueDate") > GraphFunction.today, "dueDate > today()"),
        (GraphFunction.lowercase(title) == "a", "lowercase(title) == 'a'"),
        (GraphFunction.uppercase(title) == "A", "uppercase(title) == 'A'"),
        (GraphFunction.trim(title) == "a", "trim(title) == 'a'"),
        (GraphFunction.sha256(title) == "a", "sha256(title) == 'a'"),
        (GraphFunction.abs(priority) == 1, "abs(priority) == 1"),
        (GraphFunction.floor(priority) == 1, "floor(priority) == 1"),
        (GraphFunction.ceiling(priority) == 1, "ceiling(priority) == 1"),
        (GraphFunction.round(priority) == 1, "round(priority) == 1"),
        (
            GraphFunction.named("substring", title, 0, 2) == "ab", "substring(title, 0, 2) == 'ab'"
        ),
        (priority ** 2 == 4, "priority ** 2 == 4"), (priority << 1 == 4, "priority << 1 == 4"),
        (
            title == "a" || title == "b" || title == "c",
            "title == 'a' OR title == 'b' OR title == 'c'"
        ),
        (tags[.first].owner.name == "x", "tags[FIRST].owner.name == 'x'"),
        (
            GraphKey("SELF") == ManagedObjectID(entityNumber: 1, primaryKey: 2),
            "SELF == CAST('1/p2', 'NSManagedObjectID')"
        ),
        // Text that is not a key path is one key.
        (GraphKey("a..b") == 1, "#'a..b' == 1"), (GraphKey("@count") == 1, "#'@count' == 1"),
        (GraphKey("tasks.@nope") == 1, "#'tasks.@nope' == 1"),
        (GraphKey("tasks.@count.x") == 1, "#'tasks.@count.x' == 1"),
        (GraphKey("tasks.@sum.@max.x") == 1, "#'tasks.@sum.@max.x' == 1"),
    ]

    @Test(
        "functions and operators give the same tree as the text", arguments: functionCases.indices)
    func functions(index: Int) throws {
        let (predicate, format) = Self.functionCases[index]
        #expect(predicate == (try GraphPredicate(format: format)), "\(predicate)")
    }

    @Test("text longer than a predicate is one key")
    func longKeys() {
        let text = String(repeating: "a.", count: 1 << 20) + "a"
        let isOneKey = GraphKey(text).graphExpression == .keyPath([text])
        #expect(isOneKey)
    }

    @Test("untyped keys give the same tree as the text", arguments: untypedCases.indices)
    func untyped(index: Int) throws {
        let (predicate, format) = Self.untypedCases[index]
        #expect(predicate == (try GraphPredicate(format: format)), "\(predicate)")
    }

    static let typedCases: [(GraphPredicate, String)] = [
        (Keys.title == "x" && Keys.priority > 3, "title == 'x' AND priority > 3"),
        (Keys.title == nil || Keys.title != nil, "title == nil OR title != nil"),
        (Keys.code == "x" && Keys.code.contains("y", .c), "code == 'x' AND code CONTAINS[c] 'y'"),
        (Keys.priority.in([1, 2]), "priority IN {1, 2}"),
        (Keys.priority.between(1, 5), "priority BETWEEN {1, 5}"),
        (Keys.priority < Keys.limit, "priority < limit"),
        (
            Keys.dueDate < Date(timeIntervalSinceReferenceDate: 0),
            "dueDate < CAST('2001-01-01T00:00:00Z', 'NSDate')"
        ),
        (
            Keys.tags.any.appending(Keys.name).beginsWith("x", [.c]),
            "ANY tags.name BEGINSWITH[c] 'x'"
        ),
        (Keys.tags.count == 0 && Keys.dueDate.isNil, "tags.@count == 0 AND dueDate == nil"),
        (Keys.title.key.length == 3, "title.length == 3"),
        (
            Keys.title.equals("x", [.c]) && Keys.title.endsWith("y", [.d]),
            "title ==[c] 'x' AND title ENDSWITH[d] 'y'"
        ),
        (Keys.code.like("a*") && Keys.code.matches("a+"), "code LIKE 'a*' AND code MATCHES 'a+'"),
        (Keys.owner.appending(Key<Int>("tasks.@count")) > 3, "owner.tasks.@count > 3"),
        (Keys.owner.appending(Key<Int>("tasks.@sum.cost")) > 3, "owner.tasks.@sum.cost > 3"),
        (Keys.owner.appending(Key<String>("tags.name").any) == "x", "ANY owner.tags.name == 'x'"),
        (
            Keys.owner.appending(Key<ManagedObjectID>("SELF"))
                == ManagedObjectID(entityNumber: 1, primaryKey: 2),
            "owner == CAST('1/p2', 'NSManagedObjectID')"
        ),
    ]

    @Test("typed keys give the same tree as the text", arguments: typedCases.indices)
    func typed(index: Int) throws {
        let (predicate, format) = Self.typedCases[index]
        #expect(predicate == (try GraphPredicate(format: format)), "\(predicate)")
    }

    @Test("operators of predicates do not affect operators of other types")
    func keepsOperators() {
        let one = 1
        let text: String? = "x"
        #expect(one == 1 && text != nil && text == "x" || !(one > 2))
        #expect(GraphExpression.keyPath(["a"]) == GraphExpression.keyPath(["a"]))
    }
}
