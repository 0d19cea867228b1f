import Diagnostics
import Foundation
import Testing

@testable import Pipelines

@Suite("Description of specs") struct SpecificationMappingTests {
    @Test(arguments: DescribedMapping.ofSpecs)
    func readerAcceptsTheExampleOfEveryKey(_ mapping: DescribedMapping) {
        #expect(Set(mapping.keyNames).count == mapping.keys.count)
        for key in mapping.keys {
            let spec = DescribedSpec(mapping).with(key.name, key.example)
            #expect(spec.read().diagnostics == [], "\(spec.text)")
        }
    }

    /// A key that no code reads would accept any value.
    @Test(arguments: DescribedMapping.ofSpecs)
    func readerRejectsANestedListForEveryKey(_ mapping: DescribedMapping) {
        for key in mapping.keys {
            let spec = DescribedSpec(mapping).with(key.name, "[[]]")
            #expect(spec.errors(at: key.name) != [], "\(spec.text)")
        }
    }

    @Test(arguments: DescribedMapping.ofSpecs.filter { $0.others == nil })
    func readerRejectsKeysThatAreNotDescribed(_ mapping: DescribedMapping) {
        var others = Set(DescribedMapping.ofSpecs.flatMap(\.keyNames) + ["zzz"])
        others.subtract(mapping.keyNames)
        // With these keys, it would be another mapping.
        others.subtract(["generate", "each"])
        if ["read", "generate"].contains(mapping.definition) { others.remove("command") }
        if mapping.definition == "keyField" { others.remove("by") }
        let stages = DescribedMapping.stages.map(\.definition)
        if stages.contains(mapping.definition) { others.subtract(stages) }
        var spec = DescribedSpec(mapping)
        for key in others.sorted() { spec = spec.with(key, "1") }
        for key in others { #expect(spec.errors(at: key) != [], "\(key) in \(mapping)") }
    }

    @Test(arguments: DescribedMapping.ofSpecs)
    func readerReportsEveryMissingRequiredKey(_ mapping: DescribedMapping) {
        for key in mapping.keys where key.absence == .error {
            var spec = DescribedSpec(mapping)
            // Without the key that identifies a mapping, it is another mapping.
            guard key.name != mapping.definition, key.name != "each" else { continue }
            spec.entries.removeAll { $0.key == key.name }
            let codes = spec.read().diagnostics.map(\.code)
            #expect(codes.contains("spec.missing-key"), "\(spec.text)")
        }
    }

    @Test(arguments: DescribedMapping.ofSpecs)
    func describedDefaultsMatchTheReader(_ mapping: DescribedMapping) throws {
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

    @Test(arguments: DescribedMapping.ofSpecs)
    func describedIntegerBoundsMatchTheReader(_ mapping: DescribedMapping) {
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

    @Test(arguments: DescribedMapping.ofSpecs)
    func readerAcceptsOnlyTheDescribedChoices(_ mapping: DescribedMapping) {
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

    @Test(arguments: DescribedMapping.ofSpecs)
    func meaningsAreSentences(_ mapping: DescribedMapping) {
        for key in mapping.keys {
            #expect(key.meaning.hasSuffix(".") || key.meaning.hasSuffix("`."), "\(key.name)")
            #expect(key.meaning.first?.isLowercase == false, "\(key.name)")
        }
    }
}
