/// Limits on a file, so that a small file cannot exhaust memory.
package struct YAMLLimits: Sendable, Hashable {
    /// The maximum size of the file, in bytes.
    package var bytesMax: Int
    /// The maximum number of nodes after alias expansion, including keys.
    package var nodesMax: Int
    /// The maximum nesting depth of sequences and mappings after alias expansion.
    package var depthMax: Int

    /// Creates limits; the defaults apply to specs and models.
    package init(bytesMax: Int = 4 << 20, nodesMax: Int = 100_000, depthMax: Int = 64) {
        self.bytesMax = bytesMax
        self.nodesMax = nodesMax
        self.depthMax = depthMax
    }
}
