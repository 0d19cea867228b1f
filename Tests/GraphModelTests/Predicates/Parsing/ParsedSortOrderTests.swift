import GraphModel
import TestSeeds
import Testing

@Suite("Sort orders in text") struct ParsedSortOrderTests {
    @Test(arguments: [
        ("title", [GraphSortDescriptor(["title"])]),
        (
            "priority desc, title",
            [GraphSortDescriptor(["priority"], ascending: false), GraphSortDescriptor(["title"])]
        ),
        ("-priority", [GraphSortDescriptor(["priority"], ascending: false)]),
        ("+priority", [GraphSortDescriptor(["priority"])]),
        (
            " owner . email ASC ,desc DESC",
            [
                GraphSortDescriptor(["owner", "email"]),
                GraphSortDescriptor(["desc"], ascending: false),
            ]
        ),
        ("title asc nocase", [GraphSortDescriptor(["title"], textOrder: .caseInsensitive)]),
        ("title[c]", [GraphSortDescriptor(["title"], textOrder: .caseInsensitive)]),
        ("title [cd]", [GraphSortDescriptor(["title"], textOrder: .caseAndDiacriticInsensitive)]),
        (
            "-name localized",
            [
                GraphSortDescriptor(["name"], ascending: false, textOrder: .localizedStandard)
            ]
        ),
        ("name binary descending", [GraphSortDescriptor(["name"], ascending: false)]),
        (
            "dueOn desc nulls first",
            [
                GraphSortDescriptor(["dueOn"], ascending: false, nullOrder: .first)
            ]
        ),
        ("dueOn nulls last asc", [GraphSortDescriptor(["dueOn"], nullOrder: .last)]),
        (
            "#'first name' nocase",
            [
                GraphSortDescriptor(["first name"], textOrder: .caseInsensitive)
            ]
        ),
        ("größe desc", [GraphSortDescriptor(["größe"], ascending: false)]),
    ])
    func readsKeysAndTheirOptions(text: String, keys: [GraphSortDescriptor]) throws {
        #expect(try GraphSortDescriptor.order(format: text) == keys)
    }

    @Test(arguments: [
        ("", "A key is missing", "\n^"),
        ("title,", "A key is missing", "title,\n      ^"),
        ("title,,x", "A key is missing", "title,,x\n      ^"),
        ("owner.", "A name is missing after '.'", "owner.\n      ^"),
        ("3", "A key is missing", "3\n^"),
        (
            "title down", "'asc', 'desc', 'nocase', 'localized', 'nulls', or a comma belongs here",
            "title down\n      ^"
        ),
        ("-title desc", "This key has a second direction", "-title desc\n       ^"),
        ("é nocase [cd]", "This key has a second text order", "é nocase [cd]\n         ^"),
        ("a nulls", "'first' or 'last' belongs after 'nulls'", "a nulls\n       ^"),
        (
            "a nulls first nulls last", "This key has a second place for nulls",
            "a nulls first nulls last\n              ^"
        ),
        ("a [x]", "[c] or [cd] is expected", "a [x]\n   ^"),
        ("a [c", "A ']' is missing", "a [c\n    ^"),
    ])
    func pointsAtTheMistake(text: String, message: String, excerpt: String) {
        #expect {
            try GraphSortDescriptor.order(format: text)
        } throws: { error in
            let error = error as? GraphPredicateError
            #expect(error?.message == message)
            #expect(error?.excerpt == excerpt)
            return error?.code == .syntax
        }
    }

    @Test func neverTrapsOnRandomText() {
        let seed = TestSeed.ofThisRun
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let pieces = [
            "a", ".", ",", "-", "+", "[", "]", "c", "nulls", "first", "desc", " ", "#", "'", "é",
            "%", "9",
        ]
        for _ in 0..<5_000 {
            let text = (0..<8).map { _ in random.pick(pieces) }.joined()
            guard let keys = try? GraphSortDescriptor.order(format: text) else { continue }
            #expect(!keys.isEmpty && keys.allSatisfy { !$0.keyPath.isEmpty }, "\(text)")
        }
    }
}
