import TestSeeds
import Testing

@testable import GraphStore
@testable import RowStore

@Suite("Pair sort") struct RadixSortTests {
    private func sorted(_ numbers: [UInt64]) -> [UInt64] {
        var numbers = numbers
        var room = numbers
        let count = numbers.withUnsafeMutableBufferPointer { numbers in
            room.withUnsafeMutableBufferPointer { RadixSort.sortUnique(numbers, using: $0) }
        }
        return Array(numbers[..<count])
    }

    @Test(
        arguments: [
            ([], []), ([5], [5]), ([5, 5, 5], [5]), ([3, 1, 2, 1], [1, 2, 3]),
            ([.max, 0, 1 << 63, 1 << 32, .max - 1], [0, 1 << 32, 1 << 63, .max - 1, .max]),
            // Odd and even numbers of digits take different paths.
            ([1 << 11 | 1, 1, 1 << 11], [1, 1 << 11, 1 << 11 | 1]),
            ([1 << 22, 1 << 11, 1, 0], [0, 1, 1 << 11, 1 << 22]),
        ] as [([UInt64], [UInt64])])
    func returnsEachNumberOnceInOrder(numbers: [UInt64], expected: [UInt64]) {
        #expect(sorted(numbers) == expected)
    }

    @Test(arguments: [8, 16, 33, 64]) func sortsRandomNumbers(bits: UInt64) {
        for seed in UInt64(1)...20 {
            var random = SeededGenerator(seed: seed)
            let numbers = (0..<500).map { _ in random.next() >> (64 - bits) }
            #expect(sorted(numbers) == Set(numbers).sorted(), "seed \(seed)")
        }
    }
}
