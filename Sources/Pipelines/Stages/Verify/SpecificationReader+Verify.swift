import Diagnostics
import YAML

/// Verify stages.
extension SpecificationReader {
    func readVerify(_ mapping: YAMLMapping) -> ReadStage {
        var stage = namedStage("verify", mapping.required("verify"))
        let expect = mapping.required("expect")
        guard let entries = expect?.mapping()?.all() else { return stage }
        if entries.isEmpty { expect?.fail("expect", "'expect' says nothing") }
        let expectations = entries.compactMap { entry in
            readExpectation(entry.key, entry.keyLocation, entry.value)
        }
        stage.kind = .verify(VerifySpec(expectations: expectations))
        return stage
    }

    /// `Task where owner == nil`, and `== 0`.
    private func readExpectation(
        _ key: String, _ place: SourceLocation, _ value: YAMLValue
    ) -> VerifySpec.Expectation? {
        noteVariables(in: key)
        // Read in any case, so that what is wrong in it is told.
        let (comparison, bound) = readBound(value) ?? (.equal, 0)
        let words = key.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: true)
        guard let entity = words.first, words.count == 1 || words.count == 3,
            words.count == 1 || words[1].lowercased() == "where"
        else {
            problems.report(
                "spec.expect", "'\(key)' must be an entity, or `Entity where predicate`",
                at: .source(place))
            return nil
        }
        let selection: Selection =
            words.count == 1
            ? .all : .matching(PredicateText(text: String(words[2]), location: place))
        return VerifySpec.Expectation(
            text: key, entity: PlacedText(String(entity), place), selection: selection,
            comparison: comparison, bound: bound, location: place)
    }

    /// `>= 1`; a number alone means that many.
    private func readBound(_ value: YAMLValue) -> (VerifySpec.Comparison, Int)? {
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
