/// Memory with stable addresses for the bytes that differ from the input, such as unescaped text.
///
/// `removeAll` keeps the blocks, so a batch that is filled again does not allocate.
final class ByteArena {
    private struct Block {
        let start: UnsafeMutablePointer<UInt8>
        let byteCount: Int
    }

    private static let blockByteCount = 64 * 1024
    private static let keptByteCount = 4 * 1024 * 1024

    private var blocks: [Block] = []
    private var blocksUsed = 0
    private var next: UnsafeMutablePointer<UInt8>?
    private var left = 0

    deinit {
        for block in blocks { block.start.deallocate() }
    }

    /// The size of the allocated blocks.
    var byteCount: Int { blocks.reduce(0) { $0 + $1.byteCount } }

    /// Invalidates all memory that `allocate` has returned.
    func removeAll() {
        if byteCount > Self.keptByteCount {
            for block in blocks { block.start.deallocate() }
            blocks = []
        }
        blocksUsed = 0
        next = nil
        left = 0
    }

    /// Returns memory for `byteCount` bytes; `giveBack` returns the unused end.
    @inline(__always)
    func allocate(_ byteCount: Int) -> UnsafeMutablePointer<UInt8> {
        if let start = next, byteCount <= left {
            next = start + byteCount
            left -= byteCount
            return start
        }
        return allocateBlock(byteCount)
    }

    /// Returns the unused end of the latest allocation, `byteCount` bytes, to the arena.
    @inline(__always)
    func giveBack(_ byteCount: Int) {
        guard let start = next else { return }
        next = start - byteCount
        left += byteCount
    }

    @inline(never)
    private func allocateBlock(_ byteCount: Int) -> UnsafeMutablePointer<UInt8> {
        while blocksUsed < blocks.count, blocks[blocksUsed].byteCount < byteCount {
            blocksUsed += 1
        }
        if blocksUsed == blocks.count {
            let size = max(byteCount, Self.blockByteCount)
            blocks.append(Block(start: .allocate(capacity: size), byteCount: size))
        }
        let block = blocks[blocksUsed]
        blocksUsed += 1
        next = block.start + byteCount
        left = block.byteCount - byteCount
        return block.start
    }
}
