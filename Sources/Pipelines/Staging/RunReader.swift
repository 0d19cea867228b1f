/// Reads a run of `SortedSpill` piece by piece, in a block of memory that does not grow.
final class RunReader {
    /// The bytes in front of a piece: its number and its length.
    static let headBytes = 12

    private let file: SpillFile
    private var position: Int64
    private let end: Int64
    private let block: UnsafeMutableRawBufferPointer
    /// What is read and not yet given out.
    private var held = 0..<0
    private var found = 0..<0
    /// Where in the file the piece at hand is, if it is larger than the block.
    private var large: Range<Int64>?
    private(set) var number: UInt64 = 0

    init(_ file: SpillFile, start: Int64, end: Int64, blockBytes: Int) {
        self.file = file
        position = start
        self.end = end
        block = .allocate(byteCount: max(Self.headBytes, blockBytes), alignment: 8)
    }

    deinit { block.deallocate() }

    /// The piece at hand, which lives until another one is asked for of any run.
    ///
    /// - Parameter room: where it is put if it is a large one.
    func piece(in room: PieceRoom) throws(RunFailure) -> UnsafeRawBufferPointer {
        guard let large else { return UnsafeRawBufferPointer(rebasing: block[found]) }
        let bytes = room.bytes(Int(large.upperBound - large.lowerBound))
        try file.read(bytes, at: large.lowerBound)
        return UnsafeRawBufferPointer(bytes)
    }

    /// Goes to the next piece.
    ///
    /// - Returns: whether there is one.
    func next() throws(RunFailure) -> Bool {
        guard position < end || !held.isEmpty else { return false }
        try hold(Self.headBytes)
        number = block.loadUnaligned(fromByteOffset: held.lowerBound, as: UInt64.self)
        let count = Int(
            block.loadUnaligned(fromByteOffset: held.lowerBound + 8, as: UInt32.self))
        guard Self.headBytes + count <= block.count else {
            let start = position - Int64(held.count - Self.headBytes)
            position = start + Int64(count)
            large = start..<position
            held = 0..<0
            return true
        }
        large = nil
        try hold(Self.headBytes + count)
        let start = held.lowerBound + Self.headBytes
        found = start..<(start + count)
        held = found.upperBound..<held.upperBound
        return true
    }

    /// Makes sure that so many bytes are in the block, which it has room for.
    private func hold(_ count: Int) throws(RunFailure) {
        guard held.count < count else { return }
        block.copyMemory(from: UnsafeRawBufferPointer(rebasing: block[held]))
        let room = UnsafeMutableRawBufferPointer(rebasing: block[held.count...])
        let wanted = Int(min(Int64(room.count), end - position))
        try file.read(UnsafeMutableRawBufferPointer(rebasing: room[..<wanted]), at: position)
        position += Int64(wanted)
        held = 0..<(held.count + wanted)
    }
}

/// Room for a piece that is larger than the blocks of the runs, which share it.
final class PieceRoom {
    private var room = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    deinit { room.deallocate() }

    func bytes(_ count: Int) -> UnsafeMutableRawBufferPointer {
        if count > room.count {
            room.deallocate()
            room = .allocate(byteCount: count, alignment: 8)
        }
        return UnsafeMutableRawBufferPointer(rebasing: room[..<count])
    }
}
