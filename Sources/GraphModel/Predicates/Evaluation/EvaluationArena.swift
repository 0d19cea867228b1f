/// Bytes that outlive the values that point into them: a program's constants, or the texts that
/// one evaluation makes.
final class EvaluationArena {
    private var blocks: [UnsafeMutableBufferPointer<UInt8>] = []

    deinit {
        reset()
    }

    /// Copies bytes to a place that stays until `reset` or the arena's end.
    func store(_ bytes: some Collection<UInt8>) -> ByteView {
        let block = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        _ = block.initialize(fromContentsOf: bytes)
        blocks.append(block)
        return ByteView(block)
    }

    /// Frees everything.
    func reset() {
        if blocks.isEmpty { return }
        for block in blocks { block.deallocate() }
        blocks.removeAll(keepingCapacity: true)
    }
}
