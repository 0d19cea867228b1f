import Diagnostics
import Foundation
import Testing

@testable import Pipelines

@Suite("Description of specs") struct SpecificationMappingTests {
    @Test(arguments: SpecificationMapping.allCases)
    func readerAcceptsTheExampleOfEveryKey(_ mapping: SpecificationMapping) {
        #expect(Set(mapping.keyNames).count == mapping.keys.count)
        for key in mapping.keys {
            let spec = DescribedSpec(mapping).with(key.name, key.example)
            #expect(spec.read().diagnostics == [], "\(spec.text)")
        }
    }

    /// A key that no code reads would accept any value.
    @Test(arguments: SpecificationMapping.allCases)
    func readerRejectsANestedListForEveryKey(_ mapping: SpecificationMapping) {
        for key in mapping.keys {
            let spec = DescribedSpec(mapping).with(key.name, "[[]]")
            #expect(spec.errors(at: key.name) != [], "\(spec.text)")
        }
    }

    @Test(arguments: SpecificationMapping.allCases.filter { $0.others == nil })
    func readerRejectsKeysThatAreNotDescribed(_ mapping: SpecificationMapping) {
        var others = Set(SpecificationMapping.allCases.flatMap(\.keyNames) + ["zzz"])
        others.subtract(mapping.keyNames)
        // With these keys, it would be another mapping.
        others.subtract(["generate", "each"])
        if ["read", "generate"].contains(mapping.definition) { others.remove("command") }
        if mapping.definition == "keyField" { others.remove("by") }
        let stages = SpecificationMapping.stages.map(\.definition)
        if stages.contains(mapping.definition) { others.subtract(stages) }
        var spec = DescribedSpec(mapping)
        for key in others.sorted() { spec = spec.with(key, "1") }
        for key in others { #expect(spec.errors(at: key) != [], "\(key) in \(mapping)") }
    }

    @Test(arguments: SpecificationMapping.allCases)
    func readerReportsEveryMissingRequiredKey(_ mapping: SpecificationMapping) {
        for key in mapping.keys where key.absence == .error {
            var spec = DescribedSpec(mapping)
            // Without the key that identifies a mapping, it is another mapping.
            guard key.name != mapping.definition, key.name != "each" else { continue }
            spec.entries.removeAll { $0.key == key.name }
            let codes = spec.read().diagnostics.map(\.code)
            #expect(codes.contains("spec.missing-key"), "\(spec.text)")
        }
    }

    @Test(arguments: SpecificationMapping.allCases)
    func describedDefaultsMatchTheReader(_ mapping: SpecificationMapping) throws {
        for key in mapping.keys {
            guard case .same(let text) = key.absence else { continue }
            let spec = DescribedSpec(mapping)
            let plain = try #require(spec.read().spec, "\(spec.text)")
            let explicit = spec.with(key.name, text)
            #expect(
                try Self.text(#require(explicit.read().spec)) == Self.text(plain),
                "\(explicit.text)")
        }
    }

    /// Returns the meaning of a spec as text, without its source text and positions.
    private static func text(_ spec: PipelineSpec) -> String {
        var spec = spec
        for place in spec.stages.indices { spec.stages[place].words = "" }
        return "\(spec)".replacing(#/SourceLocation\([^)]*\)/#, with: "")
    }

    @Test(arguments: SpecificationMapping.allCases)
    func describedIntegerBoundsMatchTheReader(_ mapping: SpecificationMapping) {
        func isRefused(_ key: KeyDescription, _ number: Int64) -> Bool {
            !DescribedSpec(mapping).with(key.name, "\(number)").errors(at: key.name).isEmpty
        }
        for key in mapping.keys {
            guard case .integer(let bounds) = key.form else { continue }
            #expect(!isRefused(key, bounds.lowerBound) && !isRefused(key, bounds.upperBound))
            if bounds.lowerBound > .min { #expect(isRefused(key, bounds.lowerBound - 1)) }
            if bounds.upperBound < .max { #expect(isRefused(key, bounds.upperBound + 1)) }
        }
    }

    @Test(arguments: SpecificationMapping.allCases)
    func readerAcceptsOnlyTheDescribedChoices(_ mapping: SpecificationMapping) {
        for key in mapping.keys {
            for word in key.form.words {
                let spec = DescribedSpec(mapping).with(key.name, word.text)
                #expect(spec.errors(at: key.name) == [], "\(spec.text)")
                #expect(word.meaning.hasSuffix("."))
            }
            if case .words = key.form {
                let spec = DescribedSpec(mapping).with(key.name, "zzz")
                #expect(spec.errors(at: key.name).map(\.code) == ["spec.choice"], "\(spec.text)")
            }
        }
    }

    @Test(arguments: SpecificationMapping.allCases)
    func meaningsAreSentences(_ mapping: SpecificationMapping) {
        for key in mapping.keys {
            #expect(key.meaning.hasSuffix(".") || key.meaning.hasSuffix("`."), "\(key.name)")
            #expect(key.meaning.first?.isLowercase == false, "\(key.name)")
        }
    }
}
