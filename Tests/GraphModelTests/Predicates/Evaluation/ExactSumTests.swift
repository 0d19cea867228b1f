import Testing

@testable import GraphModel

@Suite("Exact sums") struct ExactSumTests {
    @Test(
        "sums are rounded once, in any order",
        arguments: [
            ([], 0), ([-0.0], 0), ([0.1, 0.2], 0.1 + 0.2), ([-1.5, 0.25], -1.25),
            (Array(repeating: 0.1, count: 10), 1),
            ([1e308, 1e308, -1e308, -1e308, 1], 1), ([1e308, 1e308], .infinity),
            ([-1e308, -1e308], -.infinity), ([.infinity, 1], .infinity),
            ([1, -.infinity, 2], -.infinity),
            (
                [
                    Double.leastNonzeroMagnitude, Double.leastNonzeroMagnitude,
                    Double.leastNonzeroMagnitude,
                ], 3 * Double.leastNonzeroMagnitude
            ),
            (
                [.leastNormalMagnitude, -Double.leastNonzeroMagnitude],
                Double.leastNormalMagnitude.nextDown
            ),
            // A tie rounds to even, and the smallest bit breaks it.
            ([1, 0x1.0p-53], 1), ([1, 0x1.0p-53, Double.leastNonzeroMagnitude], (1.0).nextUp),
            ([(1.0).nextUp, 0x1.0p-53], (1.0).nextUp.nextUp),
            ([.greatestFiniteMagnitude, 1], .greatestFiniteMagnitude),
        ] as [([Double], Double)])
    func rounded(numbers: [Double], expected: Double) {
        for order in [numbers, numbers.reversed(), numbers.sorted()] {
            var sum = ExactSum()
            for number in order { sum.add(number) }
            #expect(sum.value == expected, "\(order)")
        }
    }

    @Test(
        "sums take integers without rounding them first",
        arguments: [
            (Int128(Int64.max) * 3, 0.0, 2.7670116110564327e19), (-7, 0.5, -6.5),
            ((Int128(1) << 53) + 1, 0.0, 9_007_199_254_740_992),
            ((Int128(1) << 53) + 1, 0.5, 9_007_199_254_740_994), (.min, 0, -0x1.0p127),
        ] as [(Int128, Double, Double)])
    func whole(integer: Int128, number: Double, expected: Double) {
        var sum = ExactSum()
        sum.add(number)
        sum.add(integer)
        #expect(sum.value == expected)
    }
}
