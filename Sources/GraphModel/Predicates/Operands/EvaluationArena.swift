/// Bytes that outlive the values that point into them: a program's constants, or the texts that
/// one evaluation makes.
package final class EvaluationArena {
    private static let chunkBytes = 4_096

    /// Small pieces share chunks; the first stays allocated for the next evaluation.
    private var chunk: UnsafeMutableBufferPointer<UInt8>?
    private var used = 0
    private var full: [UnsafeMutableBufferPointer<UInt8>] = []

    /// Creates an empty one.
    package init() {}

    deinit {
        reset()
        chunk?.deallocate()
    }

    /// Copies bytes to a place that stays until `reset` or the arena's end.
    package func store(_ bytes: some Collection<UInt8>) -> ByteView {
        let block = allocate(bytes.count)
        _ = block.initialize(fromContentsOf: bytes)
        return ByteView(block)
    }

    /// A place for that many bytes, for the caller to fill.
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

    /// Copies what a writer writes, which must fit into the bytes that it is given.
    func store(
        most capacity: Int, _ write: (UnsafeMutableBufferPointer<UInt8>) -> Int
    ) -> ByteView {
        let block = allocate(capacity)
        return ByteView(rebasing: block[0..<min(capacity, write(block))])
    }

    /// Makes the room of everything stored free again.
    package func reset() {
        used = 0
        if full.isEmpty { return }
        for block in full { block.deallocate() }
        full.removeAll(keepingCapacity: true)
    }
}
