import Testing

@testable import GraphModel

/// Keys with the names of keywords.
@Suite("Keywords of predicates")
struct PredicateKeywordTests {
    @Test(
        "a keyword in the place of a key is reported with the spelling of the key",
        arguments: [
            ("no == 5", 1, "no"), ("5 == no", 6, "no"), ("no == 'x'", 1, "no"),
            ("title == 'x' AND no IN {1, 2}", 18, "no"), ("no == $n", 1, "no"),
            ("in == 5", 1, "in"), ("like LIKE 'x'", 1, "like"), ("all == 5", 1, "all"),
            ("not == 5", 1, "not"), ("NOT any > 5", 5, "any"), ("nil.name == 'x'", 1, "nil"),
            ("title == 'x' OR none == 5", 17, "none"), ("NOT in == 5", 5, "in"),
            ("NOT like == 'x'", 5, "like"), ("ANY contains CONTAINS 'x'", 5, "contains"),
            ("NOT in NOT IN {1}", 5, "in"), ("not in {1, 2}", 1, "not"),
        ])
    func keywords(_ format: String, _ column: Int, _ word: String) throws {
        let model = try ManagedObjectModel(
            yaml: """
                model: 1
                entities:
                  Task:
                    attributes: { title: String, no: Integer 16 }
                """)
        do throws(GraphPredicateError) {
            _ = try ParsedPredicate(format: format)
                .resolved(for: "Task", in: model, variables: ["n": GraphValue.integer(1)])
            Issue.record("nothing was said of \(format)")
        } catch {
            #expect(
                error.message == "'\(word)' is a keyword; a key of that name is written #\(word)")
            #expect(error.column == column)
        }
    }

    @Test(
        "keywords keep their meaning if they fit",
        arguments: ["flag == no", "no == flag", "#no == 5", "YES == $n", "NOT #no > 5"])
    func meantKeywords(_ format: String) throws {
        let model = try ManagedObjectModel(
            yaml: """
                model: 1
                entities: { Task: { attributes: { flag: Boolean, no: Integer 16 } } }
                """)
        _ = try ParsedPredicate(format: format)
            .resolved(for: "Task", in: model, variables: ["n": GraphValue.boolean(true)])
    }

    @Test(
        "over records, a keyword that cannot be equal is reported as a misspelled key",
        arguments: [
            ("TRUE == TRUE", false), ("YES != NO", false), ("nil == NULL", false),
            ("TRUE IN {NO, YES}", false), ("TERNARY(TRUE == FALSE, a, b) == 1", false),
            ("no == 5", true), ("no == 'x'", true), ("nil == 'x'", false), ("no IN {1, 2}", true),
        ])
    func overRecords(_ format: String, _ isRefused: Bool) {
        let mistakes = FormatCheck(entityName: nil, model: nil).predicate(format).mistakes
        let word = format.prefix { $0 != " " }
        #expect(
            mistakes.map(\.message)
                == (isRefused
                    ? ["'\(word)' is a keyword; a key of that name is written #\(word)"] : []))
    }
}
