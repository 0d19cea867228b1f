/// A sum of doubles that is rounded once, so that the order of what is added does not matter.
///
/// The bits of all finite doubles lie between 2⁻¹⁰⁷⁴ and 2¹⁰²⁴: one long number with a limb for
/// each 32 of them holds every sum as it is.
struct ExactSum {
    private static let limbCount = 68
    /// Limbs have room for so many additions before carries must go up.
    private static let additionsMax = 1 << 29
    /// The power of two of the first bit.
    private static let lowest = -1074

    private var limbs: [Int64] = []
    private var additions = 0
    /// What infinities give, which no limb holds.
    private var special = 0.0

    /// Adds a number; one that is not finite makes the sum so.
    mutating func add(_ number: Double) {
        guard number.isFinite else {
            special += number
            return
        }
        let bits = number.bitPattern
        let exponent = Int(bits >> 52 & 0x7FF)
        let fraction = bits & 0xF_FFFF_FFFF_FFFF
        // Subnormals have the exponent of the smallest others, without the leading bit.
        add(
            exponent == 0 ? fraction : fraction | 1 << 52, shifted: max(exponent, 1) - 1,
            isNegative: number.sign == .minus)
    }

    /// Adds a whole number.
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

    /// The nearest double; infinite where the sum is too large for one.
    var value: Double {
        guard special == 0 else { return special }
        if limbs.isEmpty { return 0 }
        let carried = Self.carried(limbs)
        guard (carried.last ?? 0) < 0 else { return Self.rounded(carried) }
        return -Self.rounded(Self.carried(limbs.map { -$0 }))
    }

    /// The same number with every limb but the last between 0 and 2³².
    private static func carried(_ limbs: [Int64]) -> [Int64] {
        var limbs = limbs
        for index in 0..<(limbs.count - 1) {
            limbs[index + 1] += limbs[index] >> 32
            limbs[index] &= 0xFFFF_FFFF
        }
        return limbs
    }

    /// The nearest double to a number that is not negative, a tie to the even one.
    private static func rounded(_ limbs: [Int64]) -> Double {
        guard let top = limbs.lastIndex(where: { $0 != 0 }) else { return 0 }
        // The three highest limbs hold 65 bits at least, and so all that is not below a half.
        let first = max(top - 2, 0)
        var head: UInt128 = 0
        for limb in limbs[first...top].reversed() { head = head << 32 | UInt128(limb) }
        if limbs[..<first].contains(where: { $0 != 0 }) { head |= 1 }
        // Below 2⁻¹⁰²² there are fewer bits than a double has, so nothing is rounded twice.
        let exponent = Double.Exponent(first * 32 + lowest)
        return Double(sign: .plus, exponent: exponent, significand: Double(head))
    }
}
