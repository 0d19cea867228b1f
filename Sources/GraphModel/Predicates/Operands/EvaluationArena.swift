/// The memory for bytes to which values refer: a program's constants, or an evaluation's strings.
package final class EvaluationArena {
    private static let chunkBytes = 4_096

    /// The current chunk, which small blocks share and the next evaluation reuses.
    private var chunk: UnsafeMutableBufferPointer<UInt8>?
    private var used = 0
    private var full: [UnsafeMutableBufferPointer<UInt8>] = []

    /// Creates an empty arena.
    package init() {}

    deinit {
        reset()
        chunk?.deallocate()
    }

    /// Copies bytes to memory that is valid until `reset` or the end of the arena.
    package func store(_ bytes: some Collection<UInt8>) -> ByteView {
        let block = allocate(bytes.count)
        _ = block.initialize(fromContentsOf: bytes)
        return ByteView(block)
    }

    /// Allocates that number of bytes, which the caller must initialize.
    func allocate(_ count: Int) -> UnsafeMutableBufferPointer<UInt8> {
        if count > Self.chunkBytes / 4 {
            let block = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: count)
            full.append(block)
            return block
        }
        if let chunk, used + count <= Self.chunkBytes {
            defer { used += count }
            return .init(rebasing: chunk[used..<(used + count)])
        }
        if let chunk { full.append(chunk) }
        let chunk = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: Self.chunkBytes)
        self.chunk = chunk
        used = count
        return .init(rebasing: chunk[0..<count])
    }

    /// Stores the bytes that a closure writes into a buffer of the given capacity.
    func store(
        most capacity: Int, _ write: (UnsafeMutableBufferPointer<UInt8>) -> Int
    ) -> ByteView {
        let block = allocate(capacity)
        return ByteView(rebasing: block[0..<min(capacity, write(block))])
    }

    /// Invalidates all stored bytes and makes their memory available again.
    package func reset() {
        used = 0
        if full.isEmpty { return }
        for block in full { block.deallocate() }
        full.removeAll(keepingCapacity: true)
    }
}
