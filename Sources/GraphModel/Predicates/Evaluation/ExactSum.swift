/// A sum of doubles that is rounded once, so that the order of additions does not matter.
///
/// The bits of all finite doubles are between 2⁻¹⁰⁷⁴ and 2¹⁰²⁴. So a long number with one limb for
/// each 32 bits holds every sum exactly.
struct ExactSum {
    private static let limbCount = 68
    /// The maximum number of additions before carries must be propagated.
    private static let additionsMax = 1 << 29
    /// The exponent of the lowest bit.
    private static let lowest = -1074

    private var limbs: [Int64] = []
    private var additions = 0
    /// The sum of the infinities and NaNs, which limbs cannot hold.
    private var special = 0.0

    /// Adds a number; if it is not finite, the sum is not finite either.
    mutating func add(_ number: Double) {
        guard number.isFinite else {
            special += number
            return
        }
        let bits = number.bitPattern
        let exponent = Int(bits >> 52 & 0x7FF)
        let fraction = bits & 0xF_FFFF_FFFF_FFFF
        // Subnormals have the exponent of the smallest normal numbers, but no leading bit.
        add(
            exponent == 0 ? fraction : fraction | 1 << 52, shifted: max(exponent, 1) - 1,
            isNegative: number.sign == .minus)
    }

    /// Adds an integer.
    mutating func add(_ number: Int128) {
        let magnitude = number.magnitude
        let isNegative = number < 0
        add(
            UInt64(truncatingIfNeeded: magnitude), shifted: -Self.lowest, isNegative: isNegative)
        add(
            UInt64(truncatingIfNeeded: magnitude >> 64), shifted: 64 - Self.lowest,
            isNegative: isNegative)
    }

    private mutating func add(_ magnitude: UInt64, shifted place: Int, isNegative: Bool) {
        if magnitude == 0 { return }
        if limbs.isEmpty { limbs = Array(repeating: 0, count: Self.limbCount) }
        if additions == Self.additionsMax {
            limbs = Self.carried(limbs)
            additions = 0
        }
        additions += 1
        var rest = UInt128(magnitude) << UInt128(place % 32)
        var limb = place / 32
        while rest != 0 {
            let part = Int64(truncatingIfNeeded: rest & 0xFFFF_FFFF)
            limbs[limb] += isNegative ? -part : part
            rest >>= 32
            limb += 1
        }
    }

    /// The nearest double; infinite if the sum is too large.
    var value: Double {
        guard special == 0 else { return special }
        if limbs.isEmpty { return 0 }
        let carried = Self.carried(limbs)
        guard carried[Self.limbCount - 1] < 0 else { return Self.rounded(carried) }
        return -Self.rounded(Self.carried(limbs.map { -$0 }))
    }

    /// Returns the same number with all limbs except the last from 0 to below 2³².
    private static func carried(_ limbs: [Int64]) -> [Int64] {
        var limbs = limbs
        for index in 0..<(limbs.count - 1) {
            limbs[index + 1] += limbs[index] >> 32
            limbs[index] &= 0xFFFF_FFFF
        }
        return limbs
    }

    /// Returns the double nearest to a number that is not negative; ties round to even.
    private static func rounded(_ limbs: [Int64]) -> Double {
        guard let top = limbs.lastIndex(where: { $0 != 0 }) else { return 0 }
        // The three highest limbs hold at least 65 bits, so lower limbs only affect ties.
        let first = max(top - 2, 0)
        var head: UInt128 = 0
        for limb in limbs[first...top].reversed() { head = head << 32 | UInt128(limb) }
        if limbs[..<first].contains(where: { $0 != 0 }) { head |= 1 }
        // A number below 2⁻¹⁰²² has fewer bits than a double holds, so no number is rounded twice.
        let exponent = Double.Exponent(first * 32 + lowest)
        return Double(sign: .plus, exponent: exponent, significand: Double(head))
    }
}
