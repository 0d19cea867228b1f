/// A word or symbol of predicates and expressions, as shown in the reference.
///
/// The lists are built from the types and tables of the parser, so they are always complete.
package struct PredicateTerm: Sendable, Hashable {
    /// The canonical spelling, followed by the alternatives.
    package var spellings: [String]
    /// The meaning, in one sentence.
    package var meaning: String
    /// A sample predicate or expression over the tasks of the samples.
    package var example: String

    /// The operators between two expressions.
    package static var comparisons: [PredicateTerm] {
        ComparisonOperator.allCases.map { op in
            PredicateTerm(
                [op.rawValue] + PredicateLexer.otherSpellings(of: op.rawValue), op.explained)
        }
    }

    /// The words before a comparison with a to-many key path.
    package static var modifiers: [PredicateTerm] {
        ComparisonModifier.allCases.compactMap { modifier in
            let words = PredicateKeywords.modifiers.filter { $0.value == modifier }.keys.sorted()
            return words.isEmpty ? nil : modifier.explained.map { PredicateTerm(words, $0) }
        }
    }

    /// The letters in brackets after a string operator.
    package static var options: [PredicateTerm] {
        [
            ("c", "Case does not matter.", "title CONTAINS[c] 'milk'"),
            ("d", "Diacritics do not matter.", "title BEGINSWITH[cd] 'zoe'"),
            ("n", "Plain comparison, which is the default.", "title ==[n] 'Buy milk'"),
        ].map { PredicateTerm(spellings: ["[\($0)]"], meaning: $1, example: $2) }
    }

    /// The words that combine conditions.
    package static var connectives: [PredicateTerm] {
        [
            ("AND", "Both hold.", "isCompleted == NO AND priority > 1"),
            ("OR", "At least one holds.", "priority > 1 OR dueOn < $now"),
            ("NOT", "It does not hold.", "NOT title CONTAINS 'milk'"),
        ].map { word, meaning, example in
            PredicateTerm(
                spellings: [word] + PredicateLexer.otherSpellings(of: word), meaning: meaning,
                example: example)
        }
    }

    /// The words that are values or complete conditions.
    package static var constants: [PredicateTerm] {
        let values: [(GraphValue, String, String)] = [
            (.boolean(true), "True.", "isCompleted == YES"),
            (.boolean(false), "False.", "isCompleted == NO"),
            (.null, "No value.", "dueOn == nil"),
        ]
        return values.map { value, meaning, example in
            PredicateTerm(
                spellings: PredicateKeywords.constants.filter { $0.value == value }.keys.sorted(),
                meaning: meaning, example: example)
        } + [
            PredicateTerm(
                spellings: ["SELF"], meaning: "The object itself.", example: "SELF.priority > 1"),
            PredicateTerm(
                spellings: ["TRUEPREDICATE"], meaning: "Every object.", example: "TRUEPREDICATE"),
            PredicateTerm(
                spellings: ["FALSEPREDICATE"], meaning: "No object.", example: "FALSEPREDICATE"),
        ]
    }

    /// The operators between two numbers.
    package static var arithmetic: [PredicateTerm] {
        let complement = PredicateFunction.complement
        return ArithmeticOperator.allCases.map { PredicateTerm([$0.rawValue], $0.explained) }
            + [PredicateTerm([complement.name], (complement.meaning, complement.example))]
    }

    /// The functions that stand for operators on collections.
    package static var collectionFunctions: [PredicateTerm] {
        PredicateKeywords.collectionFunctions.sorted { $0.key < $1.key }.map { name, op in
            let (path, same) =
                op == .count
                ? ("tags", "tags.@count")
                : ("subtasks.priority", "subtasks.\(op.rawValue).priority")
            return PredicateTerm(
                spellings: ["\(name)(\(path))"], meaning: "The same as `\(same)`.",
                example: "\(name)(\(path)) > 1")
        }
    }

    /// The operators on collections and lists.
    package static var collections: [PredicateTerm] {
        CollectionOperator.allCases.map { PredicateTerm([$0.rawValue], $0.explained) }
            + PredicateKeywords.indexes.sorted { $0.key < $1.key }.map { word, index in
                PredicateTerm(["[\(word)]"], index.explained)
            } + [
                PredicateTerm(
                    spellings: ["[0]"],
                    meaning: "The element at the index, from 0; nil after the end.",
                    example: "split(title, ' ')[0] == 'Buy'")
            ]
            + PredicateForm.allCases.map { form in
                let (usage, meaning, example) = form.explained
                return PredicateTerm(spellings: [usage], meaning: meaning, example: example)
            }
    }
}

extension PredicateTerm {
    private init(_ spellings: [String], _ explained: (meaning: String, example: String)) {
        self.init(spellings: spellings, meaning: explained.meaning, example: explained.example)
    }
}

extension ComparisonOperator {
    fileprivate var explained: (meaning: String, example: String) {
        switch self {
        case .equal: ("The same value, or both nil.", "priority == 2")
        case .notEqual: ("Not the same value; one side alone may be nil.", "dueOn != nil")
        case .less: ("Smaller; false if a side is nil.", "priority < 2")
        case .lessOrEqual: ("Smaller, equal, or both nil.", "priority <= 2")
        case .greater: ("Greater; false if a side is nil.", "priority > 2")
        case .greaterOrEqual: ("Greater, equal, or both nil.", "priority >= 2")
        case .in:
            (
                "One of the values of the list; for two strings, a part of the other string.",
                "priority IN {1, 2}"
            )
        case .between: ("Between the two values, inclusive.", "priority BETWEEN {1, 3}")
        case .contains:
            (
                "A string that contains the string; a collection that contains the value.",
                "title CONTAINS 'milk'"
            )
        case .beginsWith: ("A string that begins with the string.", "title BEGINSWITH 'Buy'")
        case .endsWith: ("A string that ends with the string.", "title ENDSWITH '!'")
        case .like:
            (
                "A string of the pattern: `*` is any text, `?` is one character.",
                "title LIKE 'Buy *'"
            )
        case .matches:
            (
                "A string that the regular expression matches completely.",
                "title MATCHES 'Buy [0-9]+ .*'"
            )
        }
    }
}

extension ComparisonModifier {
    fileprivate var explained: (meaning: String, example: String)? {
        switch self {
        case .direct: nil
        case .any: ("It holds for at least one object.", "ANY tags.name == 'home'")
        case .all: ("It holds for every object, or there are no objects.", "ALL tags.name != 'x'")
        case .none: ("It holds for no object.", "NONE tags.name == 'home'")
        }
    }
}

extension ArithmeticOperator {
    fileprivate var explained: (meaning: String, example: String) {
        switch self {
        case .add:
            (
                "The sum. Join strings with `join`; add seconds to a date with "
                    + "`cast(cast(dueOn, 'Double') + 7 * 86400, 'Date')`.", "priority + 1"
            )
        case .subtract:
            (
                "The difference; for dates, in seconds with `cast(…, 'Double')`. Before a value, "
                    + "its negative.", "priority - 1"
            )
        case .multiply: ("The product.", "priority * 2")
        case .divide:
            (
                "The quotient; for integers, without the remainder. Division by zero gives nil.",
                "priority / 2"
            )
        case .power: ("The power of integers; right-associative.", "2 ** priority")
        case .shiftLeft:
            ("The bits of the integer shifted to the left.", "1 << priority")
        case .shiftRight: ("The bits of the integer shifted to the right.", "priority >> 1")
        case .bitAnd: ("The bits that both integers have.", "priority & 1")
        case .bitXor: ("The bits that exactly one integer has.", "priority ^ 1")
        case .bitOr: ("The bits that at least one integer has.", "priority | 1")
        }
    }
}

extension CollectionOperator {
    fileprivate var explained: (meaning: String, example: String) {
        switch self {
        case .count: ("The number of objects.", "tags.@count > 2")
        case .sum: ("The sum; 0 if there are no values.", "subtasks.@sum.priority > 9")
        case .average: ("The mean; nil if there are no values.", "subtasks.@avg.priority > 1")
        case .minimum: ("The smallest.", "subtasks.@min.priority == 0")
        case .maximum: ("The largest.", "subtasks.@max.priority == 3")
        case .unionOfObjects:
            ("All values, a collection.", "subtasks.@unionOfObjects.priority CONTAINS 3")
        case .distinctUnionOfObjects:
            (
                "Each different value once, a collection.",
                "subtasks.@distinctUnionOfObjects.priority CONTAINS 3"
            )
        }
    }
}

extension GraphIndex {
    fileprivate var explained: (meaning: String, example: String) {
        switch self {
        case .first:
            ("The first element of an ordered relationship or a list.", "{1, 2}[FIRST] == 1")
        case .last: ("The last one.", "split(title, ' ')[LAST] == 'milk'")
        case .size, .position: ("The number of elements.", "split(title, ' ')[SIZE] > 2")
        }
    }
}

extension PredicateForm {
    fileprivate var explained: (usage: String, meaning: String, example: String) {
        switch self {
        case .subquery:
            (
                "SUBQUERY(collection, $x, condition)", "The objects that meet the condition.",
                "SUBQUERY(tags, $x, $x.name == 'home').@count > 0"
            )
        case .ternary:
            (
                "TERNARY(condition, yes, no)",
                "The first value if the condition holds, otherwise the second.",
                "TERNARY(priority > 1, 'high', 'low') == 'high'"
            )
        }
    }
}

/// The forms with function syntax that take a condition: `SUBQUERY` and `TERNARY`.
package enum PredicateForm: String, Sendable, CaseIterable {
    case subquery, ternary
}
