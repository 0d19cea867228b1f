/// Reads a run of `SortedSpill` piece by piece.
final class RunReader {
    /// The bytes in front of a piece: its number and its length.
    static let headBytes = 12

    private let file: SpillFile
    private var position: Int64
    private let end: Int64
    private var block: UnsafeMutableRawBufferPointer
    /// What is read and not yet given out.
    private var held = 0..<0
    private var found = 0..<0
    private(set) var number: UInt64 = 0

    init(_ file: SpillFile, start: Int64, end: Int64, blockBytes: Int) {
        self.file = file
        position = start
        self.end = end
        block = .allocate(byteCount: max(Self.headBytes, blockBytes), alignment: 8)
    }

    deinit { block.deallocate() }

    /// The piece at hand; it lives until the next one is asked for.
    var piece: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: block[found]) }

    /// Goes to the next piece.
    ///
    /// - Returns: whether there is one.
    func next() throws(RunFailure) -> Bool {
        guard position < end || !held.isEmpty else { return false }
        try hold(Self.headBytes)
        number = block.loadUnaligned(fromByteOffset: held.lowerBound, as: UInt64.self)
        let count = Int(
            block.loadUnaligned(fromByteOffset: held.lowerBound + 8, as: UInt32.self))
        try hold(Self.headBytes + count)
        let start = held.lowerBound + Self.headBytes
        found = start..<(start + count)
        held = found.upperBound..<held.upperBound
        return true
    }

    /// Makes sure that so many bytes are in the block.
    private func hold(_ count: Int) throws(RunFailure) {
        guard held.count < count else { return }
        if count > block.count {
            let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 8)
            larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: block[held]))
            block.deallocate()
            block = larger
        } else {
            block.copyMemory(from: UnsafeRawBufferPointer(rebasing: block[held]))
        }
        held = 0..<held.count
        while held.count < count {
            let room = UnsafeMutableRawBufferPointer(rebasing: block[held.upperBound...])
            let wanted = Int(min(Int64(room.count), end - position))
            let read = try file.read(
                UnsafeMutableRawBufferPointer(rebasing: room[..<wanted]), at: position)
            position += Int64(read)
            held = 0..<(held.upperBound + read)
        }
    }
}
