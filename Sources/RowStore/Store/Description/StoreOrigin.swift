/// The creator of a store and the source of its model.
public struct StoreOrigin: Sendable, Hashable {
    /// The source of a store's model.
    public enum Model: String, Sendable, Hashable, CaseIterable {
        /// GraphStore created the store, which carries the model.
        case own
        /// The caller passed the model when opening the store.
        case given
        /// The app's store carries it as an archive of Apple's framework.
        case cached
        /// Inferred from the tables because no model exists.
        ///
        /// Names are in lowercase, and information that columns do not hold is missing.
        case columns
    }

    /// The source of the model.
    public internal(set) var model: Model
    /// Entities whose version hashes differ between the store and the model.
    public internal(set) var differingEntities: [String] = []
    /// Further facts about the store, one sentence each.
    public internal(set) var notes: [String] = []

    /// The origin of a store that GraphStore created.
    package static let ours = StoreOrigin(model: .own)

    /// Whether an app made the store.
    public var isApp: Bool { model != .own }

    /// All remarks for a reader of the store, one sentence each.
    public var remarks: [String] {
        var remarks: [String] = []
        if model == .columns {
            remarks.append(
                "The store contains no readable model, so one was inferred from its columns: names"
                    + " are in lowercase, and information that columns do not hold is missing")
        }
        if !differingEntities.isEmpty {
            remarks.append(
                "Your model is not the store's: these entities differ: "
                    + differingEntities.joined(separator: ", "))
        }
        return remarks + notes
    }
}
