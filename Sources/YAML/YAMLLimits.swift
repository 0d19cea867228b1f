/// What a file may cost, so that a small file cannot exhaust memory.
package struct YAMLLimits: Sendable, Hashable {
    /// Bytes of the file.
    package var bytesMax: Int
    /// Nodes once aliases are followed, keys included.
    package var nodesMax: Int
    /// Sequences and mappings inside each other, aliases followed.
    package var depthMax: Int

    /// Makes limits; the defaults are those of specs and models.
    package init(bytesMax: Int = 4 << 20, nodesMax: Int = 100_000, depthMax: Int = 64) {
        self.bytesMax = bytesMax
        self.nodesMax = nodesMax
        self.depthMax = depthMax
    }
}
