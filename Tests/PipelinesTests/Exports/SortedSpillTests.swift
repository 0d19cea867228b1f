import Diagnostics
import Foundation
import TestSeeds
import Testing

@testable import Pipelines

/// The spill returns pieces in the order of their numbers, and equal numbers in the order of
/// insertion.
@Suite("Sorted spill")
struct SortedSpillTests {
    private let folder: Workspace

    init() throws {
        folder = try Workspace()
    }

    private static func numbers(_ count: Int, below limit: UInt64) -> [UInt64] {
        var random = SeededGenerator(seed: 7)
        return (0..<count).map { _ in .random(in: 0..<limit, using: &random) }
    }

    private func sorted(
        _ numbers: [UInt64], memoryBytes: Int, in file: SpillFile, runsMax: Int = .max,
        dots: (Int) -> Int = { $0 % 7 }
    ) throws -> (pieces: [String], isFull: Bool, hasFailed: Bool) {
        var spill = SortedSpill(in: file, memoryBytes: memoryBytes, runsMax: runsMax)
        for (place, number) in numbers.enumerated() {
            let piece = Array("\(place)".utf8) + Array(repeating: 46, count: dots(place))
            // The piece uses less space than it requested.
            spill.add(number, atMost: piece.count + 9) { room in
                UnsafeMutableRawBufferPointer(start: room, count: piece.count)
                    .copyBytes(from: piece)
                return room + piece.count
            }
        }
        #expect(spill.count == numbers.count)
        let (isFull, hasFailed) = (spill.isFull, spill.hasFailed)
        var pieces: [String] = []
        try spill.forEach { number, piece in
            pieces.append("\(number) \(String(decoding: piece, as: UTF8.self))")
        }
        return (pieces, isFull, hasFailed)
    }

    private func expected(
        _ numbers: [UInt64], dots: (Int) -> Int = { $0 % 7 }
    ) -> [String] {
        numbers.enumerated().sorted { ($0.element, $0.offset) < ($1.element, $1.offset) }.map {
            "\($0.element) \($0.offset)" + String(repeating: ".", count: dots($0.offset))
        }
    }

    @Test("sorts pieces within and beyond the memory, and reuses the same file")
    func order() throws {
        let file = SpillFile(in: folder.folder)
        let sizes = [(1, 60), (1000, 3000), (5000, 40), (20_000, 3000), (1 << 20, 9)]
        for (memoryBytes, count) in sizes {
            let numbers = Self.numbers(count, below: 500) + [.max, 0, .max]
            let result = try sorted(numbers, memoryBytes: memoryBytes, in: file)
            #expect(result.pieces == expected(numbers), "\(memoryBytes) bytes")
            #expect(!result.isFull)
        }
    }

    @Test("sorts pieces that are larger than the memory among small ones")
    func largePieces() throws {
        let file = SpillFile(in: folder.folder)
        let numbers = Self.numbers(300, below: 40)
        let dots = { (place: Int) in place % 5 == 0 ? 5000 + place * 7 : place % 3 }
        for memoryBytes in [1, 3000, 1 << 20] {
            let result = try sorted(numbers, memoryBytes: memoryBytes, in: file, dots: dots)
            #expect(result.pieces == expected(numbers, dots: dots), "\(memoryBytes) bytes")
        }
    }

    @Test("reports full at the merge limit and still accepts pieces")
    func runsMax() throws {
        let file = SpillFile(in: folder.folder)
        let numbers = Self.numbers(3000, below: 500)
        let result = try sorted(numbers, memoryBytes: 10_000, in: file, runsMax: 3)
        #expect(result.pieces == expected(numbers))
        #expect(result.isFull)
        #expect(!result.hasFailed)
    }

    @Test("returns nothing for no pieces, and leaves no visible file")
    func empty() throws {
        let file = SpillFile(in: folder.folder)
        #expect(try sorted([], memoryBytes: 1, in: file).pieces == [])
        let pieces = try sorted([3, 1, 2], memoryBytes: 1, in: file).pieces
        #expect(pieces == ["1 1.", "2 2..", "3 0"])
        #expect(folder.names() == [])
    }

    @Test("keeps pieces in memory and reports full if the file cannot be written")
    func noFile() throws {
        let file = SpillFile(in: folder.path("missing"))
        let numbers = Self.numbers(3000, below: 500)
        let result = try sorted(numbers, memoryBytes: 10_000, in: file)
        #expect(result.pieces == expected(numbers))
        #expect(result.isFull)
        #expect(result.hasFailed)
    }

    // MARK: Wrong sizes

    /// Returns a piece of a run: its number, its length, and its bytes.
    private static func piece(_ number: UInt64, count: Int, bytes: Int) -> [UInt8] {
        var piece: [UInt8] = []
        withUnsafeBytes(of: number) { piece += Array($0) }
        withUnsafeBytes(of: UInt32(count)) { piece += Array($0) }
        return piece + [UInt8](repeating: 46, count: bytes)
    }

    @Test(
        "a run that is shorter than its pieces is an error",
        arguments: [
            piece(7, count: 50, bytes: 20), Array(piece(7, count: 50, bytes: 0).prefix(5)),
            piece(7, count: 50, bytes: 50) + piece(8, count: 60, bytes: 59),
            piece(7, count: 500, bytes: 499),
        ])
    func shortRun(_ run: [UInt8]) throws {
        for isTruncated in [false, true] {
            let file = SpillFile(in: folder.folder)
            let rest = [UInt8](repeating: 1, count: isTruncated ? 0 : 1000)
            #expect((run + rest).withUnsafeBytes { file.write($0, at: 0) })
            // The run ends before its last piece, and so does the file, or other runs follow.
            let reader = RunReader(
                file, start: 0, end: Int64(run.count + (isTruncated ? 1000 : 0)), blockBytes: 100)
            let failure = #expect(throws: RunFailure.self) {
                while try reader.next() { _ = try reader.piece(in: PieceBuffer()) }
            }
            #expect(failure?.diagnostics.map(\.code) == ["run.sort-lost"])
        }
    }

    @Test("a piece that is larger than announced traps")
    func largePiece() async {
        await #expect(processExitsWith: .failure) {
            var spill = SortedSpill(in: SpillFile(in: "/nowhere"), memoryBytes: 1 << 20)
            spill.add(1, atMost: 8) { $0 + 9 }
        }
    }
}
