import TestSeeds
import Testing

@testable import GraphStore
@testable import RowStore

@Suite("Links packed into one row") struct PackedLinksTests {
    private func pack(
        _ links: [(owner: Int64, destination: Int64)]
    ) -> (text: String, width: Int64, links: [[Int64]]) {
        var bytes: [UInt8] = [1, 2, 3]
        let width = PackedLinks.pack(links, into: &bytes)
        let read = bytes.withUnsafeBufferPointer { bytes in
            let packed = PackedLinks(bytes, width: width)
            return (0..<packed.count).map { [packed.owner($0), packed.destination($0)] }
        }
        return (String(decoding: bytes, as: UTF8.self), width, read)
    }

    @Test func packsKeysAsDigitsOfOneWidth() {
        #expect(pack([]) == ("", 1, []))
        #expect(pack([(0, 7)]) == ("07", 1, [[0, 7]]))
        #expect(pack([(9, 10), (123, 4)]) == ("009010123004", 3, [[9, 10], [123, 4]]))
        #expect(pack([(-5, 10)]) == ("-05010", 3, [[-5, 10]]))
    }

    @Test func roundTripsAnyKey() {
        let seed = TestSeed.ofThisRun
        var random = SeededGenerator(seed: seed)
        let edges: [Int64] = [.min, .min + 1, -1, 0, 1, 9, 10, .max - 1, .max]
        for _ in 0..<200 {
            let shift = Int64.random(in: 0..<64, using: &random)
            let links = (0..<Int.random(in: 1...PackedLinks.linksMax, using: &random)).map { _ in
                (
                    owner: Int64.random(in: .min ... .max, using: &random) >> shift,
                    destination: edges.randomElement(using: &random) ?? 0
                )
            }
            #expect(pack(links).links == links.map { [$0.owner, $0.destination] }, "seed \(seed)")
        }
    }
}
