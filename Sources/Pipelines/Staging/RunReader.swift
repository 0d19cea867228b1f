/// Reads the pieces of one run of a `SortedSpill` through a block of memory of fixed size.
final class RunReader {
    /// The size of a piece's header: its number and its length.
    static let headBytes = 12

    private let file: SpillFile
    private var position: Int64
    private let end: Int64
    private let block: UnsafeMutableRawBufferPointer
    /// The range of the block that was read from the file but not yet returned.
    private var held = 0..<0
    private var found = 0..<0
    /// The range of the current piece in the file if it is larger than the block.
    private var large: Range<Int64>?
    private(set) var number: UInt64 = 0

    init(_ file: SpillFile, start: Int64, end: Int64, blockBytes: Int) {
        self.file = file
        position = start
        self.end = end
        block = .allocate(byteCount: max(Self.headBytes, blockBytes), alignment: 8)
    }

    deinit { block.deallocate() }

    /// Returns the current piece, which is valid until the next call of `piece(in:)` or `next()` on
    /// any run.
    ///
    /// - Parameter room: The memory for a piece that is larger than the block.
    func piece(in room: PieceBuffer) throws(RunFailure) -> UnsafeRawBufferPointer {
        guard let large else { return UnsafeRawBufferPointer(rebasing: block[found]) }
        let bytes = room.bytes(Int(large.upperBound - large.lowerBound))
        try file.read(bytes, at: large.lowerBound)
        return UnsafeRawBufferPointer(bytes)
    }

    /// Advances to the next piece.
    ///
    /// - Returns: Whether there is a next piece.
    func next() throws(RunFailure) -> Bool {
        guard position < end || !held.isEmpty else { return false }
        try hold(Self.headBytes)
        number = block.loadUnaligned(fromByteOffset: held.lowerBound, as: UInt64.self)
        let count = Int(
            block.loadUnaligned(fromByteOffset: held.lowerBound + 8, as: UInt32.self))
        guard Self.headBytes + count <= block.count else {
            let start = position - Int64(held.count - Self.headBytes)
            guard Int64(count) <= end - start else { throw file.tooShort }
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

    /// Reads until the block holds at least `count` unread bytes; `count` must not exceed its size.
    ///
    /// - Throws: `RunFailure` (74) if the run has fewer bytes, or the file cannot be read.
    private func hold(_ count: Int) throws(RunFailure) {
        guard held.count < count else { return }
        guard Int64(count - held.count) <= end - position else { throw file.tooShort }
        block.copyMemory(from: UnsafeRawBufferPointer(rebasing: block[held]))
        let room = UnsafeMutableRawBufferPointer(rebasing: block[held.count...])
        let wanted = Int(min(Int64(room.count), end - position))
        try file.read(UnsafeMutableRawBufferPointer(rebasing: room[..<wanted]), at: position)
        position += Int64(wanted)
        held = 0..<(held.count + wanted)
    }
}

/// Memory for pieces that are larger than the blocks of the runs, which share it.
final class PieceBuffer {
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
