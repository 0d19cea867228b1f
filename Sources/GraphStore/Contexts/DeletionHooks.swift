/// Which objects' hooks a context's deletions call.
///
/// Batch requests call none, ever.
public enum DeletionHooks: String, Sendable, Hashable, CaseIterable {
    /// Those of all objects that go, by cascades too, which are read for that.
    case all
    /// Not those of objects that only a cascade brings into memory.
    case loadedOnly
}
