/// A test of whether a Unicode scalar belongs to a set in a pattern.
indirect enum ScalarTest: Hashable {
    case any
    case range(ClosedRange<UInt32>)
    /// Ranges in ascending order that do not touch; `ranges(_:)` creates them.
    case sortedRanges([ClosedRange<UInt32>])
    case property(ScalarProperty)
    case not(ScalarTest)
    case allOf([ScalarTest])
    /// Operations on the empty set, one after another.
    case steps([Step])
    /// The scalars of the set, and scalars that differ from one of them only in case.
    case caseless(ScalarTest)

    /// How a step changes the set of the steps before it.
    enum Operation { case union, intersection, difference }

    struct Step: Hashable {
        let operation: Operation
        let test: ScalarTest
    }

    static func scalar(_ scalar: Unicode.Scalar, ignoresCase: Bool) -> ScalarTest {
        let test = ScalarTest.range(scalar.value...scalar.value)
        let hasVariants = scalar.caseVariants.contains { $0 != scalar }
        return ignoresCase && hasVariants ? .caseless(test) : test
    }

    /// Returns the test of a set, which ignores case before `^` or `\P` negates it, as in ICU.
    static func set(_ test: ScalarTest, ignoresCase: Bool) -> ScalarTest {
        ignoresCase ? .caseless(test) : test
    }

    /// Returns the test of the union of ranges in any order.
    static func ranges(_ ranges: [ClosedRange<UInt32>]) -> ScalarTest {
        var merged: [ClosedRange<UInt32>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = merged.last, range.lowerBound <= last.upperBound + 1 {
                let end = max(last.upperBound, range.upperBound)
                merged[merged.count - 1] = last.lowerBound...end
            } else {
                merged.append(range)
            }
        }
        return merged.count == 1 ? .range(merged[0]) : .sortedRanges(merged)
    }

    func contains(_ scalar: Unicode.Scalar) -> Bool {
        switch self {
        case .any: true
        case .range(let range): range.contains(scalar.value)
        case .sortedRanges(let ranges): Self.contains(ranges, scalar.value)
        case .property(let property): property.holds(scalar)
        case .not(let test): !test.contains(scalar)
        case .allOf(let tests): tests.allSatisfy { $0.contains(scalar) }
        case .steps(let steps): Self.contains(steps, scalar)
        case .caseless(let test): test.members(of: scalar.caseVariants) != 0
        }
    }

    private static func contains(_ ranges: [ClosedRange<UInt32>], _ value: UInt32) -> Bool {
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < value { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].contains(value)
    }

    private static func contains(_ steps: [Step], _ scalar: Unicode.Scalar) -> Bool {
        var result = false
        // A union changes only false, and the other operations change only true.
        for step in steps where result != (step.operation == .union) {
            let holds = step.test.contains(scalar)
            result = step.operation == .difference ? !holds : holds
        }
        return result
    }

    /// Returns which of the scalars belong to the set, one bit each.
    ///
    /// - Parameter variants: All variants of one scalar. A nested set that ignores case contains
    ///   all of them or none. So the time is linear in the size of the test, at any depth.
    private func members(of variants: [Unicode.Scalar]) -> UInt32 {
        let all = UInt32(1) << UInt32(variants.count) - 1
        switch self {
        case .not(let test): return all & ~test.members(of: variants)
        case .allOf(let tests):
            return tests.reduce(all) { $0 == 0 ? 0 : $0 & $1.members(of: variants) }
        case .steps(let steps):
            return steps.reduce(0) { members, step in
                let others = step.test.members(of: variants)
                return switch step.operation {
                case .union: members | others
                case .intersection: members & others
                case .difference: members & ~others
                }
            }
        case .caseless(let test): return test.members(of: variants) == 0 ? 0 : all
        case .any, .range, .sortedRanges, .property:
            var members: UInt32 = 0
            for (index, variant) in variants.enumerated() where contains(variant) {
                members |= 1 << UInt32(index)
            }
            return members
        }
    }
}

extension Unicode.Scalar {
    /// The scalars that are equal to it by simple case folding, including itself.
    var caseVariants: [Unicode.Scalar] {
        // Dotless i does not fold to i.
        if value == 0x131 || value == 0x130 { return [self] }
        if value < 0x80 {
            let lower = value | 0x20
            guard lower &- 0x61 < 26 else { return [self] }
            let pair = [Unicode.Scalar(UInt8(lower)), Unicode.Scalar(UInt8(lower & 0x5F))]
            return pair + (Self.rareVariants[lower] ?? [])
        }
        var variants = [self]
        for mapped in [
            properties.lowercaseMapping, properties.uppercaseMapping,
            properties.titlecaseMapping,
        ] {
            let scalars = mapped.unicodeScalars
            if scalars.count == 1, let only = scalars.first, only != self { variants.append(only) }
        }
        for variant in variants {
            for rare in Self.rareVariants[variant.value] ?? [] where !variants.contains(rare) {
                variants.append(rare)
            }
        }
        return variants
    }

    /// The variants that upper, lower, and title case do not reach, by every other variant.
    private static let rareVariants: [UInt32: [Unicode.Scalar]] = {
        let groups: [[UInt32]] = [
            [0x4B, 0x6B, 0x212A], [0x53, 0x73, 0x17F], [0xB5, 0x39C, 0x3BC],
            [0xC5, 0xE5, 0x212B], [0xDF, 0x1E9E], [0x1C4, 0x1C5, 0x1C6], [0x1C7, 0x1C8, 0x1C9],
            [0x1CA, 0x1CB, 0x1CC], [0x1F1, 0x1F2, 0x1F3], [0x345, 0x399, 0x3B9, 0x1FBE],
            [0x392, 0x3B2, 0x3D0], [0x395, 0x3B5, 0x3F5], [0x398, 0x3B8, 0x3D1, 0x3F4],
            [0x39A, 0x3BA, 0x3F0], [0x3A0, 0x3C0, 0x3D6], [0x3A1, 0x3C1, 0x3F1],
            [0x3A3, 0x3C2, 0x3C3], [0x3A6, 0x3C6, 0x3D5], [0x3A9, 0x3C9, 0x2126],
            [0x412, 0x432, 0x1C80], [0x414, 0x434, 0x1C81], [0x41E, 0x43E, 0x1C82],
            [0x421, 0x441, 0x1C83], [0x422, 0x442, 0x1C84, 0x1C85], [0x42A, 0x44A, 0x1C86],
            [0x462, 0x463, 0x1C87], [0x1C88, 0xA64A, 0xA64B], [0x1E60, 0x1E61, 0x1E9B],
        ]
        var variants: [UInt32: [Unicode.Scalar]] = [:]
        for group in groups {
            for one in group {
                variants[one] = group.filter { $0 != one }.compactMap { Unicode.Scalar($0) }
            }
        }
        return variants
    }()
}
