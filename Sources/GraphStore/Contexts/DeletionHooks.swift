/// The objects whose hooks the deletions of a context call.
///
/// Batch requests never call hooks.
public enum DeletionHooks: String, Sendable, Hashable, CaseIterable {
    /// Calls the hooks of all deleted objects; objects deleted by a cascade are loaded for that.
    case all
    /// Skips the hooks of objects that only a cascade loads.
    case loadedOnly
}
