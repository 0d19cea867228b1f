import TestSeeds
import Testing

@testable import GraphStore
@testable import RowStore

@Suite("Smallest numbers in several passes") struct SmallestNumbersTests {
    private func passes(_ numbers: [UInt64], capacity: Int) -> [[UInt64]] {
        var smallest = SmallestNumbers(capacity: capacity)
        var passes: [[UInt64]] = []
        repeat {
            for number in numbers { smallest.add(number) }
            smallest.withSorted { passes.append(Array($0)) }
        } while smallest.startNextPass()
        return passes
    }

    @Test func returnsAllNumbersInOnePassIfTheyFit() {
        #expect(passes([], capacity: 0) == [[]])
        #expect(passes([3, 1, 2], capacity: 3) == [[1, 2, 3]])
        #expect(passes([3, 1, 3, 1, 1], capacity: 3) == [[1, 3]])
        #expect(passes([.max, 0], capacity: 2) == [[0, .max]])
    }

    @Test func leavesGreaterNumbersToLaterPasses() {
        #expect(passes([4, 3, 2, 1], capacity: 2) == [[1, 2], [3, 4]])
        #expect(passes([1, 2, 3, 4, 5], capacity: 4) == [[1, 2, 3], [4, 5]])
    }

    @Test func returnsAllNumbersInOrderWithAnyCapacity() {
        let seed = TestSeed.ofThisRun
        var random = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            let greatest: UInt64 = Bool.random(using: &random) ? 50 : .max
            let numbers = (0..<Int.random(in: 0...300, using: &random)).map { _ in
                UInt64.random(in: 0...greatest, using: &random)
            }
            let capacity = Int.random(in: 2...320, using: &random)
            let found = passes(numbers, capacity: capacity)
            #expect(found.flatMap(\.self) == Set(numbers).sorted(), "seed \(seed)")
            #expect(found.allSatisfy { $0.count <= capacity }, "seed \(seed)")
        }
    }
}
