/// Who made a store, and where its model is from.
public struct StoreOrigin: Sendable, Hashable {
    /// Where the model of a store is from.
    public enum Model: String, Sendable, Hashable, CaseIterable {
        /// The store is ours and carries it.
        case own
        /// Whoever opened the store gave it.
        case given
        /// The app's store carries it as its own framework's archive.
        case cached
        /// Made of the tables, since nothing else was to be had: names are in lower case, and what
        /// columns do not tell is missing.
        case columns
    }

    /// Where the model is from.
    public internal(set) var model: Model
    /// Entities whose version hashes in the store are not those of the model.
    public internal(set) var differingEntities: [String] = []
    /// What else is to be known of the store, a sentence each.
    public internal(set) var notes: [String] = []

    /// A store of ours.
    static let ours = StoreOrigin(model: .own)

    /// Whether an app made the store.
    public var isApp: Bool { model != .own }

    /// All that is worth telling whoever reads the store, a sentence each.
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
