package import Diagnostics
import YAML

/// The keys of a `verify`.
enum VerifyKeys {
    static let verify = Key(
        required: "verify", StageKeys.nameForm, "The stage's name.", example: "sane")
    static let expect = Key(
        required: "expect", VerifySpec.Expectation.form,
        "The expected numbers of objects. If one differs, the stage fails with 65.",
        example: "{ \"Task where title == ''\": 0, Task: \">= 1\" }")
    static let mapping = DescribedMapping(
        "verify",
        "Checks the number of objects in the store. If a number is wrong, the run exits with 65.",
        example: """
              - verify: sane
                expect:
                  Task: ">= 1"
                  Task where isCompleted == YES AND completedAt == nil: 0
            """, page: "stage-verify.md", keys: [verify, expect, StageKeys.always])
}

/// A `verify` stage: conditions that the store must meet.
package struct VerifySpec: Sendable, Hashable {
    /// The comparison of a number of objects with a bound.
    package enum Comparison: String, Sendable, Hashable, CaseIterable {
        case equal = "=="
        case notEqual = "!="
        case atLeast = ">="
        case atMost = "<="
        case more = ">"
        case fewer = "<"

        /// Returns whether the number meets the bound.
        func holds(_ count: Int, _ bound: Int) -> Bool {
            switch self {
            case .equal: count == bound
            case .notEqual: count != bound
            case .atLeast: count >= bound
            case .atMost: count <= bound
            case .more: count > bound
            case .fewer: count < bound
            }
        }
    }

    /// One condition: `"Task where owner == nil": "== 0"`.
    package struct Expectation: Sendable, Hashable {
        /// The condition as written.
        package var text: String
        /// The entity, including sub-entities.
        package var entity: PlacedText
        /// The objects that are counted.
        package var selection: Selection
        /// The comparison of the number of selected objects with `bound`.
        package var comparison: Comparison
        /// The number of objects on the right of the comparison.
        package var bound: Int
        /// The location of the condition.
        package var location: SourceLocation
    }

    /// The conditions, in the order of the file.
    package var expectations: [Expectation]
}

extension VerifySpec: StageKind {
    static let mapping = VerifyKeys.mapping
    static let isWriting = false

    static func read(_ keys: KeyedMapping) -> ReadStage {
        var stage = ReadStage(word, named: keys[VerifyKeys.verify], keys.reader)
        guard let expectations = keys[VerifyKeys.expect] else { return stage }
        if expectations.isEmpty, let value = keys.source(of: VerifyKeys.expect),
            case .mapping(let entries) = value.node.content, entries.isEmpty
        {
            value.fail("expect", "'expect' has no entry")
        }
        stage.kind = VerifySpec(expectations: expectations)
        return stage
    }

    var entityName: String? { nil }

    func check(_ checker: inout SpecificationChecker) {
        for expectation in expectations { _ = checker.entity(expectation.entity) }
    }

    func check(_ checker: inout ExpressionChecker) {
        for expectation in expectations {
            checker.check(expectation.selection, expectation.entity.text)
        }
    }
}

extension VerifySpec.Expectation {
    /// Conditions such as `Task where owner == nil` with the bound `== 0`.
    fileprivate static let form = Form<[VerifySpec.Expectation]>.named(
        "ENTITY [where PREDICATE]",
        .either([
            .integer(0...Int64.max),
            .pattern("^(==|!=|>=|<=|>|<)? *[0-9]+$", "a comparison such as `\">= 1\"`"),
        ])
    ) { key, value, reader in
        reader.noteVariables(in: key.text)
        // Read it in any case, so that its problems are reported.
        let (comparison, bound) = bound(value) ?? (.equal, 0)
        let words = key.text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: true)
        guard let entity = words.first, words.count == 1 || words.count == 3,
            words.count == 1 || words[1].lowercased() == "where"
        else {
            reader.problems.report(
                "spec.expect", "'\(key.text)' must be an entity, or `Entity where predicate`",
                at: .source(key.location))
            return nil
        }
        let selection: Selection =
            words.count == 1
            ? .all : .matching(PredicateText(text: String(words[2]), location: key.location))
        return VerifySpec.Expectation(
            text: key.text, entity: PlacedText(String(entity), key.location),
            selection: selection, comparison: comparison, bound: bound, location: key.location)
    }

    /// Parses a bound such as `>= 1`; a number alone means equality.
    private static func bound(_ value: YAMLValue) -> (VerifySpec.Comparison, Int)? {
        guard let text = value.scalarText() else { return nil }
        let sign = text.prefix { "<>=!".contains($0) }
        let comparison = sign.isEmpty ? .equal : VerifySpec.Comparison(rawValue: String(sign))
        let digits = text.dropFirst(sign.count).drop { $0 == " " }
        guard let comparison, let bound = Int(digits), bound >= 0 else {
            return value.wrong("a comparison such as \">= 1\" or \"== 0\"")
        }
        return (comparison, bound)
    }
}
