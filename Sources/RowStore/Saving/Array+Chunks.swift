extension Array {
    /// Returns the elements in order, in chunks of the given size; the last chunk may be smaller.
    @inlinable package func chunks(of size: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
    }
}
